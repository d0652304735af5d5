import type { InstanceType } from '../../../capacity/instance-type.ts';
import { knownType } from '../../../capacity/known-type.ts';
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
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';
import { amountOf } from '../../../domain/quantity.ts';
import { machineOf } from '../../../domain/planned/machine.ts';
import { poolOf } from '../../../domain/planned/node-pool.ts';
import type { NodePool } from '../../../evidence/kube/machines.ts';

const SPEAKERS = ['karpenter', 'event', 'node-claim'] as const;

/** Karpenter may launch nothing more in a NodePool, as its `limits` leave no instance type. */
const cause = defineCause({
  id: 'nodepool-limits-reached',
  stage: 'launched',
  title: 'the limits of the NodePool leave no instance type',
  scope: 'group',
  signs: {
    typesExceed: likely(
      SPEAKERS,
      /(?<reason>all available instance types exceed limits) for (?:nodepool|provisioner)(?::? "?\\?"?| \(NodePool=|".{0,40}"NodePool": ?\{"name": ?")?(?<pool>[\w.-]{1,253})?/,
    ),
    nodesExhausted: likely(
      SPEAKERS,
      /(?<reason>node limits have been exhausted) for nodepool(?: \(NodePool=|".{0,40}"NodePool": ?\{"name": ?")?(?<pool>[\w.-]{1,253})?/,
    ),
    usageExceeds: likely(
      ['karpenter'],
      /(?<reason>(?:(?:cpu|memory|nodes|nvidia\.com\/gpu) )?resource usage (?:of \S{1,40} )?exceeds limit\b(?: of [\w.]{1,40})?)/,
    ),
    // Printed as long as some types are left, too.
    someExcluded: context(
      ['karpenter'],
      /instance types were excluded because they would breach (?:provisioner )?limits/,
    ),
    nominated: withdraws(SPEAKERS, /Pod should schedule on: nodeclaim|\b[Ll]aunched nodeclaim\b/),
  },
  needs: ['kube/NodePool'],
  symptoms: ['pod-not-scheduled'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['no-instance-type-satisfies-nodepool', 'karpenter-launch-timeout'],
  summary: ({ pool, planned, used, reason }) =>
    planned === undefined
      ? sentence`NodePool ${pool ?? '(name unknown)'} may not grow${phrase`: it uses ${used}`}${used === undefined ? ` (${reason ?? 'its limits are reached'})` : ''}, so Karpenter creates no NodeClaim for the pods that wait.`
      : sentence`NodePool ${pool} will launch no machine: ${used}.`,
  remedy: ({ pool }) => [
    step(
      'Compare what the pool uses with what it may use.',
      `kubectl get nodepool ${pool ?? '<node-pool>'} -o jsonpath='{.status.resources}{"\\n"}{.spec.limits}{"\\n"}'`,
    ),
    step(
      'Raise the limit, if its cost is wanted.',
      `kubectl patch nodepool ${pool ?? '<node-pool>'} --type merge -p '{"spec":{"limits":{"cpu":"<cpu>"}}}'`,
    ),
    step(
      'Or see which nodes of the pool are nearly empty and why they are not consolidated.',
      `kubectl get nodes -l karpenter.sh/nodepool=${pool ?? '<node-pool>'}; kubectl get events -A --field-selector reason=Unconsolidatable`,
    ),
  ],
  decide: step(
    'Compare what each pool uses with what it may use.',
    "kubectl get nodepools -o custom-columns='NAME:.metadata.name,USED:.status.resources,LIMITS:.spec.limits'",
  ),
  page: {
    why: 'Before it launches, Karpenter strikes out every instance type that would bring the pool above spec.limits. Where less is left than the smallest type of the pool has, none remains: the pool is at its limit, or the limit is smaller than any of its types. A limit of nodes counts machines.',
    prevent:
      'Alarm at 80 % of karpenter_nodepools_usage against karpenter_nodepools_limit, and let a limit be a whole multiple of the smallest type.',
    notThis:
      'EC2 was not asked: a refused type is insufficient-instance-capacity, the account’s own limit account-quota-reached. Types that the requirements or the size of the pod strike out are no-instance-type-satisfies-nodepool; Karpenter looks at limits first, so that it names them for pools that the pod could not use either.',
    alsoKnownAs: [
      'all available instance types exceed limits for nodepool',
      'node limits have been exhausted for nodepool',
    ],
    refs: [
      'https://karpenter.sh/docs/concepts/nodepools/#speclimits',
      'https://github.com/kubernetes-sigs/karpenter/blob/v1.15.0/pkg/controllers/provisioning/scheduling/scheduler.go',
    ],
  },
});

const judged = matched(cause, matchPools);

type Own = ViewOf<typeof cause>;

/** What a pool uses of one of its limits. */
interface Used {
  readonly resource: string;
  readonly usage: string;
  readonly limit: string;
}

/** The limits that a pool uses up, in the order of their names. */
function reachedLimits({ spec, status }: NodePool): readonly Used[] {
  const used = status?.resources ?? {};
  return Object.entries(spec?.limits ?? {}).flatMap(([resource, limit]) => {
    const usage = used[resource];
    const [amount, most] = [amountOf(usage), amountOf(limit)];
    const isReached = amount !== null && most !== null && amount >= most;
    return isReached ? [{ resource, usage: usage ?? '', limit }] : [];
  });
}

function wordsOf({ resource, usage, limit }: Used): string {
  return `${usage} of ${limit} ${resource}`;
}

/** Karpenter's words, made certain by what the pool uses. */
function matchPools(view: Own): Match | null {
  const told = view.sign('typesExceed') ?? view.sign('nodesExhausted');
  if (told === null) return null;
  const named = told.last.captures['pool'];
  const pools = view
    .list('kube/NodePool')
    .filter(({ value }) => (named ?? value.name) === value.name);
  const [pool] = pools.toSorted(
    (one, other) => reachedLimits(other.value).length - reachedLimits(one.value).length,
  );
  if (pool === undefined) return null;
  if (pools.every(({ value }) => value.spec?.limits === null)) return clear;
  const reached = reachedLimits(pool.value);
  if (reached.length === 0) return null;
  const used = reached.map(wordsOf).join(' and ');
  const words = `NodePool ${pool.value.name} condition limits: it uses ${used}`;
  return found({ pool: pool.value.name, used }, [view.quote(pool, words), told.last]);
}

/** Karpenter takes 7.5 % off the memory of a type before it compares. */
const MEMORY_KEPT = 0.9;

type Limits = Readonly<Record<string, string>>;
type Sized = Pick<InstanceType, 'vcpus' | 'memoryMiB'>;

/** Stands for types that a pool does not list: none is smaller. */
const SMALLEST: Sized = { vcpus: 1, memoryMiB: null };

/** The first limit that one machine of a type breaks. */
function brokenLimit(limits: Limits, type: Sized | null): readonly [string, string] | undefined {
  const sizes: Readonly<Record<string, number>> = {
    nodes: 1,
    cpu: type?.vcpus ?? 0,
    memory: (type?.memoryMiB ?? 0) * 2 ** 20 * MEMORY_KEPT,
  };
  return Object.entries(limits).find(([resource, limit]) => {
    const amount = amountOf(limit);
    return amount !== null && amount < (sizes[resource] ?? 0);
  });
}

export default foreseen(
  judged,
  (plan, group) => {
    const pool = poolOf(plan, group);
    if (pool === null) return null;
    const limits = pool.value.spec?.limits ?? null;
    if (limits === null || Object.keys(limits).length === 0) return clear;
    const { types } = machineOf(plan, group);
    const known = types.map((name) => knownType(name, []));
    const broken = (known.length === 0 ? [SMALLEST] : known).map((type) =>
      brokenLimit(limits, type),
    );
    const [first] = broken;
    if (first === undefined || broken.includes(undefined))
      return isClear(limits, known) ? clear : NOT_SHOWN;
    const [resource, limit] = first;
    const [only = 'any type'] = types;
    const what = types.length > 1 ? `${only}, and no other of its types fits` : only;
    const used =
      resource === 'nodes'
        ? `its limit is ${limit} nodes`
        : `its limit of ${limit} ${resource} is less than that of ${what}`;
    return found(
      { pool: group.name, used },
      [plan.quote(pool, `NodePool ${group.name} limits ${resource} ${limit}`)],
      'likely',
    );
  },
  {
    remedy: ({ pool }) => [
      step(`Raise spec.limits of NodePool ${pool ?? ''}, or give it smaller types.`),
    ],
  },
);

/** True where every limit is a number, and every type is known that was compared with it. */
function isClear(limits: Limits, types: readonly (InstanceType | null)[]): boolean {
  const areKnown = types.length > 0 && types.every((type) => type !== null);
  return areKnown && Object.values(limits).every((limit) => amountOf(limit) !== null);
}
