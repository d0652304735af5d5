/** A machine that joins a real cluster beside a real cloud controller, and what it runs for that. */
import { join } from 'node:path';
import type { Program } from './bench.ts';
import { startCloudController, textOf, CLUSTER_ID } from './cloud-controller.ts';
import type { CloudControllerVersion } from '../../tools/real-parts/recipes.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Node } from './kube-client.ts';
import { awsEnvironment, type Moto } from './moto.ts';
import { initCluster, joinConfig, kubeadmEnv } from './capture/programs/kubeadm.ts';
import { prepareKubelet, startContainerd } from './capture/programs/kubelet.ts';
import type { Machine } from './capture/machine.ts';
import type { Said } from './capture/run-program.ts';
import { API_SERVER, type Stage } from './capture/stage.ts';

export interface Instance {
  readonly id: string;
  readonly address: string;
  readonly name: string;
  readonly zone: string;
}

/** What differs from a machine that is as it should be. */
export interface JoinOptions {
  /** Its hostname, of which EC2 knows nothing; the kubelet has no provider ID either. */
  readonly hostname?: string;
}

export interface JoinSite {
  readonly plane: ControlPlane;
  readonly moto: Moto;
  readonly instance: Instance;
  readonly machine: Machine;
  /** Of the machine's programs. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs a program of the machine to its end. */
  readonly run: (words: readonly string[], limitMs?: number) => Promise<Said>;
  /** Starts `rollcall join` with these options; COMMAND is the real kubeadm join where none is given. */
  readonly supervise: (options: readonly string[], command?: readonly string[]) => Program;
  readonly node: () => Promise<Node | null>;
  /** Gives the machine a pod network, without which no Node is Ready. */
  readonly addPodNetwork: () => Promise<void>;
}

const EC2_PLACE = '10.0.16.5:8080';
const JOIN_FILE = '/run/kubeadm/join.yaml';
export const KUBEADM_JOIN = ['kubeadm', 'join', `--config=${JOIN_FILE}`] as const;
const MAIN = join(import.meta.dirname, '../../src/apps/cli/main.ts');

/** Answers as systemctl does for the unit of the kubelet; the loop below does what it asks. */
const SYSTEMCTL = `#!/bin/bash
words=(); for word in "$@"; do case $word in -*) ;; *) words+=("$word");; esac; done
alive() { [ -s /run/kubelet.pid ] && kill -0 "$(cat /run/kubelet.pid)" 2>/dev/null; }
halt() { rm -f /run/kubelet.want; alive && kill "$(cat /run/kubelet.pid)"; while alive; do sleep 0.05; done; }
echo "$*" >> /run/systemctl.log
case "\${words[0]} \${words[1]%.service}" in
  "start kubelet") touch /run/kubelet.want;;
  "stop kubelet") halt;;
  "restart kubelet") halt; touch /run/kubelet.want;;
  "is-active kubelet") alive && echo active || { echo inactive; exit 3; };;
  "status kubelet") alive || exit 3;;
  "is-enabled kubelet") echo enabled;;
esac
exit 0
`;

/** Starts the kubelet once while it is wanted; a process of its own each time, as a unit does. */
const KUBELET_UNIT = `while true; do
  if [ -f /run/kubelet.want ] && test -s /var/lib/kubelet/kubeadm-flags.env; then
    . /var/lib/kubelet/kubeadm-flags.env
    kubelet --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf --config=/var/lib/kubelet/config.yaml $KUBELET_KUBEADM_ARGS &
    echo $! > /run/kubelet.pid; wait $!; rm -f /run/kubelet.pid
  fi
  sleep 0.1
done`;

const POD_NETWORK = JSON.stringify({
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'bridge',
      bridge: 'cni0',
      isGateway: true,
      ipam: { type: 'host-local', ranges: [[{ subnet: '10.244.7.0/24' }]] },
    },
  ],
});

