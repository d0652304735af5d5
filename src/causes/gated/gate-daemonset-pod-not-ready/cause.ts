import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { KubeNode, KubeTaint } from '../../../evidence/kinds.ts';
import { podCondition } from '../../../domain/pods/pods.ts';
import { isoMs } from '../../../evidence/time.ts';
import { readyForMs } from '../../../domain/nodes/ready-node.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

const PREFIX = 'nidhogg.uswitch.com';
const READY_FOR_MS = 180_000;
const STUCK =
  /^(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull|InvalidImageName|CreateContainerConfigError|CreateContainerError|RunContainerError)$/;

/** The gate waits for a DaemonSet's pod; the pod is on the node and does not become Ready. */
const cause = defineCause({
  id: 'gate-daemonset-pod-not-ready',
  stage: 'gated',
  title: 'the DaemonSet pod that a gate waits for does not become Ready',
  scope: 'machine',
  signs: {
    probeFailed: context(
      ['event'],
      /\bpod\/(?<pod>[\w.-]{1,253}) (?<told>Readiness probe failed: .*|Back-off restarting failed .*)/,
    ),
    podFailed: context(['event'], /\bFailedDaemonPod\b/),
    gateShut: context(
      ['client-output', 'node-status', 'unknown'],
      /\bnidhogg\.uswitch\.com\/(?<namespace>[a-z0-9-]{1,63})\.(?<set>[a-z0-9-]{1,63})(?:=\w{0,10})?:No(?:Schedule|Execute)\b/,
      { anchors: ['nidhogg.uswitch.com/'] },
    ),
    podRow: context(
      ['client-output', 'pod-status', 'unknown'],
      /^(?:[a-z0-9-]{1,63}\s{1,40})?(?:pod\/)?(?<pod>[a-z0-9-]{1,63}-[a-z0-9]{5})\s{1,40}\d\/\d\s{1,20}(?<state>CrashLoopBackOff|ImagePullBackOff|ErrImagePull|InvalidImageName|CreateContainerConfigError|CreateContainerError|RunContainerError)\b/,
      {
        anchors: [
          'BackOff',
          'ErrImagePull',
          'InvalidImageName',
          'ContainerConfigError',
          'ContainerError',
        ],
      },
    ),
  },
  needs: ['kube/Node', 'kube/Pod'],
  symptoms: ['pod-not-scheduled'],
  explains: ['startup-taint-not-removed'],
  summary: ({ machine, pod, why, taint }) =>
    sentence`The node ${machine} stays shut by ${taint ?? 'its gate taint'} because ${pod ?? 'the gated pod'} is not Ready (${why ?? 'no reason given'}).`,
  remedy: ({ pod, namespace }) => [
    step(
      'Read why the pod is not Ready.',
      `kubectl -n ${namespace ?? '<namespace>'} describe pod ${pod ?? '<pod>'}; kubectl -n ${namespace ?? '<namespace>'} logs ${pod ?? '<pod>'} --all-containers --tail=100`,
    ),
    step(
      'If it waits for room, give the DaemonSet the priority that lets it push others out.',
      `kubectl -n ${namespace ?? '<namespace>'} patch daemonset <name> -p '{"spec":{"template":{"spec":{"priorityClassName":"system-node-critical"}}}}'`,
    ),
  ],
  decide: step(
    'List the pods of the node that are not Ready, beside its taints.',
    'kubectl get node <node> -o json; kubectl get pods -A --field-selector spec.nodeName=<node> -o json',
  ),
  page: {
    why: 'The gate does what it is for: a node agent does not work, so workloads are held back. What is wrong is with that pod: image, crash, probe, room.',
    prevent: 'Priority system-node-critical, pinned images, readiness probes that say why.',
    notThis:
      'No pod at all is gate-daemonset-pod-absent. When a cause of a lower stage is found on the same node, it explains this one.',
    refs: [
      'https://github.com/pelotech/nidhogg',
      'https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/',
    ],
  },
});

export default matched(cause, matchNode);

type Own = ViewOf<typeof cause>;

