import { deletionRole } from '../../domain/nodes/deleters.ts';
import { cloudDeleter } from './cloud-controller.ts';
import type { Attribution, Confidence, Deleter, Hand } from './happening.ts';
import { isOfDeletion } from './keep-clues.ts';
import type { Clue, ClueKind, GoneNode } from './memory.ts';
import { type Reach, wouldTellOf } from './would-tell.ts';

/** How long a sign of what is to come is taken for its reason: an hour covers a slow drain. */
const ROOT_MAX_MS = 60 * 60_000;

/** EC2 begins a maintenance some time on the day that it names. */
const MAINTENANCE_MAX_MS = 24 * 60 * 60_000;

/** EC2 is asked every few minutes; what it showed before says nothing of now. */
const RUNNING_MAX_MS = 10 * 60_000;

/** What is due later than this is no reason yet. */
const AHEAD_MAX_MS = 60_000;

/** A cordon this long before a deletion belongs to it. */
const CORDON_MAX_MS = 60 * 60_000;

/** Everything by which one deletion is judged. */
export interface Judging {
  readonly gone: GoneNode;
  /** Release of the cloud controller, null when nothing shows it. */
  readonly release: string | null;
  /** A complete list of EC2 lacks its instance. */
  readonly isUnlisted: boolean;
  /** A complete list lacks the NodeClaim that it had. */
  readonly isClaimGone: boolean;
  readonly reach: Reach;
}

interface HandFound {
  readonly hand: Hand;
  readonly clue: Clue;
  readonly confidence: Confidence;
}

const NOBODY: Deleter = { kind: 'unknown', reason: null, behavior: null, user: null };

function clueOf({ node }: GoneNode, kind: ClueKind): Clue | null {
  return node.clues.findLast((clue) => clue.kind === kind) ?? null;
}

/** What somebody did or said in the time in which the deletion was asked for; the first counts. */
function deedOf(gone: GoneNode, kind: ClueKind): Clue | null {
  return gone.node.clues.find((clue) => clue.kind === kind && isOfDeletion(clue, gone)) ?? null;
}

const HAND_OF_ROLE = {
  'cloud-controller': 'cloud-node-lifecycle',
  karpenter: 'karpenter',
  'cluster-autoscaler': 'cluster-autoscaler',
  'node-group': 'node-group-update',
  controller: 'controller',
  person: 'person',
} as const;

/** Karpenter's own reasons to let a machine go. */
const KARPENTER_REASONS = ['disruption', 'spot', 'maintenance'] as const;

/**
 * Karpenter deletes the claim and then its Node; of somebody who deletes the Node, it deletes the
 * claim after that. Stamps have whole seconds, so that only a reason or an earlier second tells.
 */
function isAskedByKarpenter(gone: GoneNode, claim: Clue): boolean {
  const [claimMs, nodeMs] = [claim.proof.atMs, gone.node.deletionAskedMs];
  if (claimMs === null || nodeMs === null || claimMs === nodeMs)
    return karpenterReason(gone) !== null;
  return claimMs < nodeMs;
}

function karpenterReason(gone: GoneNode): Clue | null {
  const clues = KARPENTER_REASONS.map((kind) => clueOf(gone, kind));
  return clues.find((clue) => clue !== null && isInTime(clue, gone)) ?? null;
}

function karpenterHand({ gone, isClaimGone }: Judging): HandFound | null {
  const claim = clueOf(gone, 'claim-deleted');
  const reason = karpenterReason(gone);
  // A claim may go between two looks.
  const clue = claim === null && isClaimGone ? reason : claim;
  const isKarpenter = claim === null || isAskedByKarpenter(gone, claim);
  return clue !== null && isKarpenter ? { hand: 'karpenter', clue, confidence: 'likely' } : null;
}

function handOf(judging: Judging): HandFound | null {
  const { gone } = judging;
  const audit = deedOf(gone, 'audit-delete');
  if (audit !== null)
    return { hand: HAND_OF_ROLE[deletionRole(audit.detail)], clue: audit, confidence: 'definite' };
  const said = deedOf(gone, 'cloud-deletion');
  if (said === null) return karpenterHand(judging);
  const confidence = said.isById ? 'definite' : 'likely';
  return { hand: 'cloud-node-lifecycle', clue: said, confidence };
}

