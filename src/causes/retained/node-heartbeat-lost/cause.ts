import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import {
  cannotSay,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { silentSinceMs } from '../../../domain/nodes/fleet.ts';
import { isoMs } from '../../../evidence/time.ts';
import type { Lease } from '../../../evidence/kube/machines.ts';

/** After so long without a renewal the control plane calls a Node Unknown. */
const GRACE_MS = 40_000;

/** Nodes that fell silent within so long of each other did so together. */
const TOGETHER_MS = 15 * 60_000;

/** The control plane hears nothing from a kubelet that used to report. */
const cause = defineCause({
  id: 'node-heartbeat-lost',
  stage: 'retained',
  title: 'the kubelet stopped reporting: dead, starved or cut off',
  scope: 'machine',
  signs: {
    unknownCondition: likely(
      ['node-status'],
      /^Node (?<node>\S+) condition Ready=Unknown NodeStatusUnknown/,
      { strict: true },
    ),
    pastedCondition: likely(
      ['node-status', 'object', 'client-output', 'kubelet', 'event', 'controller-manager'],
      // A controller that quotes it names the Node before it.
      /^(?!.*Last Ready is: ).*Kubelet stopped posting node status/,
      { anchors: ['Kubelet stopped posting node status'] },
    ),
    leaseTimesOut: context(
      ['kubelet'],
      /[Ff]ailed to (?:ensure (?:node )?lease exists|update (?:node )?lease).{0,400}(?:Client\.Timeout exceeded|context deadline exceeded|i\/o timeout|http2: client connection lost)/,
      { anchors: ['ailed to ensure ', 'ailed to update '] },
    ),
    toldOfSilence: context(
      ['client-output'],
      /\b[Nn]odes?\b.{0,60}\b(?:NotReady|not ready|Unknown)\b/,
      { isTold: true, isBackground: true, anchors: ['NotReady', 'not ready', 'Unknown'] },
    ),
    plegStuck: context(['kubelet'], /PLEG is not healthy: pleg was last seen active/),
    starved: context(
      ['kubelet', 'controller-manager'],
      /Do not notify watchdog this iteration as the kubelet is reportedly not healthy|Failed to taint NoSchedule on node/,
    ),
  },
  needs: ['kube/Node', 'kube/Lease', 'aws/instance-status'],
  symptoms: ['node-not-ready'],
  summary: ({ node, machine, renewed }) =>
    `The kubelet of ${node ?? machine ?? 'the Node'} stopped reporting${renewed === undefined ? ' (Ready=Unknown)' : `: its Lease was last renewed at ${renewed}`}: it is dead, starved of CPU or memory, or cut off from the API server; its pods are moved away after five minutes.`,
  remedy: ({ instance }) => [
    step(
      'See whether EC2 finds the instance sound.',
      `aws ec2 describe-instance-status --include-all-instances --instance-ids ${instance ?? '<instance>'} --query InstanceStatuses[].[InstanceState.Name,SystemStatus.Status,InstanceStatus.Status]`,
    ),
    step(
      'On the machine, look at kubelet, runtime and memory.',
      'systemctl status kubelet containerd --no-pager; dmesg -T | grep -iE "out of memory|hung_task" | tail -n 20',
    ),
    step(
      'Restart the kubelet, and reserve resources for it (systemReserved, kubeReserved) if it was starved.',
      'sudo systemctl restart kubelet',
    ),
  ],
  decide: step(
    'Read when the last heartbeat came and what the control plane says.',
    'kubectl describe node <node>',
  ),
  reason: step(
    'The kubelet’s journal says why it fell silent.',
    'journalctl -u kubelet --no-pager -o short-iso | tail -n 2000',
  ),
  page: {
    why: 'A kubelet renews its lease every 10 seconds. After 40 seconds without, the control plane sets every condition to Unknown and taints the Node unreachable.',
    prevent:
      'systemReserved and kubeReserved on every node, memory limits on pods, alarms on EC2 status checks.',
    notThis:
      'Unknown means silence; False is the kubelet’s own report and names its reason (cni-configuration-missing, container-runtime-down). A terminated instance is instance-stopped-or-terminated or node-object-without-instance; many nodes at once behind one NAT gateway are idle-connection-dropped. `Kubelet never posted node status` is a Node no kubelet ever owned.',
    alsoKnownAs: [
      'Kubelet stopped posting node status',
      'NodeStatusUnknown',
      'node.kubernetes.io/unreachable',
    ],
    refs: [
      'https://kubernetes.io/docs/concepts/architecture/nodes/#node-heartbeats',
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
    ],
  },
});

export default matched(
  cause,
  (view) => matchFleet(view) ?? matchLease(view) ?? matchAnswer(view) ?? matchTold(view),
);

type Own = ViewOf<typeof cause>;

/** Machines do not die together: half of the Nodes lack something that all of them need. */
function matchFleet(view: Own): Match | null {
  const own = view.list('kube/Node').flatMap(({ value }) => silentSinceMs(value) ?? []);
  // Asked of every machine: only of a silent one are all Nodes looked at.
  if (own.length === 0) return null;
  const nodes = view.everywhere('kube/Node');
  const together = nodes.filter(({ value }) => {
    const sinceMs = silentSinceMs(value);
    return sinceMs !== null && own.some((ms) => Math.abs(ms - sinceMs) <= TOGETHER_MS);
  });
  if (together.length < 2 || together.length * 2 < nodes.length) return null;
  return cannotSay({
    reason: 'not-in-source',
    detail: `${together.length} of ${nodes.length} Nodes fell silent together, which no single machine explains`,
    collect: 'sudo journalctl -u kubelet -n 200 --no-pager',
  });
}

/** A Node that is Unknown, and its Lease, which nobody renews. */
function matchLease(view: Own): Match | null {
  for (const node of view.list('kube/Node')) {
    const ready = node.value.conditions.find(({ type }) => type === 'Ready');
    if (ready?.status !== 'Unknown' || ready.reason !== 'NodeStatusUnknown') continue;
    const lease = view.list('kube/Lease').find(({ value }) => value.name === node.value.name);
    const renewed = lease?.value.spec?.renewTime ?? '';
    const renewedMs = isoMs(renewed);
    if (lease === undefined || renewedMs === null) continue;
    if (view.nowMs === null || view.nowMs - renewedMs < GRACE_MS) continue;
    const words = `Node ${node.value.name} condition Ready=Unknown ${ready.reason} ${ready.message}`;
    return found({ node: node.value.name, renewed }, [
      view.quote(node, words),
      quoteLease(view, lease, renewed),
      ...quoteStatus(view),
    ]);
  }
  return null;
}

/** The controllers write Unknown; False is what a kubelet that lives says of itself. */
function matchAnswer(view: Own): Match | null {
  const ready = view
    .list('kube/Node')
    .map(({ value }) => value.conditions.find(({ type }) => type === 'Ready'));
  const isAnswered =
    ready.length > 0 &&
    ready.every((entry) => entry?.status === 'False' && entry.reason === 'KubeletNotReady');
  return isAnswered ? clearUnlessSeen(view, ['unknownCondition', 'pastedCondition']) : null;
}

function quoteLease(view: Own, lease: Seen<Lease>, renewed: string): ReturnType<Own['quote']> {
  return view.quote(lease, `Lease kube-node-lease/${lease.value.name} spec.renewTime ${renewed}`);
}

/** What EC2 says of the machine, which tells a dead kubelet from a dead machine. */
function quoteStatus(view: Own): readonly ReturnType<Own['quote']>[] {
  return view.list('aws/instance-status').map((fact) => {
    const {
      InstanceId: id,
      InstanceState: state,
      InstanceStatus: own,
      SystemStatus: system,
    } = fact.value;
    const checks = `SystemStatus ${system?.Status ?? 'unknown'} InstanceStatus ${own?.Status ?? 'unknown'}`;
    return view.quote(fact, `${id ?? 'unknown'} ${state?.Name ?? 'unknown'} ${checks}`);
  });
}

/** The kubelet's lease gets no answer, and somebody saw the Node turn. */
function matchTold(view: Own): Match | null {
  const lease = view.sign('leaseTimesOut') ?? view.clusterSign('leaseTimesOut');
  const told = view.sign('toldOfSilence') ?? view.clusterSign('toldOfSilence');
  if (lease === null || told === null) return null;
  return found({}, [lease.last, told.last], 'likely');
}
