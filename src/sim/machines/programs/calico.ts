import { drawn } from '../host.ts';
import { spacedStamp } from '../logs/stamps.ts';
import { addressPlugin } from '../network/address-plugin.ts';
import type { Program, ProgramRun } from './program.ts';

/** From the start of the pod to the CNI configuration, which an init container writes. */
const INSTALL_MS = 1800;

/**
 * calico-node: the CNI configuration is there after two seconds, so the Node turns Ready; felix has
 * programmed the routes to other nodes' pods only after a minute or more.
 */
export const calicoNode: Program = (run) => {
  const { host, network, nodeName } = run;
  const say = (level: string, words: string): void =>
    run.print(`${spacedStamp(host.nowMs())} [${level}][9] ${words}`);
  say('INFO', 'startup/startup.go 427: Early log level set to info');
  say('INFO', `startup/utils.go 126: Using NODENAME environment for node name ${nodeName}`);
  run.health({ isReady: false, readyMessage: BIRD_MESSAGE });
  run.after(INSTALL_MS, () => {
    say(
      'INFO',
      `startup/startup.go 764: Using autodetected IPv4 address on interface ens5: ${host.instance().privateIp}/20`,
    );
    run.print('Calico node started successfully');
    installCni(run);
  });
  run.after(drawn(host.random, host.settings.calicoRouteTime), () => {
    say(
      'INFO',
      'felix/int_dataplane.go 2063: Completed first update to dataplane. secondsSinceStart=68.2',
    );
    say('INFO', 'health/health.go 296: Overall health status changed: live=true ready=true');
    network.setRoutes(true);
    run.health({ isReady: true });
  });
  return () => {};
};

const BIRD_MESSAGE =
  'calico/node is not ready: BIRD is not ready: Error querying BIRD: unable to connect to BIRDv4 socket: dial unix /var/run/calico/bird.ctl: connect: connection refused';

function installCni({ host, network, neighbours }: ProgramRun): void {
  if (network.plugin() !== null) return;
  host.files.write('/etc/cni/net.d/10-calico.conflist', CONFLIST);
  const block = neighbours.podBlock(host.instanceId);
  network.setPlugin(addressPlugin('k8s-pod-network', block, host.random));
}

const CONFLIST = `${JSON.stringify(
  {
    name: 'k8s-pod-network',
    cniVersion: '0.3.1',
    plugins: [
      { type: 'calico', datastore_type: 'kubernetes', ipam: { type: 'calico-ipam' } },
      { type: 'portmap', snat: true, capabilities: { portMappings: true } },
    ],
  },
  null,
  2,
)}\n`;
