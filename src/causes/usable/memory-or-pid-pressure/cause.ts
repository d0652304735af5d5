import { clear, defineCause, type Match, type View } from '../../../diagnosis/cause.ts';

/** The machine itself, not one container, has run out of memory or of process ids. */
export default defineCause({
  id: 'memory-or-pid-pressure',
  stage: 'usable',
  title: 'the node has run out of memory or process ids',
  scope: 'machine',
  signs: {
    condition: {
      in: ['node-status'],
      anchors: ['condition MemoryPressure=True', 'condition PIDPressure=True'],
      pattern: /^Node (?<node>\S+) condition (?<what>Memory|PID)Pressure=True/,
      weight: 'definite',
      strict: true,
    },
    pressure: {
      in: ['event', 'kubelet'],
      anchors: ['NodeHasInsufficientMemory', 'NodeHasInsufficientPID'],
      pattern: /Node (?<node>[\w.-]+) status is now: NodeHasInsufficient(?<what>Memory|PID)/,
      weight: 'definite',
    },
    reclaiming: {
      in: ['kubelet', 'event'],
      anchors: ['ttempting to reclaim'],
      pattern: /[Aa]ttempting to reclaim"? (?:resourceName=)?"?(?<what>memory|pids)\b/,
      weight: 'likely',
    },
    evicted: {
      in: ['event', 'pod-status'],
      anchors: ['The node was low on resource: '],
      pattern: /The node was low on resource: (?<what>memory|pids)\b/,
      weight: 'likely',
      atLeast: 2,
    },
    daemonKilled: {
      in: ['kernel', 'journal', 'console'],
      anchors: ['Out of memory: Kill'],
      pattern:
        /Out of memory: Kill(?:ed)? process \d+ \((?<daemon>kubelet|containerd|dockerd|aws-k8s-agent|systemd-journal|crio)/,
      weight: 'definite',
    },
    noFork: {
      in: ['kubelet', 'containerd', 'event', 'journal'],
      anchors: ['resource temporarily unavailable', 'ForkFailedOutOfPIDs'],
      pattern:
        /(?:fork\/exec|pthread_create).*(?<fork>resource temporarily unavailable)|(?<fork2>ForkFailedOutOfPIDs)/,
      weight: 'likely',
    },
    relieved: {
      in: ['event', 'kubelet', 'node-status'],
      anchors: ['NodeHasSufficientMemory', 'NodeHasSufficientPID'],
      pattern: /status is now: NodeHasSufficient(?:Memory|PID)/,
      weight: 'withdraws',
    },
  },
  needs: ['kube/Node'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  match: (view) => matchPresent(view),
  summary: ({ node, instance, machine, what, daemon, fork }) =>
    `${node ?? instance ?? machine ?? 'The node'} has run out of ${what === 'PID' || what === 'pids' || fork !== undefined ? 'process ids' : 'memory'}, so ${daemon === undefined ? 'pods there are evicted or do not start' : `the kernel killed ${daemon}`}.`,
  remedy: () => [
    {
      text: 'See who uses it.',
      command: 'kubectl top pods -A --sort-by=memory; kubectl describe node <node>',
    },
    {
      text: 'Reserve memory for the system: kubeReserved and systemReserved must be set where the user data sets maxPods itself.',
      command: 'kubectl get --raw /api/v1/nodes/<node>/proxy/configz',
    },
    {
      text: 'Give workloads memory limits, bound process ids by podPidsLimit, or take a larger type.',
      command: 'cat /proc/sys/kernel/pid_max; ps -eLf | wc -l',
    },
  ],
  decide: { text: 'Read the node’s conditions.', command: 'kubectl describe node <node>' },
  page: {
    why: 'Pods without limits use more than they requested, and a kubelet without reservations gives all memory of the machine to pods, its own included.',
    prevent: 'Set limits; let nodeadm compute the reservations.',
    notThis:
      '“Memory cgroup out of memory” and OOMKilled are one container’s own limit. Disk is node-disk-full.',
    alsoKnownAs: ['MemoryPressure', 'PIDPressure', 'The node was low on resource: memory'],
    refs: [
      'https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/',
      'https://github.com/aws/eks-node-monitoring-agent/blob/HEAD/monitors/kernel',
    ],
  },
});

/** The Node's conditions are of now; events of a pressure that is over prove nothing. */
function matchPresent(
  view: View<'kube/Node', 'condition' | 'daemonKilled' | 'noFork'>,
): Match | null {
  const node = view.read('kube/Node');
  if (view.nowMs === null || node.state !== 'seen' || node.value.ready !== true) return null;
  const isPressed = node.value.conditions.some(
    ({ type, status }) => /^(?:Memory|PID)Pressure$/.test(type) && status === 'True',
  );
  const isKilled = view.sign('daemonKilled') !== null || view.sign('noFork') !== null;
  return isPressed || isKilled ? null : clear;
}
