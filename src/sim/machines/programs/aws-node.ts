import { listAt, textAt } from '../../../evidence/json.ts';
import { milliStamp } from '../logs/stamps.ts';
import { Ipamd } from './ipamd.ts';
import type { IpamdSettings } from './ipamd-limits.ts';
import type { Program, ProgramRun } from './program.ts';

/** The entry point asks ipamd again after this time. */
const RETRY_MS = 2000;
const CONFLIST = '/etc/cni/net.d/10-aws.conflist';

/** aws-node: starts ipamd, waits for it, and only then writes the CNI configuration. */
export const awsNode: Program = (run) => {
  const { host, network } = run;
  const say = (msg: string): void =>
    run.print(
      JSON.stringify({ level: 'info', ts: milliStamp(host.nowMs()), caller: 'entrypoint.sh', msg }),
    );
  let isReady = false;
  const ipamd = new Ipamd(run, settingsOf(run), {
    onReady: () => {
      isReady = true;
      say('Copying config file... ');
      host.files.write(CONFLIST, CONFIGURATION);
      network.setRoutes(true);
      network.setPlugin(ipamd.plugin());
      say('Successfully copied CNI plugin binary and config file.');
      run.health({ isReady: true });
    },
    onExit: () => run.exit(1),
  });
  run.health({ isReady: false, readyMessage: NOT_SERVING, isLive: true });
  say('Validating env variables ...');
  say('Install CNI binaries..');
  say('Starting IPAM daemon in the background ... ');
  say('Checking for IPAM connectivity ... ');
  const wait = (): void => {
    if (isReady) return;
    say('Retrying waiting for IPAM-D');
    run.after(RETRY_MS, wait);
  };
  run.after(RETRY_MS, wait);
  ipamd.begin();
  return () => ipamd.end();
};

const NOT_SERVING =
  'timeout: failed to connect service ":50051" within 5s: context deadline exceeded';

function settingsOf({ container }: ProgramRun): IpamdSettings {
  const [, tag] = /:(v\d+\.\d+\.\d+)/.exec(textAt(container, 'image') ?? '') ?? [];
  const environment = (name: string): string | null =>
    textAt(
      listAt(container, 'env').find((one) => textAt(one, 'name') === name),
      'value',
    );
  return {
    version: tag ?? 'v1.20.4',
    isPrefix: environment('ENABLE_PREFIX_DELEGATION') === 'true',
    warmEnis: Number(environment('WARM_ENI_TARGET') ?? 1),
  };
}

const CONFIGURATION = `${JSON.stringify({
  cniVersion: '1.0.0',
  name: 'aws-cni',
  disableCheck: true,
  plugins: [
    {
      name: 'aws-cni',
      type: 'aws-cni',
      vethPrefix: 'eni',
      mtu: '9001',
      podSGEnforcingMode: 'strict',
    },
    { type: 'portmap', capabilities: { portMappings: true }, snat: true },
  ],
})}\n`;
