import { shellWord, shown } from '../../../domain/words.ts';
import type { MachineToReplace } from '../../../diagnosis/repair.ts';
import { nameOf, type PodFacts } from '../../slip-ins/pod.ts';
import { podOfNobody } from '../bound-pods.ts';
import type { NodeStanding } from '../name/node-standing.ts';

/** The NodeClaim of a machine. */
export interface ClaimFacts {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isLeaving: boolean;
}

/** An instance in its Auto Scaling group. */
export interface MemberFacts {
  readonly group: string;
  /** `InService`, `Terminating:Wait`. */
  readonly state: string;
  readonly isProtected: boolean;
  /** Processes that the group does not do now: `Launch`, `Terminate`. */
  readonly suspended: readonly string[];
}

/** A PodDisruptionBudget, with the Pods of the machine that it covers and that are Ready. */
export interface BudgetFacts {
  /** `shop/cart` */
  readonly name: string;
  readonly allowed: number;
  readonly covered: readonly PodFacts[];
}

/** What was read right before. */
export interface ReplaceSeen {
  /** null where EC2 does not show the instance. */
  readonly state: string | null;
  /** null where there is none. */
  readonly node: NodeStanding | null;
  /** Bound to its Node. */
  readonly pods: readonly PodFacts[];
  readonly budgets: readonly BudgetFacts[];
  readonly claim: ClaimFacts | null;
  readonly member: MemberFacts | null;
}

export type ReplaceDecision =
  | {
      readonly do: 'nothing' | 'refuse' | 'forbid';
      readonly why: string;
      readonly commands: readonly string[];
    }
  | { readonly do: 'delete-claim'; readonly claim: ClaimFacts }
  | { readonly do: 'terminate'; readonly member: MemberFacts };

type Kept = Exclude<ReplaceDecision, { readonly do: 'delete-claim' | 'terminate' }>;

function kept(does: Kept['do'], why: string, ...commands: readonly string[]): Kept {
  return { do: does, why, commands };
}

/** Whether a machine is replaced, and by whom: Karpenter empties it first, a group does not. */
export function decideReplace(repair: MachineToReplace, seen: ReplaceSeen): ReplaceDecision {
  const stays = whyOver(repair, seen) ?? whyOtherNode(repair, seen) ?? whyPods(seen);
  if (stays !== null) return stays;
  const { claim, member } = seen;
  if (claim?.isLeaving === true)
    return kept(
      'nothing',
      `Karpenter ends it already, as NodeClaim ${shown(claim.name)} is deleted.`,
    );
  if (claim !== null) return { do: 'delete-claim', claim };
  if (member === null)
    return kept(
      'refuse',
      'Neither a NodeClaim nor an Auto Scaling group has it, so nobody would launch another.',
    );
  return whyGroup(member) ?? whyBudgets(seen) ?? { do: 'terminate', member };
}

function whyOver(
  { instanceId, isOverOnceReady }: MachineToReplace,
  { state, node }: ReplaceSeen,
): Kept | null {
  if (state === null || state === 'shutting-down' || state === 'terminated')
    return kept(
      'nothing',
      state === null ? `EC2 has no ${instanceId}.` : `EC2 shows ${instanceId} as ${state}.`,
    );
  return isOverOnceReady && node?.isReady === true
    ? kept('nothing', `Node ${shown(node.name)} is Ready by now.`)
    : null;
}

function whyOtherNode({ instanceId, node: name }: MachineToReplace, { node }: ReplaceSeen) {
  if (node === null) return null;
  if (node.instanceId !== instanceId)
    return kept('refuse', `Node ${shown(name ?? '')} names another instance than ${instanceId}.`);
  return node.isControlPlane
    ? kept('refuse', 'It is of the control plane, which is not replaced without its etcd member.')
    : null;
}

function whyPods({ pods }: ReplaceSeen): Kept | null {
  const lost = podOfNobody(pods);
  if (lost !== null)
    return kept(
      'refuse',
      `Its Pod ${shown(nameOf(lost))} ends with it, and no controller makes another; move that first.`,
      `kubectl -n ${shellWord(lost.namespace)} delete pod ${shellWord(lost.name)}`,
    );
  const guarded = pods.find(({ protectedBy, isLeaving }) => protectedBy !== null && !isLeaving);
  if (guarded === undefined) return null;
  return kept(
    'refuse',
    `Its Pod ${shown(nameOf(guarded))} asks not to be disrupted, by its annotation ${shown(guarded.protectedBy ?? '')}.`,
  );
}

function whyGroup({ group, state, isProtected, suspended }: MemberFacts): Kept | null {
  if (state.startsWith('Terminating') || state === 'Terminated')
    return kept('nothing', `Auto Scaling group ${shown(group)} ends it already (${shown(state)}).`);
  if (state !== 'InService')
    return kept('refuse', `It is ${shown(state)} in Auto Scaling group ${shown(group)}.`);
  if (isProtected)
    return kept('refuse', `Auto Scaling group ${shown(group)} protects it from scale-in.`);
  const stopped = suspended.find((one) => one === 'Launch' || one === 'Terminate');
  if (stopped === undefined) return null;
  return kept(
    'refuse',
    `Auto Scaling group ${shown(group)} has ${stopped} suspended, so no other machine would come.`,
    `aws autoscaling resume-processes --auto-scaling-group-name ${shellWord(group)} --scaling-processes ${stopped}`,
  );
}

/** Karpenter asks budgets itself; whoever ends an instance of a group does not. */
function whyBudgets({ budgets, node }: ReplaceSeen): Kept | null {
  const broken = budgets.find(({ allowed, covered }) => covered.length > allowed);
  if (broken === undefined) return null;
  return kept(
    'forbid',
    `PodDisruptionBudget ${shown(broken.name)} allows ${broken.allowed} disruptions now, and ${broken.covered.length} of its Pods are Ready there; empty the Node first.`,
    `kubectl drain ${shellWord(node?.name ?? '')} --ignore-daemonsets --delete-emptydir-data`,
  );
}
