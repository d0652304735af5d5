import { isoMs, type Timed } from '../../../evidence/time.ts';
import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { podName } from '../../../domain/pods/pods.ts';
import { readySinceMs } from '../../../domain/nodes/ready-node.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

/** The stamp of deletion already counts the grace period; ten minutes more are no ordinary end. */
const OVERDUE_MS = 600_000;

/** A kubelet that has come back ends what it finds within the grace period of 30 s, as a rule. */
const BACK_MS = 120_000;

/** Containers on the node do not end, so pods stay Terminating and hold what they have. */
const cause = defineCause({
  id: 'pods-stuck-terminating',
  stage: 'usable',
  title: 'pods on the node do not end',
  scope: 'machine',
  signs: {
    monitored: likely(
      ['event', 'node-status'],
      /\bPodStuckTerminating\b(?:.*pod\/(?<pod>[\w.-]+))?/,
    ),
    killFailed: likely(
      ['event', 'kubelet'],
      /(?:FailedKillPod|error killing pod)(?!.*(?:aws-cni|DelNetwork|CNI|cni plugin|network for sandbox)).{0,400}(?<reason>KillContainer|KillPodSandbox|failed to "[A-Z]\w+)/,
      { atLeast: 4 },
    ),
    stopTimedOut: likely(
      ['kubelet'],
      /"Container termination failed with gracePeriod" err="rpc error: code = (?<reason>DeadlineExceeded)\b.{0,200}\bpod="(?<pod>[^"]{1,320})"/,
      {
        anchors: ['Container termination failed with gracePeriod'],
        atLeast: 6,
        enoughOnce: 'alone',
      },
    ),
    killTimedOut: context(
      ['event', 'kubelet'],
      /KillContainerError: \\?"rpc error: code = DeadlineExceeded\b/,
    ),
    // A process that waits for a disk or a file server takes no signal.
    processWaits: context(
      ['client-output', 'unknown'],
      /^\s*(?:\S{1,32}\s+)?\d{1,7}\s(?:.{0,60}\s)?D[sl<+N]{0,4}\s+(?:rpc_wait_bit_\w{1,20}|nfs_wait\w{1,30}|io_schedule\w{0,20}|request_wait_answer|wait_on_page\w{0,20}|cifs_wait\w{1,30})\s+\S/,
      {
        anchors: [
          'rpc_wait_bit_',
          'nfs_wait',
          'io_schedule',
          'request_wait_answer',
          'wait_on_page',
          'cifs_wait',
        ],
      },
    ),
    notExited: context(['kubelet'], /Pod still has one or more containers in the non-exited state/),
    drainWaits: context(
      ['event', 'karpenter'],
      /Failed to drain node, \d+ pods are waiting to be evicted|Awaiting deletion of bound volumeattachments/,
    ),
    drainGaveUp: likely(
      ['client-output', 'pod-app', 'terraform'],
      /error when waiting for pod "(?<pod>[\w.-]{1,253})"(?: in namespace "[\w-]{1,63}")? (?:to terminate|terminating): global timeout reached/,
    ),
    drainOverdue: likely(
      ['pod-app', 'object'],
      /node (?<drained>[\w.-]{1,253}): drain exceeded timeout: |failed to drain node: ?(?<drained2>[\w.-]{1,253}) after \d+ hours?/,
    ),
  },
  needs: ['kube/Node', 'kube/Pod'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, instance, machine, pod }) =>
    `${pod === undefined ? 'Pods' : `The pod ${pod}`} on ${node ?? instance ?? machine ?? 'the node'} cannot be ended, so what ${pod === undefined ? 'they hold' : 'it holds'} there is not freed and drains do not finish.`,
  remedy: () => [
    step(
      'See which container does not end, and what it waits for: often a mount of a file server that is gone.',
      'sudo crictl ps -a; ps -eo pid,stat,wchan:32,cmd | grep " D"',
    ),
    step(
      'Remove the pod’s object only when its containers are gone.',
      'kubectl -n <namespace> delete pod <pod> --grace-period=0 --force',
    ),
  ],
  decide: step(
    'Read why pods could not be ended.',
    'kubectl get events -A --field-selector reason=FailedKillPod',
  ),
  page: {
    why: 'A process in uninterruptible sleep cannot be killed, a runtime that hangs does not answer, a volume that is gone is not unmounted.',
    prevent: 'Mount network file systems soft, keep AMIs current.',
    notThis:
      'A sandbox that cannot be torn down by the CNI has a cause in the network stage. A runtime that hangs altogether is hanging-container-runtime. A pod whose finalizers nobody removes does not concern the node.',
    alsoKnownAs: ['pod stuck Terminating', 'FailedKillPod'],
    refs: ['https://github.com/aws/eks-node-monitoring-agent/blob/HEAD/monitors/runtime'],
  },
});

export default matched(cause, (view) => matchOverdue(view) ?? matchUnkillable(view));

type Own = ViewOf<typeof cause>;

/** Pods on a Ready node whose time to end is long over, and which no finalizer holds. */
function matchOverdue(view: Own): Match | null {
  const node = view.read('kube/Node');
  if (node.state !== 'seen' || node.value.ready !== true) return null;
  const overdue = view
    .list('kube/Pod')
    .filter((pod) => isOverdue(pod.value, node.value.name, view));
  const [first] = overdue;
  if (first === undefined || (view.nowMs ?? 0) - (readySinceMs(node.value) ?? 0) < BACK_MS)
    return null;
  const details = { pod: podName(first.value), node: node.value.name };
  return found(
    { ...details, others: String(overdue.length - 1) },
    overdue.slice(0, 3).map((pod) => view.quote(pod, wordsOf(pod))),
  );
}

/** A container that is not ended in time, and a process that takes no signal. */
function matchUnkillable(view: Own): Match | null {
  const late = view.sign('killTimedOut') ?? view.clusterSign('killTimedOut');
  const waits = view.sign('processWaits') ?? view.clusterSign('processWaits');
  return late === null || waits === null ? null : found({}, [late.last, waits.last], 'likely');
}

function isOverdue(object: Pod, node: string, time: Timed): boolean {
  const endMs = isoMs(object.metadata?.deletionTimestamp);
  const isHeld = (object.metadata?.finalizers ?? []).length > 0;
  const isHere = object.spec?.nodeName === node;
  if (!isHere || isHeld || endMs === null) return false;
  return time.nowMs !== null && time.nowMs - endMs > OVERDUE_MS;
}

function wordsOf({ value }: Seen<Pod>): string {
  const end = value.metadata?.deletionTimestamp ?? '';
  return `Pod ${podName(value)} deletionTimestamp ${end}, no finalizers, containers still there`;
}