async function runInstance(moto: Moto): Promise<Instance> {
  const xml = await moto.ec2('RunInstances', {
    ImageId: 'ami-12c6146b',
    InstanceType: 't3.small',
    MinCount: '1',
    MaxCount: '1',
    'TagSpecification.1.ResourceType': 'instance',
    'TagSpecification.1.Tag.1.Key': `kubernetes.io/cluster/${CLUSTER_ID}`,
    'TagSpecification.1.Tag.1.Value': 'owned',
  });
  const id = textOf(xml, 'instanceId');
  const seen = await moto.ec2('DescribeInstances', { 'InstanceId.1': id });
  const zone = textOf(seen, 'availabilityZone');
  const address = textOf(seen, 'privateIpAddress');
  const name = `ip-${address.replaceAll('.', '-')}.${moto.region}.compute.internal`;
  return { id, address, zone, name };
}

function environment(): Readonly<Record<string, string>> {
  const { PATH = '' } = kubeadmEnv();
  return {
    ...awsEnvironment(`http://${EC2_PLACE}`),
    PATH: `/run/sbin:${PATH}`,
    HOME: '/root',
  };
}

/** Everything but the join, and the cloud controller once for all sites of a stage. */
export async function openJoinSite(
  stage: Stage,
  version: CloudControllerVersion,
  { hostname }: JoinOptions = {},
): Promise<JoinSite> {
  const moto = await stage.moto();
  const plane = await initCluster(stage);
  const instance = await runInstance(moto);
  await cloudControllerOf(plane, moto, version);
  const reaches = {
    [API_SERVER]: Number(new URL(plane.url).port),
    [EC2_PLACE]: Number(new URL(moto.url).port),
  };
  const { name, address, id, zone } = instance;
  const machine = await stage.machine({ name: hostname ?? name, address, reaches });
  await prepareKubelet(machine);
  await machine.shell(
    `rm -rf /etc/kubernetes /etc/cni/net.d; mkdir -p /etc/cni/net.d; echo 1 > /proc/sys/net/ipv4/ip_forward`,
  );
  await machine.write('/run/sbin/systemctl', SYSTEMCTL);
  await machine.shell('chmod +x /run/sbin/systemctl');
  await startContainerd(machine);
  const extra = {
    'cloud-provider': 'external',
    ...(hostname === undefined ? { 'provider-id': `aws:///${zone}/${id}` } : {}),
    'node-ip': address,
  };
  const kubeletExtraArgs = Object.entries(extra).map(([key, value]) => ({ name: key, value }));
  await machine.write(
    JOIN_FILE,
    joinConfig(plane, { node: { name: hostname ?? name, kubeletExtraArgs } }),
  );
  machine.start('kubelet', { program: 'bash', args: ['-c', KUBELET_UNIT], env: environment() });
  let starts = 0;
  return {
    plane,
    moto,
    instance,
    machine,
    environment: environment(),
    run: async ([program = '', ...args], limitMs = 90_000) =>
      machine.run({ program, args, env: environment(), limitMs }),
    supervise: (options, command = KUBEADM_JOIN) => {
      const own = [`--instance=${id}`, `--region=${moto.region}`, '--state-folder=/run/rollcall'];
      const args = [MAIN, 'join', ...own, ...options, '--', ...command];
      starts += 1;
      return machine.start(`rollcall-${starts}`, {
        program: process.execPath,
        args,
        env: environment(),
      });
    },
    node: async () => plane.client.find<Node>(`/api/v1/nodes/${name}`),
    addPodNetwork: async () => machine.write('/etc/cni/net.d/10-pods.conflist', POD_NETWORK),
  };
}

const controllers = new WeakMap<ControlPlane, Promise<Program>>();

async function cloudControllerOf(
  controlPlane: ControlPlane,
  moto: Moto,
  version: CloudControllerVersion,
): Promise<void> {
  const started =
    controllers.get(controlPlane) ?? startCloudController({ version, controlPlane, moto });
  controllers.set(controlPlane, started);
  await started;
}
