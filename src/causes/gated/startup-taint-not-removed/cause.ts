import { addonsOf } from '../../../domain/planned/addons.ts';
import type { PlannedGroup } from '../../../domain/planned/groups.ts';
import { poolOf } from '../../../domain/planned/node-pool.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import type { Taint } from '../../../evidence/kube/object.ts';
import type { NodePool, NodeClaim } from '../../../evidence/kube/machines.ts';
import type { Planned } from '../../../evidence/planned.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import type { PlanView } from '../../../diagnosis/plan-view.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { likely } from '../../../diagnosis/sign.ts';

/** Agents take off their start-up taint within minutes of the node being Ready. */
const READY_FOR_MS = 600_000;

/** Karpenter waits for a start-up taint to go, and whoever should remove it does not. */
const cause = defineCause({
  id: 'startup-taint-not-removed',
  stage: 'gated',
  title: 'a start-up taint stays, so Karpenter never calls the node initialized',
  scope: 'machine',
  signs: {
    condition: likely(
      ['node-claim', 'karpenter', 'object', 'event', 'csi-driver', 'nidhogg', 'client-output'],
      /StartupTaint "(?<taint>[^"]+)" still exists/,
    ),
    reason: likely(
      ['node-claim', 'karpenter', 'object', 'csi-driver', 'nidhogg', 'client-output'],
      /\bStartupTaintsExist\b/,
    ),
    toldNotRemoved: likely(
      ['client-output', 'unknown'],
      /\b[Ss]tart-?up ?[Tt]aints? (?:(?:is|are|was|were) (?:not|never) (?:being |getting )?removed|stays?|remains?|never goes?|(?:is|are) still (?:there|present|on it))\b/,
      { isTold: true, anchors: ['aints ', 'aint '] },
    ),
  },
  needs: ['kube/Node', 'kube/NodeClaim', 'kube/NodePool'],
  symptoms: ['pod-not-scheduled'],
  summary: ({ machine, taint }) =>
    sentence`The start-up taint ${taint} is still on ${machine ?? 'the node'}, so Karpenter neither uses nor replaces it; there is no time limit.`,
  remedy: ({ taint, node }) => {
    const key = taint?.replace(/[=:].*$/, '').replace(/^'/, '') ?? '<taint-key>';
    return [
      step(
        'Find out who should remove it (CSI driver, Cilium operator, readiness controller) and whether that runs.',
        `kubectl get pods -A -o wide --field-selector spec.nodeName=${node ?? '<node>'} | grep -vE ' ([0-9]+)/\\1 +Running'`,
      ),
      step('Open this node by hand.', `kubectl taint node ${node ?? '<node>'} ${key}-`),
      step(
        'If nobody removes such a taint, take it out of the NodePool.',
        'kubectl get nodepools -o custom-columns=NAME:.metadata.name,TAINTS:.spec.template.spec.startupTaints',
      ),
    ];
  },
  decide: step('Read what Karpenter still waits for.', 'kubectl get nodeclaims -o json'),
  page: {
    why: 'startupTaints of a NodePool are put on the Node by Karpenter and expected to be removed by someone else. Until then the node counts as coming capacity: it is not consolidated, not replaced and takes no pods.',
    prevent:
      'Name in startupTaints only keys that a running component removes; alarm on NodeClaims that are not Initialized for ten minutes.',
    notThis:
      'This is what Karpenter sees; csi-driver-not-ready, cilium-agent-not-ready, the gate causes and startup-taint-removal-lost name who failed. KnownEphemeralTaintsExist is the same wait for Kubernetes’ own taints.',
    alsoKnownAs: ['StartupTaintsExist', 'StartupTaint still exists'],
    refs: [
      'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/install.md#configure-node-startup-taint',
      'https://github.com/kubernetes-sigs/karpenter/blob/HEAD/pkg/controllers/nodeclaim/lifecycle/initialization.go',
      'https://karpenter.sh/docs/concepts/nodepools/',
    ],
  },
});

const judged = matched(cause, matchTaint);

type Own = ViewOf<typeof cause>;

/** A taint that Karpenter was told to start the node with is still there long after Ready. */
function matchTaint(view: Own): Match | null {
  const node = view.read('kube/Node');
  if (node.state !== 'seen' || node.value.ready !== true) return null;
  for (const source of [...view.list('kube/NodeClaim'), ...sourcePool(view, node.value.labels)]) {
    const keys = startupTaintsOf(source.value).map((one) => one.key);
    const taint = (node.value.taints ?? []).find(({ key }) => keys.includes(key));
    if (taint === undefined) continue;
    if (!hasLongBeenReady(node.value, view)) return null;
    const name = `${source.value.kind} ${source.value.name}`;
    return found({ taint: taint.key, machine: node.value.name }, [
      view.quote(node, `Node ${node.value.name} is Ready and still has the taint ${taint.key}`),
      view.quote(source, `${name} startupTaints ${taint.key}`),
    ]);
  }
  return null;
}

