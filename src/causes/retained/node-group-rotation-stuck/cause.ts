import { isoMs } from '../../../evidence/time.ts';
import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { budgetWords, type HeldPod, heldPod } from '../../../domain/pods/budgets.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { groupOfInstance } from '../../../domain/instances/launch.ts';
import { instanceIdIn } from '../../../evidence/names.ts';
import { podName } from '../../../domain/pods/pods.ts';
import type { InstanceRefresh } from '../../../evidence/aws/groups.ts';

/** An update tries to evict the pods of one node for 15 minutes, then fails. */
const EVICTION_MS = 900_000;
const GROUP_LABEL = 'eks.amazonaws.com/nodegroup';
const CORDON = 'node.kubernetes.io/unschedulable';

/** A managed node group cannot finish an update or its own deletion. */
const cause = defineCause({
  id: 'node-group-rotation-stuck',
  stage: 'retained',
  title: 'a node group’s update or deletion does not end: old nodes or resources cannot go',
  scope: 'group',
  signs: {
    evictionFailed: definite(
      ['aws-message', 'terraform', 'client-output'],
      /\b(?<code>PodEvictionFailure)\b(?:.*?node group (?<group>[\w-]+))?|Reached max retries while trying to evict pods from nodes in node group (?<group2>[\w-]+)/,
    ),
    terminationFailed: definite(
      ['aws-message', 'terraform', 'client-output'],
      /\b(?<code>NodeTerminationFailure)\b/,
    ),
    resourceHeld: definite(
      ['aws-message', 'terraform', 'client-output'],
      /\b(?<code>Ec2SecurityGroupDeletionFailure|Ec2LaunchTemplateDeletionFailure)\b/,
    ),
    // A few refusals belong to every drain.
    budget: likely(
      ['client-output', 'terraform', 'calico-node', 'aws-node', 'kube-proxy'],
      /Cannot evict pod as it would violate the pod's disruption budget|\d pods are unevictable from node/,
      { atLeast: 6 },
    ),
    drained: withdraws(
      ['client-output', 'terraform', 'calico-node', 'aws-node', 'kube-proxy'],
      /node\/\S+ drained|drained (?:all )?nodes?\b/,
      { anchors: [' drained', 'drained all nodes', 'drained nodes'] },
    ),
    toldHeld: context(
      ['client-output', 'unknown', 'terraform'],
      /\bpods?\b[^.]{0,60}\b(?:can(?:not|'t)|could(?: not|n't)|may not|is not|are not|isn't|aren't) be(?:ing)? evicted\b[^.]{0,60}\b(?:disruption budgets?|PDBs?|PodDisruptionBudgets?)\b|\b(?:PDBs?|PodDisruptionBudgets?|disruption budgets?)\b[^.]{0,60}\b(?:blocks?|blocked|prevents?|prevented|denies|denied|stops?|stopped|does(?: not|n't) (?:allow|let)|did(?: not|n't) (?:allow|let))\b[^.]{0,40}\b(?:evict\w*|drain\w*)\b/,
      {
        isTold: true,
        anchors: ['evicted', ' evict', ' drain'],
      },
    ),
    toldRotation: context(
      ['client-output', 'unknown', 'terraform'],
      /\beksctl (?:upgrade|delete|drain) nodegroup\b|\berror updating nodegroup stack\b|\b[Nn]ode ?groups?\b[^.]{0,40}\b(?:updat|upgrad|rotat|roll)\w*|\b(?:updat|upgrad|rotat|roll)\w*(?: \w+){0,3} [Nn]ode ?groups?\b/,
      { isTold: true, isBackground: true, anchors: ['nodegroup', 'odegroup', 'ode group'] },
    ),
    // eksctl waits longer from try to try, so two tries of the same drain are a while.
    budgetInEksctl: likely(
      ['client-output', 'terraform', 'calico-node', 'aws-node', 'kube-proxy'],
      /pod eviction error \("?Cannot evict pod as it would violate the pod's disruption budget/,
      { atLeast: 2 },
    ),
  },
  needs: [
    'kube/PodDisruptionBudget',
    'kube/Node',
    'kube/Pod',
    'aws/node-group',
    'aws/instance',
    'aws/instance-refresh',
  ],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['cordon-or-deliberate-taint', 'node-group-update-failed'],
  summary: ({ code, group, budget, pod, node, refresh, why }) =>
    refresh !== undefined
      ? `The instance refresh ${refresh} of the Auto Scaling group ${group ?? ''} does not end (${why ?? 'no reason given'}), so ${node ?? 'an old node'} stays cordoned.`
      : budget !== undefined
        ? `The node group ${group ?? ''} cannot empty ${node ?? 'its old node'}: the PodDisruptionBudget ${budget} allows no disruption, so the pod ${pod ?? ''} is not evicted and the old node stays cordoned.`
        : code === undefined || code === 'PodEvictionFailure'
          ? sentence`The node group ${group} cannot empty its old nodes: some pods may not be evicted (a PodDisruptionBudget without room), so the update stops and old nodes stay cordoned.`
          : sentence`The node group ${group} cannot be finished or deleted (${code}): ${code === 'NodeTerminationFailure' ? 'its instances could not be terminated' : 'something still uses its resources'}.`,
  remedy: ({ code, group, budget, refresh }) =>
    refresh !== undefined
      ? [
          step(
            'Read what the refresh waits for; then end what holds it, or start it again.',
            `aws autoscaling describe-instance-refreshes --auto-scaling-group-name ${group ?? '<group>'} --instance-refresh-ids ${refresh}`,
          ),
        ]
      : code === 'Ec2SecurityGroupDeletionFailure'
        ? [
            step(
              'See which interfaces still use the security group, and detach them.',
              'aws ec2 describe-network-interfaces --filters Name=group-id,Values=<security-group> --query NetworkInterfaces[].[NetworkInterfaceId,Status,Description]',
            ),
          ]
        : [
            budget === undefined
              ? step(
                  'Find budgets that allow no disruption.',
                  "kubectl get pdb -A | awk '$5 == 0 || $4 == 0'",
                )
              : step(
                  'Let the budget spare one pod at a time.',
                  `kubectl -n ${budget.split('/')[0] ?? '<namespace>'} patch pdb ${budget.split('/')[1] ?? '<budget>'} --type=merge -p '{"spec":{"minAvailable":null,"maxUnavailable":1}}'`,
                ),
            step(
              'Make their replicas ready or loosen the budget, then run the update again; --force skips budgets.',
              `aws eks update-nodegroup-version --cluster-name <cluster> --nodegroup-name ${group ?? '<node-group>'} --force`,
            ),
          ],
  decide: step(
    'Read the errors of the node group’s last update.',
    'aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group>',
  ),
  page: {
    why: 'An update brings new nodes, then evicts pods from each old one for 15 minutes at most. A budget with maxUnavailable 0 or a single replica with minAvailable 1 forbids every eviction.',
    prevent:
      'Budgets that always leave one pod to move; check `kubectl get pdb -A` before updates.',
    notThis:
      'The new nodes are fine. An old node that stays cordoned although its pods may go is cordon-or-deliberate-taint. NodeCreationFailure inside an update means that the new ones failed: diagnose those. One refused eviction during a drain is normal.',
    alsoKnownAs: [
      'PodEvictionFailure',
      'Reached max retries while trying to evict pods from nodes in node group',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
    ],
  },
});

export default matched(cause, (view) => matchBudget(view) ?? matchRefresh(view) ?? matchTold(view));

type Own = ViewOf<typeof cause>;

/** A group that is being changed, one of its cordoned nodes, and how long it has been that. */
interface Draining {
  readonly group: string;
  readonly state: Seen<unknown>;
  readonly status: string;
  readonly node: Seen<KubeNode>;
}

/** A node group is being changed, and somebody saw which budget keeps a pod on the old node. */
function matchTold(view: Own): Match | null {
  const [held, rotation] = [view.sign('toldHeld'), view.sign('toldRotation')];
  if (view.isLive || held === null || rotation === null) return null;
  return found({}, [rotation.last, held.last], 'likely');
}

/** A cordoned node of a group that is being changed keeps a pod that no budget lets go. */
function matchBudget(view: Own): Match | null {
  const draining = drainingNodes(view);
  if (draining.length === 0) return null;
  if (view.read('kube/PodDisruptionBudget').state === 'unknown')
    return view.sign('evictionFailed') === null ? unread : null;
  const [pods, budgets] = [view.list('kube/Pod'), view.list('kube/PodDisruptionBudget')];
  for (const one of draining) {
    const held = heldPod(one.node.value.name, pods, budgets);
    if (held !== null) return foundBudget(view, one, held);
  }
  return isTold(view) || view.list('aws/instance-refresh').length > 0 ? null : clear;
}

function isTold(view: Own): boolean {
  const names = ['evictionFailed', 'terminationFailed', 'resourceHeld', 'budget'] as const;
  return view.anySign(...names);
}

const unread = cannotSay({
  reason: 'not-collected',
  detail: 'which disruption budgets hold the pods of the cordoned nodes',
  collect: 'kubectl get poddisruptionbudgets -A -o wide',
});

function drainingNodes(view: Own): readonly Draining[] {
  const { nowMs } = view;
  if (nowMs === null) return [];
  const changing = new Map(
    view.list('aws/node-group').flatMap((state) => {
      const status = state.value.status ?? '';
      const isChanging = /^(?:UPDATING|DELETING|DEGRADED)$/.test(status);
      const name = state.value.nodegroupName ?? '';
      return isChanging ? [[name, { state, status }] as const] : [];
    }),
  );
  return view.list('kube/Node').flatMap((node) => {
    const group = node.value.labels[GROUP_LABEL] ?? '';
    const change = changing.get(group);
    return change === undefined || !isLongClosed(node.value, nowMs)
      ? []
      : [{ group, node, ...change }];
  });
}

function isLongClosed({ unschedulable, taints }: KubeNode, nowMs: number): boolean {
  const addedMs = taints?.find(({ key }) => key === CORDON)?.addedMs ?? null;
  return unschedulable === true && addedMs !== null && nowMs - addedMs > EVICTION_MS;
}

function foundBudget(view: Own, draining: Draining, { pod, budget }: HeldPod): Match {
  const { group, node, state, status } = draining;
  const name = `${budget.value.namespace ?? ''}/${budget.value.name}`;
  const closedMs = node.value.taints?.find(({ key }) => key === CORDON)?.addedMs ?? 0;
  const minutes = Math.round(((view.nowMs ?? closedMs) - closedMs) / 60_000);
  const details = { group, budget: name, pod: podName(pod.value), node: node.value.name };
  const proof = [
    view.quote(budget, `PodDisruptionBudget ${name}: ${budgetWords(budget)}`),
    view.quote(node, `Node ${node.value.name} of ${group} is cordoned for ${minutes} minutes`),
    view.quote(state, `node group ${group} status ${status}`),
    view.quote(pod, `Pod ${podName(pod.value)} is still there`),
  ];
  return found(details, proof, 'definite', [node.value.name]);
}

/** States in which a refresh has not done what it was started for (AutoScaling InstanceRefresh). */
const UNDONE = /^(?:InProgress|Failed|RollbackInProgress|RollbackFailed|Cancelling)$/;

/** A node stays cordoned while the newest refresh of its Auto Scaling group says why it stands. */
function matchRefresh(view: Own): Match | null {
  const { nowMs } = view;
  if (nowMs === null) return null;
  for (const node of view.list('kube/Node')) {
    if (!isLongClosed(node.value, nowMs)) continue;
    const id = instanceIdIn(node.value.providerId ?? '');
    const instance = view
      .list('aws/instance')
      .find(({ value }) => id !== null && value.InstanceId === id);
    const group = instance === undefined ? null : groupOfInstance(instance.value);
    const refresh = group === null ? null : newestRefresh(view, group);
    const why = refresh?.value.StatusReason ?? null;
    const status = refresh?.value.Status ?? '';
    if (group === null || refresh === null || why === null || !UNDONE.test(status)) continue;
    const name = refresh.value.InstanceRefreshId ?? '';
    const done = refresh.value.PercentageComplete ?? '0';
    const state = `instance refresh ${name} of ${group} ${status}, ${done} % done: ${why}`;
    return found(
      { group, refresh: name, why, node: node.value.name },
      [
        view.quote(refresh, state),
        view.quote(node, `Node ${node.value.name} of ${group} is cordoned for over 15 minutes`),
      ],
      'likely',
      [node.value.name],
    );
  }
  return null;
}

function newestRefresh(view: Own, group: string): Seen<InstanceRefresh> | null {
  const own = view
    .list('aws/instance-refresh')
    .filter(({ value }) => value.AutoScalingGroupName === group);
  const startOf = ({ value }: Seen<InstanceRefresh>): number => isoMs(value.StartTime) ?? 0;
  return own.toSorted((a, b) => startOf(b) - startOf(a))[0] ?? null;
}
