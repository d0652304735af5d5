/** Joins a real machine to a real control plane with kubeadm, and keeps what it prints. */
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { until } from '../../bench.ts';
import type { ControlPlane } from '../../control-plane.ts';
import type { ExampleFile } from '../../../causes/example.ts';
import { partPath } from '../../parts.ts';
import { journal } from '../journal.ts';
import type { Machine } from '../machine.ts';
import type { Scenario } from '../scenario.ts';
import { API_SERVER, NODE_NAME, type Stage } from '../stage.ts';
import { type Attempt, JOINS, type Join } from './kubeadm-joins.ts';
import {
  KUBELET_VERSION,
  machineKubeconfig,
  prepareKubelet,
  startContainerd,
  WORKING_CONFIG,
} from './kubelet.ts';

const KUBEADM_VERSION = KUBELET_VERSION.replace('kubelet', 'kubeadm');
const TOKEN = 'k3x9pd.7f2m4q8s1w6v0z5y';
const SOCKET = 'unix:///run/containerd/containerd.sock';
const CONTROL_MACHINE = 'ip-10-0-16-4.eu-west-1.compute.internal';

/** What this computer lacks as a node and no scenario is about. */
const IGNORED = ['SystemVerification', 'NumCPU', 'Mem', 'ContainerRuntimeVersion'];

const INIT_CONFIG = [
  {
    apiVersion: 'kubeadm.k8s.io/v1beta4',
    kind: 'InitConfiguration',
    bootstrapTokens: [{ token: TOKEN, ttl: '1h' }],
    nodeRegistration: { criSocket: SOCKET, name: CONTROL_MACHINE },
    localAPIEndpoint: { advertiseAddress: '10.0.16.4' },
  },
  {
    apiVersion: 'kubeadm.k8s.io/v1beta4',
    kind: 'ClusterConfiguration',
    kubernetesVersion: 'v1.36.3',
    controlPlaneEndpoint: API_SERVER,
    networking: { serviceSubnet: '10.96.0.0/16' },
  },
  {
    ...WORKING_CONFIG,
    cgroupRoot: '/rollcall-capture',
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
  },
]
  .map((document) => JSON.stringify(document))
  .join('\n---\n');

export function kubeadmEnv(
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const path = `${dirname(partPath('kubelet'))}:${process.env['PATH'] ?? ''}`;
  return { PATH: path, ...more };
}

/** As `kubeadm init` leaves it: its configuration, cluster-info, a token and the roles for joining. */
export async function initCluster(stage: Stage): Promise<ControlPlane> {
  const plane = await stage.controlPlane();
  const machine = await stage.machine({ name: CONTROL_MACHINE, address: '10.0.16.9' });
  const kubeconfig = await machineKubeconfig(plane, plane.kubeconfigPath);
  await machine.write('/etc/kubernetes/admin.conf', kubeconfig);
  await machine.write('/run/init.yaml', INIT_CONFIG);
  for (const phase of ['upload-config all', 'bootstrap-token']) {
    const args = ['init', 'phase', ...phase.split(' '), '--config=/run/init.yaml'];
    const said = await machine.run({ program: partPath('kubeadm'), args, env: kubeadmEnv() });
    if (said.code !== 0) throw new Error(`kubeadm init phase ${phase}: ${said.text}`);
  }
  const path = '/api/v1/namespaces/kube-public/configmaps/cluster-info';
  await until('the signature of the token', async () =>
    (await plane.client.text(path)).includes('jws-kubeconfig-k3x9pd') ? true : null,
  );
  return plane;
}

