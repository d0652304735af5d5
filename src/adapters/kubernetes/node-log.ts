import type { KubeNodeLog, KubeNodeLogPlace } from '../../ports/kube-api.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';
import type { EndOf } from './end-of.ts';
import type { KubeAnswer } from './sender.ts';
import { shown } from './words.ts';

/** True for a place of which only the end is asked for; kubelets serve files with ranges. */
export function isFile(place: KubeNodeLogPlace): boolean {
  return 'path' in place && place.path !== '' && !place.path.endsWith('/');
}

/** The kubelet refuses in plain text; the API server itself answers with a Status in JSON. */
export function isOfKubelet(status: number, contentType: string): boolean {
  return status >= 400 && contentType.startsWith('text/plain');
}

interface Answered extends Pick<KubeAnswer, 'status' | 'headers'> {
  readonly node: string;
  readonly place: KubeNodeLogPlace;
  readonly end: EndOf;
}

/** What a kubelet answered. @throws PortError */
export function nodeLogOf(answered: Answered): KubeNodeLog {
  const { status, headers, place, end } = answered;
  // An empty file has no end that a range could name.
  if (status === 416) return { bytes: new Uint8Array(), isCut: false };
  if (status >= 400) throw refusedByKubelet(answered);
  // Without NodeLogQuery the question is not understood, and the folder is listed instead.
  if ('unit' in place && /^text\/html\b/.test(String(headers['content-type'] ?? '')))
    throw journalsOff(answered);
  const from = /^bytes (\d+)-/.exec(String(headers['content-range'] ?? ''))?.[1] ?? '0';
  return { bytes: end.bytes(), isCut: end.isCut() || Number(from) > 0 };
}

function journalsOff({ node }: Answered): PortError {
  return new PortError({
    failure: 'unsupported',
    message:
      `The kubelet of ${node} does not serve journals; turn them on in its configuration: ` +
      'enableSystemLogQuery: true (before Kubernetes 1.36 also featureGates: NodeLogQuery: true)',
  });
}

const FAILURES: Readonly<Record<number, PortFailure>> = {
  400: 'invalid',
  404: 'not-found',
  405: 'unsupported',
  406: 'invalid',
  429: 'throttled',
  504: 'timeout',
};

const REMEDIES: Readonly<Record<number, string>> = {
  401: 'it does not know the API server; compare its authentication.x509.clientCAFile with the cluster’s',
  403: 'the API server’s user lacks the ClusterRole system:kubelet-api-admin',
  404: 'list what is there: kubectl get --raw /api/v1/nodes/NODE/proxy/logs/',
  405: 'turn it on in its configuration: enableSystemLogHandler: true, enableDebuggingHandlers: true',
};

function refusedByKubelet({ node, status, end }: Answered): PortError {
  const said = shown(new TextDecoder().decode(end.bytes()).trim());
  const words = said === '' ? '' : ` (${said})`;
  const remedy = REMEDIES[status] ?? 'ask it: kubectl get --raw /api/v1/nodes/NODE/proxy/healthz';
  return new PortError({
    failure: FAILURES[status] ?? 'unavailable',
    message: `The kubelet of ${node} answered get nodes/proxy with HTTP ${status}${words}; ${remedy.replace('NODE', node)}`,
  });
}
