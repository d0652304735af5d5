import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { silentSinceMs } from '../../../domain/nodes/fleet.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import { isoMs, isoTime } from '../../../evidence/time.ts';

/** A kubelet is called silent about a minute after its last words; starving takes some more. */
const SILENCED_MS = 600_000;

/** The machine itself, not one container, has run out of memory or of process ids. */
const cause = defineCause({
  id: 'memory-or-pid-pressure',
  stage: 'usable',
  title: 'the node has run out of memory or process ids',
  scope: 'machine',
  signs: {
    condition: definite(
      ['node-status'],
      /^Node (?<node>\S+) condition (?<what>Memory|PID)Pressure=True/,
      { strict: true },
    ),
    pressure: definite(
      ['event', 'kubelet'],
      /Node (?<node>[\w.-]+) status is now: NodeHasInsufficient(?<what>Memory|PID)/,
    ),
    reclaiming: likely(
      ['kubelet', 'event'],
      /[Aa]ttempting to reclaim"? (?:resourceName=)?"?(?<what>memory|pids)\b/,
    ),
    evicted: likely(
      ['event', 'pod-status'],
      /The node was low on resource: (?<what>memory|pids)\b|The node had condition: \[[\w, ]{0,60}(?<what2>Memory|PID)Pressure/,
      { atLeast: 2, enoughOnce: 'alone' },
    ),
    daemonKilled: definite(
      ['kernel', 'journal', 'console'],
      /Out of memory: Kill(?:ed)? process \d+ \((?<daemon>kubelet|containerd|dockerd|aws-k8s-agent|systemd-journal|crio)/,
    ),
    noFork: likely(
      ['kubelet', 'containerd', 'event', 'journal', 'node-status'],
      /(?:fork\/exec|pthread_create).*(?<fork>[Rr]esource temporarily unavailable)|(?<fork2>ForkFailedOutOfPIDs)/,
    ),
    // A program in Go that gets no further thread ends with this.
    noThread: likely(
      [
        'aws-node',
        'ipamd',
        'kubelet',
        'containerd',
        'kube-proxy',
        'csi-driver',
        'pod-app',
        'journal',
      ],
      /runtime: failed to create new OS thread \(have \d{1,6} already; (?<fork>errno=11)\)/,
    ),
    daemonVictim: likely(
      ['event'],
      /System OOM encountered, victim process: (?<daemon>kubelet|containerd|dockerd|aws-k8s-agent|crio)\b/,
    ),
    told: likely(
      ['event', 'client-output'],
      /\bMemoryPressure\b.{0,80}\b[Nn]ode (?:is )?experiencing (?<what>memory) pressure/,
    ),
    toldMemory: likely(
      ['client-output', 'unknown'],
      /\b(?:applications?|apps?|pods?|containers?|workloads?|processes)\b.{0,60}\b(?:consum(?:es?|ed|ing)|us(?:es?|ed|ing)|tak(?:es?|ing)|took|eats?|eating|exhausts?|exhausted|allocat(?:es?|ed)) (?:too much|all(?: of)?(?: the)?|(?:the|a node's) whole|up all) ?(?:node )?(?<what>memory)\b.{0,80}\b[Nn]odes?\b.{0,80}\b(?:los(?:es?|ing|t) readiness|NotReady|not ready|unresponsive|inoperable|unreachable|dies?|died|hangs?|freezes?|froze)\b|\b[Nn]odes?\b.{0,40}\b(?:NotReady|not ready|unresponsive|unreachable|dies?|died|hangs?|freezes?)\b.{0,60}\b(?:high|under|of|extreme) (?<what2>memory) (?:pressure|usage|load)\b/,
      { isTold: true, anchors: ['memory'] },
    ),
    systemOom: context(
      ['event'],
      /System OOM encountered(?:, victim process: (?<victim>[\w.:/-]+))?/,
    ),
    silenced: context(
      ['node-status', 'object', 'client-output', 'event'],
      /\bReady\s{1,40}Unknown\b.*Kubelet stopped posting node status/,
    ),
    relieved: withdraws(
      ['event', 'kubelet', 'node-status'],
      /status is now: NodeHasSufficient(?:Memory|PID)/,
    ),
    nearLimit: context(
      ['event', 'node-status'],
      /\b(?:ApproachingKernelPidMax|ApproachingMaxOpenFiles|ExcessiveZombieProcesses|ZramHighUsage)\b/,
    ),
    listed: likely(
      ['client-output', 'unknown'],
      /^\s*(?<node>[a-z0-9][\w.-]{1,252}):? {0,4}\s?(?<what>Memory|PID)Pressure[:=] ?True\b/,
    ),
    // A row of `kubectl describe` without the rest of its table.
    conditionRow: likely(
      ['client-output', 'unknown', 'node-status'],
      /^\s*(?<what>Memory|PID)Pressure\s+True\s.*KubeletHasInsufficient(?:Memory|PID)/,
    ),
    // The scheduler passes over nodes with the taint that the condition brings.
    passedOver: context(
      ['event', 'pod-status', 'client-output'],
      /nodes are available: .{0,600}(?:untolerated taint|had taints?) \{node\.kubernetes\.io\/(?:memory|pid)-pressure/,
      { anchors: ['node.kubernetes.io/memory-pressure', 'node.kubernetes.io/pid-pressure'] },
    ),
  },
  needs: ['kube/Node'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['node-heartbeat-lost'],
  summary: ({ node, instance, machine, what, daemon, fork, victim, killedAt }) =>
    killedAt !== undefined
      ? `${node ?? instance ?? machine ?? 'The node'} ran out of memory: at ${killedAt} its kernel killed ${victim ?? 'a process'} to get some back, and soon after its kubelet stopped reporting.`
      : `${node ?? instance ?? machine ?? 'The node'} has run out of ${what === 'PID' || what === 'pids' || fork !== undefined ? 'process ids' : 'memory'}, so ${daemon === undefined ? 'pods there are evicted or do not start' : `the kernel killed ${daemon}`}.`,
  remedy: () => [
    step('See who uses it.', 'kubectl top pods -A --sort-by=memory; kubectl describe node <node>'),
    step(
      'Reserve memory for the system: kubeReserved and systemReserved must be set where the user data sets maxPods itself.',
      'kubectl get --raw /api/v1/nodes/<node>/proxy/configz',
    ),
    step(
      'Give workloads memory limits, bound process ids by podPidsLimit, or take a larger type.',
      'cat /proc/sys/kernel/pid_max; ps -eLf | wc -l',
    ),
  ],
  decide: step('Read the node’s conditions.', 'kubectl describe node <node>'),
  page: {
    why: 'Pods without limits use more than they requested, and a kubelet without reservations gives all memory of the machine to pods, its own included.',
    prevent: 'Set limits; let nodeadm compute the reservations.',
    notThis:
      '“Memory cgroup out of memory” and OOMKilled are one container’s own limit. Disk is node-disk-full. A kubelet that falls silent with no System OOM before is node-heartbeat-lost.',
    alsoKnownAs: [
      'MemoryPressure',
      'PIDPressure',
      'The node was low on resource: memory',
      'System OOM encountered, victim process',
    ],
    refs: [
      'https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/',
      'https://github.com/aws/eks-node-monitoring-agent/blob/HEAD/monitors/kernel',
    ],
  },
});

export default matched(cause, (view) => matchSilenced(view) ?? matchPresent(view));

type Own = ViewOf<typeof cause>;

/** The Node's conditions are of now; events of a pressure that is over prove nothing. */
function matchPresent(view: Own): Match | null {
  const node = view.read('kube/Node');
  if (!view.isLive || node.state !== 'seen' || node.value.ready !== true) return null;
  const isPressed = node.value.conditions.some(
    ({ type, status }) => /^(?:Memory|PID)Pressure$/.test(type) && status === 'True',
  );
  const isKilled = view.sign('daemonKilled') !== null || view.sign('noFork') !== null;
  return isPressed || isKilled ? null : clear;
}

/** The kernel killed for want of memory, and minutes later the control plane heard nothing more. */
function matchSilenced(view: Own): Match | null {
  const killed = view.sign('systemOom')?.last;
  const killedAt = isoTime(killed?.moment.when ?? null);
  if (killed === undefined) return null;
  if (killedAt === null || view.list('kube/Node').length === 0) return matchDescribed(view, killed);
  const killedMs = isoMs(killedAt) ?? 0;
  for (const node of view.list('kube/Node')) {
    const ready = node.value.conditions.find(({ type }) => type === 'Ready');
    const sinceMs = (ready?.changedMs ?? 0) - killedMs;
    if (ready?.status !== 'Unknown' || sinceMs < 0 || sinceMs > SILENCED_MS) continue;
    const words = `Node ${node.value.name} condition Ready=Unknown ${ready.reason} ${ready.message}`;
    return found({ ...killed.captures, killedAt }, [killed, view.quote(node, words)], 'likely');
  }
  return null;
}

/** `kubectl describe` gives the ages of events, of the last hour, beside the conditions of now. */
function matchDescribed(view: Own, killed: Quote): Match | null {
  const details = { what: 'Memory', ...killed.captures };
  const silenced = view.sign('silenced') ?? view.clusterSign('silenced');
  if (silenced !== null) return found(details, [killed, silenced.last], 'likely');
  const node = view.list('kube/Node').find(({ value }) => silentSinceMs(value) !== null);
  if (node === undefined) return null;
  const words = `Node ${node.value.name} condition Ready=Unknown NodeStatusUnknown`;
  return found(details, [killed, view.quote(node, words)], 'likely');
}
