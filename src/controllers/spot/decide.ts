import { type ActRule, isAbout, type Trigger, TRIGGERS } from '../../capacity/spot/act-rules.ts';
import type { SpotNode } from '../../domain/nodes/spot-node.ts';
import { counted, percentText } from '../../domain/words.ts';
import type { PodFacts } from '../slip-ins/pod.ts';
import {
  type BegunAct,
  drains,
  type KeptNode,
  type SpotDecision,
  type SpotSight,
  type SpotStep,
} from './facts.ts';

const HOUR_MS = 3_600_000;

/** A rule, the Node that it is about, and what it acts on. */
interface Match {
  readonly rule: ActRule;
  readonly node: SpotNode;
  readonly because: string;
}

/**
 * What rules do now. A Node on which a rule began is finished, whatever the budget says by then; a
 * new one is begun only within it. Where the Nodes are unknown nothing is begun and nothing done.
 */
export function decide(
  sight: SpotSight,
  rules: readonly ActRule[],
  begun: readonly BegunAct[],
  nowMs: number,
): SpotDecision {
  const { nodes } = sight;
  if (nodes === null) return { begun, steps: [], kept: [] };
  const byUid = new Map(nodes.map((node) => [node.uid, node]));
  const next = begun.filter((act) => isKept(act, byUid.get(act.uid), sight, rules, nowMs));
  const steps: SpotStep[] = [];
  const kept: KeptNode[] = [];
  for (const match of continued(next, byUid, sight, rules))
    take(stepsOn(match, sight), steps, kept);
  const known = new Set(next.map(({ uid }) => uid));
  for (const node of nodes) {
    const match = known.has(node.uid) ? null : matchOf(sight, rules, node);
    if (match === null) continue;
    const { name: rule } = match.rule;
    const why = node.leaving ?? overBudget(match.rule, next, nodes, nowMs);
    const found = why === null ? stepsOn(match, sight) : only(match, why);
    take(found, steps, kept);
    if (found.steps.length > 0) next.push({ rule, uid: node.uid, node: node.name, atMs: nowMs });
  }
  return { begun: next, steps, kept };
}

/** Nodes of which rules may do something now, as far as it does not depend on their groups. */
export function nodesInQuestion(
  sight: SpotSight,
  rules: readonly ActRule[],
  begun: readonly BegunAct[],
): readonly SpotNode[] {
  const known = new Set(begun.map(({ uid }) => uid));
  return (sight.nodes ?? []).filter(
    (node) => known.has(node.uid) || matchOf(sight, rules, node) !== null,
  );
}

/** Counts against the budget for an hour, and as long as something is done or to be done. */
function isKept(
  { atMs }: BegunAct,
  node: SpotNode | undefined,
  sight: SpotSight,
  rules: readonly ActRule[],
  nowMs: number,
): boolean {
  if (nowMs - atMs < HOUR_MS) return true;
  return node !== undefined && (node.isCordoned || matchOf(sight, rules, node) !== null);
}

/** What was begun and is under way, or still has its reason. */
function continued(
  begun: readonly BegunAct[],
  byUid: ReadonlyMap<string, SpotNode>,
  sight: SpotSight,
  rules: readonly ActRule[],
): readonly Match[] {
  return begun.flatMap((act) => {
    const node = byUid.get(act.uid);
    const rule = rules.find(({ name }) => name === act.rule);
    if (node === undefined || rule === undefined) return [];
    const match = matchOf(sight, [rule], node);
    if (match !== null) return [match];
    return node.isCordoned ? [{ rule, node, because: 'The rule began before' }] : [];
  });
}

function take(
  found: { readonly steps: readonly SpotStep[]; readonly kept: readonly KeptNode[] },
  steps: SpotStep[],
  kept: KeptNode[],
): void {
  steps.push(...found.steps);
  kept.push(...found.kept);
}

/** The rule of the most urgent trigger that holds; null where none does. */
function matchOf(sight: SpotSight, rules: readonly ActRule[], node: SpotNode): Match | null {
  for (const trigger of TRIGGERS)
    for (const rule of rules) {
      if (rule.on !== trigger || !isAbout(rule, node.type, node.zone)) continue;
      const because = signOf(trigger, rule, node, sight);
      if (because !== null) return { rule, node, because };
    }
  return null;
}

function signOf(
  trigger: Trigger,
  { when }: ActRule,
  { notice, instanceId, type, zone }: SpotNode,
  { marked, prices }: SpotSight,
): string | null {
  if (trigger === 'price') {
    const dollars = prices.get(`${type} ${zone}`);
    if (dollars === undefined || when.above === null || dollars <= when.above) return null;
    return `${type} in ${zone} costs $${dollars} an hour, more than $${when.above}`;
  }
  if (trigger === 'rebalance')
    return notice?.kind === 'rebalance' ? `EC2 recommends to replace it (${notice.shownBy})` : null;
  if (notice?.kind === 'spot') return `EC2 takes the instance (${notice.shownBy})`;
  return instanceId !== null && marked.has(instanceId)
    ? 'EC2 takes the instance (its Spot request)'
    : null;
}