function hasLongBeenReady({ conditions }: KubeNode, { nowMs }: Own): boolean {
  const readyMs = conditions.find(({ type }) => type === 'Ready')?.changedMs ?? null;
  return nowMs !== null && readyMs !== null && nowMs - readyMs >= READY_FOR_MS;
}

function sourcePool(view: Own, labels: Readonly<Record<string, string>>) {
  const pool = labels['karpenter.sh/nodepool'];
  return view.list('kube/NodePool').filter(({ value }) => value.name === pool);
}

/** A pool has them in the template of its claims. */
function startupTaintsOf({ spec }: NodeClaim | NodePool): readonly Taint[] {
  const own = spec && 'template' in spec ? spec.template?.spec : spec;
  return (own && 'startupTaints' in own ? own.startupTaints : null) ?? [];
}

/** Start-up taints that a driver takes off, as its documentation says, and its add-on of EKS. */
const OWNERS: Readonly<Record<string, string>> = {
  'ebs.csi.aws.com/agent-not-ready': 'aws-ebs-csi-driver',
  'efs.csi.aws.com/agent-not-ready': 'aws-efs-csi-driver',
  'fsx.csi.aws.com/agent-not-ready': 'aws-fsx-csi-driver',
  's3.csi.aws.com/agent-not-ready': 'aws-mountpoint-s3-csi-driver',
};

/** A taint of a plan that somebody has to take off, and the thing that asks for it. */
interface PlannedTaint {
  readonly key: string;
  readonly fact: Planned<'kube/NodePool'> | Planned<'aws/node-group'>;
}

/** null where they are known after apply; a managed group does not say which of its are for the start. */
function plannedTaints(plan: PlanView, group: PlannedGroup): readonly PlannedTaint[] | null {
  const { fact } = group;
  if (fact.kind === 'aws/node-group') {
    const own = (fact.value.taints ?? []).filter(({ key }) => Object.hasOwn(OWNERS, key ?? ''));
    return fact.value.taints === undefined ? null : withKeys(own, fact);
  }
  const pool = poolOf(plan, group);
  return pool === null ? null : withKeys(startupTaintsOf(pool.value), pool);
}

function withKeys(
  taints: readonly { readonly key?: string | null | undefined }[],
  fact: PlannedTaint['fact'],
): readonly PlannedTaint[] {
  return taints.flatMap(({ key }) => (key === null || key === undefined ? [] : [{ key, fact }]));
}

/** In a new cluster without charts and manifests, an add-on that the plan lacks is likely to lack. */
function isWhole(plan: PlanView, { cluster }: PlannedGroup): boolean {
  return cluster?.change === 'create' && plan.doubtOf('kube/ConfigMap') === null;
}

export default foreseen(
  judged,
  (plan, group) => {
    if (group.kind !== 'NodePool' && group.kind !== 'NodeGroup') return null;
    const taints = plannedTaints(plan, group);
    if (taints === null) return NOT_SHOWN;
    const addons = addonsOf(plan, group);
    const names = addons.map(({ value }) => value.addonName ?? '');
    const left = taints.find(({ key }) => !names.includes(OWNERS[key] ?? ''));
    if (left === undefined) return clear;
    const owner = OWNERS[left.key];
    const [addon] = addons;
    if (owner === undefined || addon === undefined || !isWhole(plan, group)) return NOT_SHOWN;
    const details = { taint: left.key, owner, machine: group.name };
    return found(
      details,
      [
        plan.quote(left.fact, `${group.name} starts its nodes with the taint ${left.key}`),
        plan.quote(addon, `add-ons of the cluster: ${names.join(', ')}`),
      ],
      'likely',
    );
  },
  {
    summary: ({ planned, taint, owner }) =>
      `Nodes of ${planned ?? 'the group'} will start with the taint ${taint ?? ''}, and ${owner ?? 'the driver'}, which takes it off, is not among the add-ons of the new cluster; no pod will be scheduled on them.`,
    remedy: ({ owner }) => [
      step(`Add the add-on ${owner ?? ''}, or whatever else installs that driver.`),
      step('Or leave the taint out.'),
    ],
  },
);