/** As `kubeadm token create --print-join-command` prints it. */
function pinOf({ caPath }: ControlPlane): string {
  const key = new X509Certificate(readFileSync(caPath)).publicKey;
  const der = key.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(der).digest('hex')}`;
}

export function joinConfig(
  plane: ControlPlane,
  { token, pin, endpoint, node, ignored }: Attempt,
): string {
  return JSON.stringify({
    apiVersion: 'kubeadm.k8s.io/v1beta4',
    kind: 'JoinConfiguration',
    discovery: {
      bootstrapToken: {
        token: token ?? TOKEN,
        apiServerEndpoint: endpoint ?? API_SERVER,
        caCertHashes: [pin ?? pinOf(plane)],
      },
    },
    nodeRegistration: {
      name: NODE_NAME,
      criSocket: SOCKET,
      ignorePreflightErrors: [...IGNORED, ...(ignored ?? [])],
      ...node,
    },
    timeouts: { discovery: '12s', tlsBootstrap: '12s', kubeletHealthCheck: '12s' },
  });
}

/** Starts the kubelet whenever there is something to start it with, as the unit of the package does. */
const KUBELET_UNIT = `while ! test -s /var/lib/kubelet/kubeadm-flags.env; do sleep 0.2; done
while true; do
  . /var/lib/kubelet/kubeadm-flags.env
  kubelet --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf --config=/var/lib/kubelet/config.yaml $KUBELET_KUBEADM_ARGS
  sleep 1
done`;

async function prepareMachine(stage: Stage, join: Join): Promise<Machine> {
  const { reaches } = join;
  const port = Number(new URL((await stage.plane()).url).port);
  const places = [API_SERVER, ...(reaches ?? [])].map((place) => [place, port] as const);
  const machine = await stage.machine({ reaches: Object.fromEntries(places) });
  await prepareKubelet(machine);
  await machine.shell('rm -rf /etc/kubernetes; echo 1 > /proc/sys/net/ipv4/ip_forward');
  const { containerd = '' } = join;
  if (containerd !== null) await startContainerd(machine, containerd, containerd === '');
  if (join.before !== undefined) await machine.shell(join.before);
  return machine;
}

async function captureJoin(stage: Stage, join: Join): Promise<readonly ExampleFile[]> {
  const plane = await initCluster(stage);
  await join.breakCluster?.(plane);
  const machine = await prepareMachine(stage, join);
  const kubelet =
    join.kubelet === undefined
      ? null
      : machine.start('kubelet', {
          program: 'bash',
          args: ['-c', KUBELET_UNIT],
          env: kubeadmEnv(),
        });
  const texts: string[] = [];
  for (const one of [join, ...(join.again === undefined ? [] : [join.again])]) {
    await machine.write('/run/kubeadm/join.yaml', one.configText ?? joinConfig(plane, one));
    if (one !== join && one.before !== undefined) await machine.shell(one.before);
    const args = ['join', '--config=/run/kubeadm/join.yaml', ...(one.flags ?? [])];
    const env = kubeadmEnv(one.env);
    const command = { program: partPath('kubeadm'), args, env, limitMs: 90_000 };
    texts.push((await machine.run(command)).text);
  }
  const more = await join.look?.(stage);
  return [
    { name: 'kubeadm.log', text: texts.join('') },
    ...(kubelet === null || join.kubelet === 'unseen'
      ? []
      : [{ name: 'kubelet.journal', text: journalOf(kubelet.log()) }]),
    ...(more === undefined ? [] : [more]),
  ];
}

const JOURNAL_LINES = 80;

function journalOf(log: string): string {
  const lines = log.trimEnd().split('\n').slice(0, JOURNAL_LINES);
  return journal(NODE_NAME, 'kubelet', lines.join('\n'));
}

export const KUBEADM: readonly Scenario[] = JOINS.map((join) => {
  const { what, broken, cause, expect, instead } = join;
  return {
    cause,
    expect,
    ...(instead === undefined ? {} : { instead }),
    id: `kubeadm/${what}`,
    source: `${KUBEADM_VERSION}, joining ${broken}`,
    needs: ['kubelet', 'kubeadm', 'kube-apiserver', 'etcd', 'kubectl'],
    system: ['unshare', 'containerd'],
    run: (stage) => captureJoin(stage, join),
  };
});
