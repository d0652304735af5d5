/** Starts a real kubelet in a machine, and keeps what it writes to the journal. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../bench.ts';
import type { ControlPlane } from '../../control-plane.ts';
import { partPath } from '../../parts.ts';
import { journal } from '../journal.ts';
import type { Machine } from '../machine.ts';
import type { Scenario } from '../scenario.ts';
import { API_SERVER, NODE_ADDRESS, NODE_NAME, type Stage } from '../stage.ts';
import { type Start, STARTS } from './kubelet-starts.ts';

export const KUBELET_VERSION = 'kubelet v1.36.3';
const SOCKET = '/run/containerd/containerd.sock';

/** What runs here: cgroup v1, no right to lower an OOM score, a disk that others fill. */
export const WORKING_CONFIG = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  failCgroupV1: false,
  failSwapOn: false,
  oomScoreAdj: 0,
  cgroupDriver: 'cgroupfs',
  cgroupsPerQOS: true,
  enforceNodeAllocatable: [],
  localStorageCapacityIsolation: false,
  containerRuntimeEndpoint: `unix://${SOCKET}`,
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: false },
    x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' },
  },
  authorization: { mode: 'AlwaysAllow' },
  clusterDNS: ['10.96.0.10'],
  clusterDomain: 'cluster.local',
  resolvConf: '/etc/resolv.conf',
  imageGCHighThresholdPercent: 100,
  evictionHard: {
    'memory.available': '0%',
    'nodefs.available': '0%',
    'imagefs.available': '0%',
    'nodefs.inodesFree': '0%',
  },
};

export const CONTAINERD_CONFIG = `version = 2
[plugins."io.containerd.internal.v1.opt"]
  path = "/var/lib/containerd/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.k8s.io/pause:3.10"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
`;

export async function startContainerd(machine: Machine, more = '', ready = true): Promise<void> {
  await machine.write('/etc/containerd/config.toml', `${more}${CONTAINERD_CONFIG}`);
  machine.start('containerd', { program: 'containerd', args: ['--log-level', 'warn'] });
  await until('containerd', async () => {
    const { code } = await machine.shell(ready ? 'ctr version' : `test -S ${SOCKET}`);
    return code === 0 ? true : null;
  });
}

export async function writeKubeletConfig(
  machine: Machine,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const config = JSON.stringify({ ...WORKING_CONFIG, ...more }, null, 1);
  await machine.write('/var/lib/kubelet/config.yaml', `${config}\n`);
}

/** A cgroup of its own in every hierarchy, or two kubelets would clear away each other's pods. */
const CGROUPS = `for d in /sys/fs/cgroup/*/; do mkdir -p $d/rollcall-capture 2>/dev/null; done
for f in cpus mems; do cat /sys/fs/cgroup/cpuset/cpuset.$f > /sys/fs/cgroup/cpuset/rollcall-capture/cpuset.$f; done 2>/dev/null; true`;

export async function prepareKubelet(machine: Machine): Promise<void> {
  await machine.shell(CGROUPS);
}

export function kubeletArguments(flags: readonly string[]): readonly string[] {
  return [
    '--config=/var/lib/kubelet/config.yaml',
    '--kubeconfig=/var/lib/kubelet/kubeconfig',
    '--cgroup-root=/rollcall-capture',
    `--node-ip=${NODE_ADDRESS}`,
    ...flags,
  ];
}

/** A kubeconfig of the control plane, as a machine sees that. */
export async function machineKubeconfig(plane: ControlPlane, path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  return text.replaceAll(plane.url, `https://${API_SERVER}`);
}

async function joinedKubeconfig(plane: ControlPlane): Promise<string> {
  const path = await plane.writeKubeconfig(`system:node:${NODE_NAME}`, ['system:nodes']);
  return machineKubeconfig(plane, path);
}

async function prepare(stage: Stage, start: Start): Promise<Machine> {
  const plane = await stage.controlPlane();
  const machine = await stage.machine();
  await machine.write('/var/lib/kubelet/kubeconfig', await joinedKubeconfig(plane));
  const { config, configText, before, containerd } = start;
  await machine.shell(
    'mkdir -p /etc/kubernetes/pki; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null -out /etc/kubernetes/pki/ca.crt -days 365 -subj /CN=kubernetes',
  );
  await prepareKubelet(machine);
  await writeKubeletConfig(machine, config);
  if (configText !== undefined) await machine.write('/var/lib/kubelet/config.yaml', configText);
  if (containerd !== undefined) await startContainerd(machine, containerd, containerd === '');
  if (before !== undefined) await machine.shell(before);
  return machine;
}

async function captureStart(stage: Stage, start: Start): Promise<string> {
  const machine = await prepare(stage, start);
  const { flags = [], starts = 1, limitMs = 8_000, env } = start;
  const texts: string[] = [];
  for (let count = 0; count < starts; count++) {
    const { text } = await machine.run({
      program: partPath('kubelet'),
      args: kubeletArguments(flags).filter((flag) => isLast(flag, flags)),
      limitMs,
      ...(start.until === undefined ? {} : { until: start.until }),
      ...(env === undefined ? {} : { env }),
    });
    texts.push(lastLines(text, start.form === 'raw' ? 400 : 60));
    if (count + 1 < starts) await sleep(1_000);
  }
  return start.form === 'raw'
    ? texts.join('\n')
    : texts.map((text, index) => journal(NODE_NAME, 'kubelet', text, 3011 + 97 * index)).join('\n');
}

/** A flag of the scenario stands in for one of ours. */
function isLast(flag: string, flags: readonly string[]): boolean {
  const name = flag.split('=')[0] ?? '';
  return flags.includes(flag) || !flags.some((other) => other.startsWith(`${name}=`));
}

/** The usage that follows a bad flag is hundreds of lines; the journal shows its end. */
function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

export const KUBELET: readonly Scenario[] = STARTS.map((start) => {
  const { what, broken, cause, expect, instead } = start;
  return {
    cause,
    expect,
    ...(instead === undefined ? {} : { instead }),
    id: `kubelet/${what}`,
    source: `${KUBELET_VERSION}, started with ${broken}`,
    needs: ['kubelet', 'kube-apiserver', 'etcd'],
    system: ['openssl', 'unshare', ...(start.containerd === undefined ? [] : ['containerd'])],
    run: async (stage) => {
      const text = await captureStart(stage, start);
      return [{ name: start.form === 'raw' ? 'kubelet.log' : 'kubelet.journal', text }];
    },
  };
});