interface Root {
  readonly deleter: Deleter;
  readonly clue: Clue;
  readonly confidence: Confidence;
}

function plain(kind: Deleter['kind'], reason: string | null = null): Deleter {
  return { ...NOBODY, kind, reason };
}

/** The first of these that was seen is why the machine had to go. */
const ROOT_KINDS: readonly (readonly [ClueKind, (clue: Clue) => Deleter])[] = [
  ['spot', () => plain('spot-interruption')],
  ['maintenance', ({ detail }) => plain('scheduled-maintenance', detail)],
  ['disruption', ({ detail }) => plain('karpenter', detail)],
  ['autoscaler', () => plain('cluster-autoscaler')],
  ['node-group', ({ detail }) => plain('node-group-update', detail)],
  ['rebalance', () => plain('rebalance')],
];

function isInTime(clue: Clue, { missedMs }: GoneNode): boolean {
  const { atMs } = clue.proof;
  const mostMs = clue.kind === 'maintenance' ? MAINTENANCE_MAX_MS : ROOT_MAX_MS;
  return atMs !== null && missedMs - atMs <= mostMs && atMs - missedMs <= AHEAD_MAX_MS;
}

const BY_SPOT = /^Server\.SpotInstance(?:Termination|Shutdown)$/;

/** EC2 itself says that it took the instance back. */
function spotEnd(gone: GoneNode): Root | null {
  const ended = clueOf(gone, 'instance-ended');
  if (ended === null || !BY_SPOT.test(ended.detail)) return null;
  return { deleter: plain('spot-interruption'), clue: ended, confidence: 'definite' };
}

/** Session names that programs give themselves: of services, of libraries, and of instances. */
const PROGRAM_SESSION =
  /autoscal|karpenter|cloud-controller|^aws-|^AWSService|^eks|amazonaws\.com$|^botocore-session|^i-[0-9a-f]{8,17}$|^\d+$/i;

/** A program that ends instances for one of the reasons above has a user too. */
function terminatedBy(gone: GoneNode): Root | null {
  const clue = clueOf(gone, 'terminated-by');
  if (clue === null || clue.detail === '') return null;
  const isProgram = PROGRAM_SESSION.test(clue.detail);
  const kind = isProgram ? 'controller' : 'person';
  return { deleter: { ...NOBODY, kind, user: clue.detail }, clue, confidence: 'definite' };
}

function rootOf(gone: GoneNode): Root | null {
  const spot = spotEnd(gone);
  if (spot !== null) return spot;
  for (const [kind, deleter] of ROOT_KINDS) {
    const clue = clueOf(gone, kind);
    if (clue !== null && isInTime(clue, gone))
      return { deleter: deleter(clue), clue, confidence: 'likely' };
  }
  return terminatedBy(gone);
}

/** Whether the machine ended: a reason for its end is none for the Node of one that runs. */
function hasEnded(gone: GoneNode): boolean {
  const [ended, running] = [clueOf(gone, 'instance-ended'), clueOf(gone, 'instance-running')];
  if (ended === null) return false;
  return running === null || (ended.proof.atMs ?? 0) >= (running.proof.atMs ?? 0);
}

/** EC2 shows it as running, so that nobody ended it. */
function runsOn(gone: GoneNode): boolean {
  const atMs = clueOf(gone, 'instance-running')?.proof.atMs ?? null;
  return !hasEnded(gone) && atMs !== null && gone.missedMs - atMs <= RUNNING_MAX_MS;
}

function told(
  deleter: Deleter,
  hand: Hand | null,
  confidence: Confidence,
  clues: readonly (Clue | null)[],
): Attribution {
  const proof = clues.flatMap((clue) => (clue === null ? [] : [clue.proof]));
  return { deleter, hand, confidence, proof, wouldTell: [] };
}

