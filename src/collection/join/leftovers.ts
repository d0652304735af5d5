import type { JoinLeftovers, JoinNodeLook } from '../../domain/nodes/join.ts';
import type { Host } from '../../ports/host.ts';
import { PortError } from '../../ports/port-error.ts';
import type { ApiServer } from '../host/kubeconfig.ts';
import type { JoinEndpoint } from './checks.ts';

/** What `kubeadm join` refuses to find (its check `FileAvailable`). */
const KUBEADM_PATHS: readonly string[] = [
  '/etc/kubernetes/kubelet.conf',
  '/etc/kubernetes/bootstrap-kubelet.conf',
  '/etc/kubernetes/pki/ca.crt',
];

export interface LeftoverQuestion {
  readonly host: Host;
  readonly isKubeadm: boolean;
  /** The API server that COMMAND names. */
  readonly endpoint: JoinEndpoint | null;
  /** The one that the kubelet's kubeconfig names. */
  readonly server: ApiServer | null;
  /** The name in the kubelet's certificate; null where it has none. */
  readonly certified: string | null;
  /** All names that this machine goes by. */
  readonly names: readonly string[];
  readonly node: JoinNodeLook;
}

export async function lookAtLeftovers(question: LeftoverQuestion): Promise<JoinLeftovers> {
  const { host, isKubeadm } = question;
  const found = isKubeadm
    ? await Promise.all(KUBEADM_PATHS.map((path) => isThere(host, path)))
    : [];
  return { paths: KUBEADM_PATHS.filter((_, at) => found[at]), foreign: foreignOf(question) };
}

async function isThere(host: Host, path: string): Promise<boolean> {
  try {
    await host.readFile(path, 1);
    return true;
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return error.failure !== 'not-found';
  }
}

function foreignOf(question: LeftoverQuestion): string | null {
  const { endpoint, server, certified, names, node } = question;
  if (endpoint !== null && server !== null && isOther(endpoint, server))
    return `${server.from} is for another API server, ${server.url}, than COMMAND.`;
  if (certified === null) return null;
  const whose = `The disk holds the credentials of Node ${certified}`;
  if (node.state === 'present' && node.node.owner === 'foreign')
    return `${whose}, which belongs to ${node.node.ownerName}: the image was made of a machine that had joined.`;
  if (node.state === 'absent' && !names.includes(certified))
    return `${whose}, which is gone; this machine is called ${names.join(', ')}.`;
  return null;
}

/** An address and a name may be the same server; two names or two addresses are not. */
function isOther(one: JoinEndpoint, { name, port }: ApiServer): boolean {
  if (one.port !== port) return true;
  return isAddress(one.host) === isAddress(name) && one.host.toLowerCase() !== name.toLowerCase();
}

function isAddress(text: string): boolean {
  return /^[\d.]+$/.test(text) || text.includes(':');
}