function matchNode(view: Own): Match | null {
  const node = view.read('kube/Node');
  if (node.state !== 'seen') return matchRows(view);
  const gates = (node.value.taints ?? []).map(gateOf).filter((gate) => gate !== '');
  const pods = view
    .list('kube/Pod')
    .filter(({ value }) => value.spec?.nodeName === node.value.name);
  for (const gate of gates) {
    const pod = pods.find(({ value }) => isPodOf(value, gate) && !isReady(value));
    const why = pod === undefined ? null : reasonOf(pod.value, node.value, view.nowMs);
    if (pod === undefined || why === null) continue;
    const details = {
      pod: pod.value.name,
      namespace: pod.value.namespace ?? '',
      why,
      taint: `${PREFIX}/${gate}`,
    };
    const event = view.sign('probeFailed');
    const told = event?.last.captures['pod'] === pod.value.name ? [event.last] : [];
    return found(
      details,
      [
        view.quote(node, `Node ${node.value.name} taint ${PREFIX}/${gate}`),
        view.quote(pod, `Pod ${pod.value.name} not Ready: ${why}`),
        ...told,
      ],
      !view.isLive ? 'likely' : 'definite',
    );
  }
  const ready = readyForMs(node.value);
  return gates.length > 0 && ready > 0 && ready < READY_FOR_MS
    ? clear
    : (matchRowOf(view, node, gates) ?? matchRows(view));
}

/** The taints of one Node, and a row of the pod there that one of them waits for. */
function matchRowOf(view: Own, node: Seen<KubeNode>, gates: readonly string[]): Match | null {
  const { name } = node.value;
  const rows = (view.sign('podRow') ?? view.clusterSign('podRow'))?.quotes ?? [];
  if (rows.length === 0) return null;
  const isOnly = view.everywhere('kube/Node').length === 1;
  for (const gate of gates) {
    const [namespace = '', set = ''] = gate.split('.', 2);
    const row = rows.find(
      ({ captures, excerpt }) =>
        captures['pod']?.slice(0, -6) === set && (isOnly || excerpt.includes(name)),
    );
    if (row === undefined) continue;
    const { pod = '', state = '' } = row.captures;
    const taint = `${PREFIX}/${gate}`;
    const proof = [view.quote(node, `Node ${name} taint ${taint}`), row];
    return found({ pod, namespace, why: state, taint }, proof, 'likely');
  }
  return null;
}

/** The taint as a description or a template prints it, and a row of the pod that it waits for. */
function matchRows(view: Own): Match | null {
  const shut = view.sign('gateShut') ?? view.clusterSign('gateShut');
  const rows = (view.sign('podRow') ?? view.clusterSign('podRow'))?.quotes ?? [];
  for (const gate of shut?.quotes ?? []) {
    const { namespace = '', set = '' } = gate.captures;
    const row = rows.find(({ captures }) => captures['pod']?.slice(0, -6) === set);
    if (row === undefined) continue;
    const { pod = '', state = '' } = row.captures;
    const taint = `${PREFIX}/${namespace}.${set}`;
    return found({ pod, namespace, why: state, taint }, [gate, row], 'likely');
  }
  return null;
}

/** `<namespace>.<daemonset>`, which older releases put into the taint's value. */
function gateOf({ key, value }: KubeTaint): string {
  return key.startsWith(`${PREFIX}/`) ? key.slice(PREFIX.length + 1) : key === PREFIX ? value : '';
}

function isPodOf(pod: Pod, gate: string): boolean {
  return (pod.metadata?.ownerReferences ?? []).some(
    (owner) => `${pod.namespace ?? ''}.${owner.name ?? ''}` === gate,
  );
}

function isReady(pod: Pod): boolean {
  return (pod.status?.conditions ?? []).some(
    (entry) => entry.type === 'Ready' && entry.status === 'True',
  );
}

/** A pod that cannot start counts at once, one that merely starts only after minutes. */
function reasonOf(pod: Pod, node: KubeNode, nowMs: number | null): string | null {
  const { initContainerStatuses, containerStatuses } = pod.status ?? {};
  const waiting = [...(initContainerStatuses ?? []), ...(containerStatuses ?? [])]
    .map(({ state }) => state?.waiting?.reason ?? '')
    .find((reason) => STUCK.test(reason));
  if (waiting !== undefined) return waiting;
  if (nowMs !== null) return unreadyFor(pod, nowMs);
  return readyForMs(node) >= READY_FOR_MS ? 'it did not pass its readiness probe in minutes' : null;
}

/** Since when the pod itself is not Ready, which a rolling update makes again. */
function unreadyFor(pod: Pod, nowMs: number): string | null {
  const since = podCondition(pod, 'Ready', 'lastTransitionTime') ?? '';
  const sinceMs = isoMs(since);
  return sinceMs !== null && nowMs - sinceMs >= READY_FOR_MS
    ? `it runs and has not passed its readiness probe since ${since}`
    : null;
}