function byCloudController(judging: Judging, { clue, confidence }: HandFound): Attribution {
  const { gone, release, isUnlisted } = judging;
  const hand = 'cloud-node-lifecycle';
  const ended = clueOf(gone, 'instance-ended');
  const root = hasEnded(gone) ? rootOf(gone) : null;
  if (root !== null) {
    const sure = root.confidence === 'definite' ? confidence : 'likely';
    return told(root.deleter, hand, sure, [clue, root.clue, ended === root.clue ? null : ended]);
  }
  const apiVersion = clue.kind === 'cloud-deletion' ? clue.detail : null;
  const isRunning = runsOn(gone);
  const ways = { isEnded: hasEnded(gone), isRunning, isUnlisted, apiVersion, release };
  const shown = isRunning ? clueOf(gone, 'instance-running') : ended;
  return told(cloudDeleter(gone.node, ways), hand, confidence, [clue, shown]);
}

const PLANNED: ReadonlySet<Deleter['kind']> = new Set([
  'spot-interruption',
  'scheduled-maintenance',
  'karpenter',
]);

/** Its claim was deleted first, by Karpenter or by somebody who deletes claims. */
function withoutReason({ gone, reach }: Judging, clue: Clue): Attribution {
  const found = told(plain('karpenter'), 'karpenter', 'possible', [clue]);
  return { ...found, wouldTell: wouldTellOf(reach, !runsOn(gone)) };
}

/** Karpenter carries out interruptions too; its own reasons are those of its disruption. */
function byKarpenter(judging: Judging, { clue, confidence }: HandFound): Attribution {
  const { gone } = judging;
  const root = rootOf(gone);
  const disruption = clueOf(gone, 'disruption');
  if (root !== null && PLANNED.has(root.deleter.kind))
    return told(root.deleter, 'karpenter', confidence, [clue, root.clue]);
  if (disruption === null && confidence !== 'definite') return withoutReason(judging, clue);
  return told(plain('karpenter', disruption?.detail ?? null), 'karpenter', confidence, [
    clue,
    disruption,
  ]);
}

function byOther({ gone }: Judging, { hand, clue, confidence }: HandFound): Attribution {
  const user = clue.detail;
  if (hand === 'person' || hand === 'controller')
    return told({ ...NOBODY, kind: hand, user }, hand, confidence, [clue]);
  const root = hand === 'node-group-update' ? clueOf(gone, 'node-group') : null;
  const reason = root?.detail ?? null;
  return told({ ...NOBODY, kind: hand, reason, user }, hand, confidence, [clue, root]);
}

/** Somebody with kubectl cordoned it, and then it went: the program is known, the user is not. */
function byKubectl(judging: Judging): Attribution | null {
  const { gone } = judging;
  const cordon = clueOf(gone, 'cordoned-by');
  const atMs = cordon?.proof.atMs ?? null;
  if (cordon === null || atMs === null || gone.missedMs - atMs > CORDON_MAX_MS) return null;
  if (!cordon.detail.startsWith('kubectl') || !judging.reach.areEventsRead) return null;
  const found = told(plain('person', cordon.detail), null, 'possible', [cordon]);
  return { ...found, wouldTell: wouldTellOf(judging.reach, !runsOn(gone)) };
}

/** Why the machine ended, where nothing shows who took its Node away. */
function byRoot(judging: Judging): Attribution | null {
  const root = hasEnded(judging.gone) ? rootOf(judging.gone) : null;
  if (root === null) return null;
  return told(root.deleter, null, 'likely', [root.clue, clueOf(judging.gone, 'instance-ended')]);
}

function byNobody({ reach, gone }: Judging): Attribution {
  return { ...told(NOBODY, null, 'none', []), wouldTell: wouldTellOf(reach, !runsOn(gone)) };
}

/** Who deleted a Node, by everything that was seen of it. */
export function attribute(judging: Judging): Attribution {
  const found = handOf(judging);
  if (found === null) return byRoot(judging) ?? byKubectl(judging) ?? byNobody(judging);
  if (found.hand === 'cloud-node-lifecycle') return byCloudController(judging, found);
  if (found.hand === 'karpenter') return byKarpenter(judging, found);
  return byOther(judging, found);
}
