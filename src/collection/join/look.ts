import type { JoinNodeLook, JoinSeen, JoinWants } from '../../domain/nodes/join.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Host } from '../../ports/host.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import { certificateIn, CLIENT_CERTIFICATE } from '../host/certificate.ts';
import { serverIn } from '../host/kubeconfig.ts';
import { shortText } from '../host/machine.ts';
import { lookAtChecks, type JoinEndpoint } from './checks.ts';
import { lookAtCloud } from './cloud.ts';
import { lookAtLeftovers } from './leftovers.ts';
import type { JoinMachine } from './machine.ts';
import { lookAtNode } from './node.ts';

export interface JoinLookTools {
  readonly host: Host;
  readonly clock: Clock;
  /** By the kubelet's credentials. */
  readonly kube: (kubeconfig: string) => Promise<KubeApi>;
  /** null where EC2 is not asked. */
  readonly aws: (() => Promise<AwsApi>) | null;
  readonly isCommandRunning: () => Promise<boolean>;
  readonly machine: JoinMachine;
  /** Where COMMAND looks for the API server; null where it does not say. */
  readonly endpoint: JoinEndpoint | null;
  readonly isKubeadm: boolean;
  /** The kubelet's; the usual places where it is null. */
  readonly kubeconfig: string | null;
  /** The Node's name where the user gave it. */
  readonly nodeName: string | null;
  readonly cluster: string | null;
  readonly unit: string;
}

const KUBECONFIGS: readonly string[] = [
  '/etc/kubernetes/kubelet.conf',
  '/var/lib/kubelet/kubeconfig',
  '/etc/kubernetes/kubeconfig',
];
const BYTES_MAX = 256 * 1024;
const CALL_MS = 5000;

/** One look at all that a join depends on. */
export async function lookAtJoin(tools: JoinLookTools, wants: JoinWants): Promise<JoinSeen> {
  const { host, clock } = tools;
  const cloud = wants.cloud ? await cloudOf(tools) : null;
  const certified = await certifiedName(host);
  const names = namesOf(tools);
  const kubeconfig = await kubeconfigOf(tools);
  const node = await nodeOf(tools, kubeconfig, certified === null ? names : [certified]);
  const leftovers = await lookAtLeftovers({
    host,
    isKubeadm: tools.isKubeadm,
    endpoint: tools.endpoint,
    server: kubeconfig === null ? null : await serverIn(host, kubeconfig.path, kubeconfig.text),
    certified,
    names,
    node,
  });
  return {
    node,
    cloud,
    leftovers,
    kubelet: await kubeletOf(tools),
    checks: wants.checks ? await lookAtChecks(host, tools.endpoint, cloud) : [],
    isCommandRunning: await tools.isCommandRunning(),
    atMs: clock.monotonicMs(),
  };
}

async function cloudOf({ aws, machine, cluster }: JoinLookTools): Promise<JoinSeen['cloud']> {
  const { instanceId } = machine;
  if (aws === null) return { state: 'unknown', message: 'EC2 is not asked.' };
  if (instanceId === null)
    return { state: 'unknown', message: 'The instance id is unknown; give it: --instance ID' };
  return lookAtCloud(await aws(), instanceId, cluster);
}

/** The Node that the kubelet is known as: the common name of its certificate. */
async function certifiedName(host: Host): Promise<string | null> {
  const pem = await shortText(host, CLIENT_CERTIFICATE, BYTES_MAX);
  const subject = pem === null ? '' : (certificateIn(pem)?.subject ?? '');
  return /^CN=system:node:(\S+)$/m.exec(subject)?.[1] ?? null;
}

/** What the machine is called beside its certificate; a kubelet writes its name in small letters. */
function namesOf({ nodeName, machine, host }: JoinLookTools): readonly string[] {
  const { localHostname, instanceId } = machine;
  const known = [host.hostname(), ...(localHostname?.split(' ') ?? []), instanceId ?? ''];
  const names = nodeName === null ? known : [nodeName];
  return [...new Set(names.filter((name) => name !== '').map((name) => name.toLowerCase()))];
}

interface Kubeconfig {
  readonly path: string;
  readonly text: string;
}

async function kubeconfigOf({ host, kubeconfig }: JoinLookTools): Promise<Kubeconfig | null> {
  for (const path of kubeconfig === null ? KUBECONFIGS : [kubeconfig]) {
    const text = await shortText(host, path, BYTES_MAX);
    if (text !== null && text !== '') return { path, text };
  }
  return null;
}

async function nodeOf(
  tools: JoinLookTools,
  kubeconfig: Kubeconfig | null,
  names: readonly string[],
): Promise<JoinNodeLook> {
  const { host, machine, kube } = tools;
  const missing =
    kubeconfig === null ? 'There is no kubeconfig of a kubelet.' : await lacking(host, kubeconfig);
  if (kubeconfig === null || missing !== null)
    return { state: 'unknown', why: 'no-credentials', message: missing ?? '' };
  try {
    return await lookAtNode(await kube(kubeconfig.path), names, machine);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return { state: 'unknown', why: 'no-answer', message: error.message };
  }
}

/** kubeadm writes the kubeconfig before the certificate that it names is there. */
async function lacking(host: Host, { path, text }: Kubeconfig): Promise<string | null> {
  const named = /^\s*client-certificate:\s*["']?(\/[^\s"']+)/m.exec(text)?.[1];
  if (named === undefined) return null;
  const pem = await shortText(host, named, BYTES_MAX);
  const isThere = pem !== null && certificateIn(pem) !== null;
  return isThere ? null : `${path} names ${named}, which holds no certificate yet.`;
}

const HEALTH = 'http://127.0.0.1:10248/healthz';

/** By its service manager; where there is none, by the port on which it tells its health. */
async function kubeletOf({ host, unit }: JoinLookTools): Promise<JoinSeen['kubelet']> {
  try {
    const argv = ['systemctl', 'is-active', unit];
    const { exitCode } = await host.run(argv, { timeoutMs: CALL_MS, bytesMax: 1024 });
    return exitCode === 0 ? 'running' : 'stopped';
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return kubeletByPort(host);
  }
}

async function kubeletByPort(host: Host): Promise<JoinSeen['kubelet']> {
  try {
    await host.request({ url: HEALTH, timeoutMs: CALL_MS, bytesMax: 1024 });
    return 'running';
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return error.failure === 'unreachable' ? 'stopped' : 'unknown';
  }
}