/** Why nothing may be begun by a rule now; null where it may. */
function overBudget(
  { name, budget }: ActRule,
  begun: readonly BegunAct[],
  nodes: readonly SpotNode[],
  nowMs: number,
): string | null {
  const lately = begun.filter(({ rule, atMs }) => rule === name && nowMs - atMs < HOUR_MS).length;
  if (lately >= budget.perHour)
    return `the rule began ${counted(lately, 'node')} within the last hour, which is its budget`;
  const there = new Set(nodes.map(({ uid }) => uid));
  const active = begun.filter(({ uid }) => there.has(uid)).length;
  const most = Math.floor(budget.share * nodes.length);
  if (active < most) return null;
  return `${percentText(budget.share)} of ${counted(nodes.length, 'Spot Node')} are ${most}, and rules act on ${active}`;
}

type Found = Pick<SpotDecision, 'steps' | 'kept'>;

function only(match: Match, why: string): Found {
  return { steps: [], kept: [{ rule: match.rule.name, node: match.node.name, why }] };
}

function stepsOn(match: Match, sight: SpotSight): Found {
  const { rule, node } = match;
  if (rule.do === 'replace') return replacing(match, sight);
  const cordon: SpotStep[] = node.isCordoned ? [] : [{ ...match, kind: 'cordon' }];
  if (cordon.length > 0 || !drains(rule.do)) return { steps: cordon, kept: [] };
  return draining(match, sight).found;
}

/** Karpenter drains what its NodeClaim is deleted of; for a group the Node is drained first. */
function replacing(match: Match, sight: SpotSight): Found {
  const { node } = match;
  if (sight.claims === null) return only(match, 'whether it has a NodeClaim is unknown');
  const claim = sight.claims.get(node.name);
  if (claim !== undefined)
    return claim.isLeaving
      ? only(match, `its NodeClaim ${claim.name} is being deleted`)
      : { steps: [{ ...match, kind: 'delete-claim', claim }], kept: [] };
  if (sight.members === null) return only(match, 'the group of its instance is unknown');
  const member = sight.members.get(node.instanceId ?? '');
  if (member === undefined)
    return only(
      match,
      'it has neither a NodeClaim nor an Auto Scaling group, so nobody replaces it',
    );
  if (member.state !== 'InService') return only(match, `its instance is ${member.state}`);
  if (!node.isCordoned) return { steps: [{ ...match, kind: 'cordon' }], kept: [] };
  const { found, isEmpty } = draining(match, sight);
  return isEmpty
    ? { steps: [{ ...match, kind: 'terminate', group: member.group }], kept: [] }
    : found;
}

/** Evicts what may be; the Node is empty when nothing is left but Pods that belong to it. */
function draining(
  match: Match,
  { pods }: SpotSight,
): { readonly found: Found; readonly isEmpty: boolean } {
  const all = pods.get(match.node.uid);
  if (all === undefined) return { found: only(match, 'its Pods are unknown'), isEmpty: false };
  const movable = all.filter(isMovable);
  const held = match.rule.on === 'interruption' ? [] : movable.filter(isHeld);
  const due = movable.filter((pod) => !held.includes(pod) && !pod.isLeaving);
  const steps = due.map((pod) => ({ ...match, kind: 'evict', pod }) as const);
  const kept = held.map((pod) => ({
    rule: match.rule.name,
    node: match.node.name,
    why: `Pod ${pod.namespace}/${pod.name} stays: ${heldBy(pod)}`,
  }));
  return { found: { steps, kept }, isEmpty: isEmptied(all) };
}

/** Static Pods and those of DaemonSets belong to the machine; others run elsewhere as well. */
function isMovable({ isMirror, controller, hasFinished }: PodFacts): boolean {
  return !isMirror && controller?.kind !== 'DaemonSet' && !hasFinished;
}

/** True when nothing is left on a Node but what belongs to its machine. */
export function isEmptied(pods: readonly PodFacts[]): boolean {
  return !pods.some(isMovable);
}

/** Where the machine stays, nobody loses a Pod that nobody makes again. */
function isHeld({ controller, protectedBy }: PodFacts): boolean {
  return controller === null || protectedBy !== null;
}

function heldBy({ protectedBy }: PodFacts): string {
  return protectedBy === null ? 'nobody would make it again' : `its annotation ${protectedBy}`;
}
