import { shown } from '../../../domain/words.ts';
import { listAt, textAt } from '../../../evidence/json.ts';
import { instanceIdIn } from '../../../evidence/names.ts';
import type { ActionOutcome } from '../../../ports/action.ts';
import type { AwsApi } from '../../../ports/aws-api.ts';
import type { PortFailure } from '../../../ports/port-error.ts';
import { NODES } from '../../gate/plan.ts';
import { readAll } from '../../slip-ins/live.ts';
import { NODE_CLAIMS } from '../../spot/actions.ts';
import { instanceStates } from '../aws-read.ts';
import { podLines } from '../bound-pods.ts';
import type { FixOutcome, FixStep, FixTools } from '../fix.ts';
import type { NamedRepair } from '../repairs-in.ts';
import { outcomeOf, plainStep } from '../step.ts';
import {
  type ClaimFacts,
  decideReplace,
  type MemberFacts,
  type ReplaceDecision,
  type ReplaceSeen,
} from './decide-replace.ts';
import {
  MACHINE_PERMISSIONS,
  type MachineEnd,
  machineNote,
  type MachineOrder,
  orUnwritten,
  shownWithin,
  unwritten,
} from './machine-repair.ts';
import { claimOf, instancesIn, replaceSights } from './replace-sights.ts';

export const REPLACE_DISTURBS: readonly string[] = [
  'All Pods of a machine that is replaced end. Karpenter evicts them first, within PodDisruptionBudgets; a group without a lifecycle hook that drains does not.',
  'Its disks and its address go with it. A machine that was replaced cannot be taken back; fix undo has nothing to undo.',
];

type Target = NamedRepair<'replace-machine'>;
type Replaced = Extract<ReplaceDecision, { readonly do: 'delete-claim' | 'terminate' }>;

/** Has Karpenter or the Auto Scaling group of a machine end it and launch another. */
export async function replaceMachine(
  target: Target,
  order: MachineOrder,
  tools: FixTools,
): Promise<MachineEnd> {
  const object = `machine ${target.repair.instanceId}`;
  const { aws } = tools;
  if (aws === null) return unwritten(plainStep(object, 'refused', 'AWS could not be opened.'));
  const replace: Replace = { target, object, order, aws, tools };
  return await orUnwritten(object, async () => attempt(replace));
}

interface Replace {
  readonly target: Target;
  readonly object: string;
  readonly order: MachineOrder;
  readonly aws: AwsApi;
  readonly tools: FixTools;
}

const OUTCOMES: Readonly<Record<'nothing' | 'refuse' | 'forbid', FixOutcome>> = {
  nothing: 'not-needed',
  refuse: 'refused',
  forbid: 'forbidden-by-budget',
};

type Step = (outcome: FixOutcome, why: string) => FixStep;

async function attempt(replace: Replace): Promise<MachineEnd> {
  const { target, object, order, aws, tools } = replace;
  const { cause, repair } = target;
  const readMs = tools.clock.monotonicMs();
  const seen = await replaceSights(repair, aws, tools.kube);
  const decision = decideReplace(repair, seen);
  const told = `${cause}: ${shown(repair.says)}.`;
  const isKept = decision.do !== 'delete-claim' && decision.do !== 'terminate';
  if (isKept) {
    const { why, commands } = decision;
    return unwritten({ ...plainStep(object, OUTCOMES[decision.do], `${told} ${why}`), commands });
  }
  const diff = [lineOf(repair.instanceId, decision), ...podLines(seen.pods)];
  const step: Step = (outcome, why) => ({ ...plainStep(object, outcome, `${told} ${why}`), diff });
  if (order.whyNot !== null) return unwritten(step('refused', order.whyNot));
  if (order.isDryRun && decision.do === 'terminate')
    return unwritten(step('would-write', 'AWS cannot check this beforehand; nothing was sent.'));
  const before = await readyNodes(tools);
  if (!order.isDryRun) await tools.keep(machineNote('replace', repair.instanceId, tools));
  const isFresh = (): boolean => tools.clock.monotonicMs() - readMs <= FRESH_MS;
  const end = await written(replace, decision, { seen, isFresh });
  if (end.outcome !== 'done') return ended(end, step);
  if (order.isDryRun) return unwritten(step('would-write', end.why));
  return await verified(replace, decision, { before, step });
}

/** What was read so long ago may be otherwise by now, ms. */
const FRESH_MS = 30_000;

function lineOf(instanceId: string, decision: Replaced): string {
  return decision.do === 'delete-claim'
    ? `- NodeClaim ${shown(decision.claim.name)} with ${instanceId}`
    : `- ${instanceId} of Auto Scaling group ${shown(decision.member.group)}, whose size stays`;
}

interface Ended {
  readonly outcome: ActionOutcome;
  readonly why: string;
  readonly failure: PortFailure | null;
}

function ended({ outcome, why, failure }: Ended, step: Step): MachineEnd {
  if (outcome === 'done') throw new TypeError('what is done has not ended otherwise');
  const isDenied = failure === 'denied';
  const commands = isDenied ? [MACHINE_PERMISSIONS] : [];
  const end = unwritten({ ...step(outcomeOf(outcome), why), commands }, isDenied);
  return { ...end, isWritten: outcome === 'unclear' };
}

interface Guard {
  readonly seen: ReplaceSeen;
  readonly isFresh: () => boolean;
}

async function written(replace: Replace, decision: Replaced, guard: Guard): Promise<Ended> {
  return decision.do === 'delete-claim'
    ? await deleteClaim(replace, decision.claim)
    : await terminate(replace, decision.member, guard);
}

async function deleteClaim({ order, tools }: Replace, claim: ClaimFacts): Promise<Ended> {
  const { name, uid, resourceVersion } = claim;
  return await tools.perform({
    id: `${order.id}/${name}`,
    object: { resource: NODE_CLAIMS, namespace: null, name, seen: { uid, resourceVersion } },
    write: { verb: 'delete', requires: 'same-version' },
    why: order.why,
    askedBy: 'fix node',
    undo: null,
  });
}

async function terminate(
  replace: Replace,
  { group, state }: MemberFacts,
  { seen, isFresh }: Guard,
): Promise<Ended> {
  const { target, order, tools } = replace;
  const { instanceId } = target.repair;
  const { node } = seen;
  const input = { InstanceId: instanceId, ShouldDecrementDesiredCapacity: false };
  const action = {
    id: `${order.id}/${instanceId}`,
    object: {
      kind: 'Instance',
      name: instanceId,
      seen: { autoScalingGroup: group, state, node: node?.name ?? null, uid: node?.uid ?? null },
    },
    call: {
      service: 'autoscaling',
      operation: 'TerminateInstanceInAutoScalingGroup',
      input,
    },
    why: order.why,
    askedBy: 'fix node',
    undo: null,
  } as const;
  return await tools.performAws(action, async () => isGoing(replace, group), isFresh);
}

/** True once the instance ends, or its group has let it go. */
async function isGoing({ target, aws }: Replace, group: string): Promise<boolean> {
  const { instanceId } = target.repair;
  const state = (await instanceStates(aws, [instanceId])).get(instanceId) ?? null;
  if (state === null || state === 'shutting-down' || state === 'terminated') return true;
  return !(await instancesIn(aws, group)).has(instanceId);
}

interface ReadyNode {
  readonly name: string;
  readonly uid: string;
  readonly instanceId: string | null;
}

async function readyNodes({ kube }: FixTools): Promise<readonly ReadyNode[]> {
  return await readAll(kube, NODES, {}, (node) => {
    const isReady = listAt(node, 'status.conditions').some(
      (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
    );
    const [name, uid] = ['name', 'uid'].map((field) => textAt(node, `metadata.${field}`));
    if (!isReady || !name || !uid) return null;
    return { name, uid, instanceId: instanceIdIn(textAt(node, 'spec.providerID') ?? '') };
  });
}

interface Verifying {
  readonly before: readonly ReadyNode[];
  readonly step: Step;
}

async function verified(
  replace: Replace,
  decision: Replaced,
  { before, step }: Verifying,
): Promise<MachineEnd> {
  return decision.do === 'delete-claim'
    ? await claimGone(replace, decision.claim, step)
    : await anotherCame(replace, decision.member, { before, step });
}

/** Karpenter launches another only where Pods need one, so that it is not waited for. */
async function claimGone(replace: Replace, claim: ClaimFacts, step: Step): Promise<MachineEnd> {
  const { target, order, tools } = replace;
  const isGone = await shownWithin(order.waitMs, tools, async () => {
    const now = await claimOf(tools.kube, target.repair.instanceId);
    return now?.uid === claim.uid ? null : true;
  });
  const name = shown(claim.name);
  const why =
    isGone === null
      ? `Karpenter empties it, and NodeClaim ${name} is still there after ${seconds(order.waitMs)}.`
      : `NodeClaim ${name} is gone, and Karpenter launches another where Pods need it.`;
  return { ...unwritten(step('written', why)), isWritten: true, isReached: isGone !== null };
}

async function anotherCame(
  replace: Replace,
  { group }: MemberFacts,
  { before, step }: Verifying,
): Promise<MachineEnd> {
  const { aws, order, tools } = replace;
  const known = new Set(before.map(({ uid }) => uid));
  const found = await shownWithin(order.waitMs, tools, async () => {
    if (!(await isGoing(replace, group))) return null;
    const members = await instancesIn(aws, group);
    const isNew = ({ uid, instanceId }: ReadyNode): boolean =>
      !known.has(uid) && instanceId !== null && members.has(instanceId);
    return (await readyNodes(tools)).find(isNew) ?? null;
  });
  const why =
    found === null
      ? `It ends, and no other machine of Auto Scaling group ${shown(group)} is a Ready Node within ${seconds(order.waitMs)}; look: rollcall status`
      : `It ends, and Node ${shown(found.name)} of Auto Scaling group ${shown(group)} is Ready in its place.`;
  return { ...unwritten(step('written', why)), isWritten: true, isReached: found !== null };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
