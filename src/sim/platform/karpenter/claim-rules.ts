import { type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import { conditionOf } from '../objects/meta.ts';
import { isReady, type NodeView } from '../objects/node.ts';
import { parsedMs } from '../objects/stamp.ts';
import { type Taint, taintOf } from '../objects/taints.ts';
import {
  EPHEMERAL_PREFIX,
  EPHEMERAL_TAINTS,
  LAUNCH_TIMEOUT_MS,
  REGISTRATION_TIMEOUT_MS,
  UNREGISTERED_TAINT,
} from './kinds.ts';

/** What is to be done about a claim next. */
export type ClaimStep =
  | { readonly kind: 'launch' }
  | { readonly kind: 'register'; readonly node: NodeView }
  | { readonly kind: 'initialise'; readonly node: NodeView }
  | { readonly kind: 'give-up'; readonly timeout: 'launch' | 'registration' }
  | { readonly kind: 'wait'; readonly condition: ClaimCondition; readonly againMs: number | null };

/** What holds the claim up, as its conditions say it. */
export interface ClaimCondition {
  readonly type: 'Launched' | 'Registered' | 'Initialized';
  readonly reason: string;
  readonly message: string;
}

export function isTrue(claim: JsonObject, type: string): boolean {
  return conditionOf(claim, type)?.status === 'True';
}

function createdMs(claim: JsonObject): number {
  return parsedMs(textAt(claim, 'metadata.creationTimestamp')) ?? 0;
}

function sinceMs(claim: JsonObject, type: string): number {
  return parsedMs(conditionOf(claim, type)?.lastTransitionTime) ?? createdMs(claim);
}

/** The lifecycle of a claim: launch, registration, initialisation; the last has no time limit. */
export function claimStep(claim: JsonObject, node: NodeView | null, nowMs: number): ClaimStep {
  if (!isTrue(claim, 'Launched')) return launchStep(claim, nowMs);
  if (!isTrue(claim, 'Registered')) return registrationStep(claim, node, nowMs);
  if (isTrue(claim, 'Initialized')) return waitFor('Initialized', '', '', null);
  if (node === null)
    return waitFor('Initialized', 'NodeNotFound', 'Node not registered with cluster', null);
  const blocker = initialisationBlocker(claim, node);
  return blocker ?? { kind: 'initialise', node };
}

function launchStep(claim: JsonObject, nowMs: number): ClaimStep {
  const leftMs = createdMs(claim) + LAUNCH_TIMEOUT_MS - nowMs;
  return leftMs <= 0 ? { kind: 'give-up', timeout: 'launch' } : { kind: 'launch' };
}

function registrationStep(claim: JsonObject, node: NodeView | null, nowMs: number): ClaimStep {
  const leftMs = sinceMs(claim, 'Launched') + REGISTRATION_TIMEOUT_MS - nowMs;
  if (leftMs <= 0) return { kind: 'give-up', timeout: 'registration' };
  if (node === null)
    return waitFor('Registered', 'NodeNotFound', 'Node not registered with cluster', leftMs);
  if (!node.taints.some(({ key }) => key === UNREGISTERED_TAINT))
    return waitFor(
      'Registered',
      'UnregisteredTaintNotFound',
      'Invariant violated, karpenter.sh/unregistered taint must be present on Karpenter-managed nodes',
      leftMs,
    );
  return { kind: 'register', node };
}

function waitFor(
  type: ClaimCondition['type'],
  reason: string,
  message: string,
  againMs: number | null,
): ClaimStep {
  return { kind: 'wait', condition: { type, reason, message }, againMs };
}

function initialisationBlocker(claim: JsonObject, node: NodeView): ClaimStep | null {
  const wait = (reason: string, message: string): ClaimStep =>
    waitFor('Initialized', reason, message, null);
  if (!isReady(node)) return wait('NodeNotReady', 'Node status is NotReady');
  const startup = listAt(claim, 'spec.startupTaints').map(taintOf);
  const left = node.taints.find((taint) => startup.some((known) => isSame(known, taint)));
  if (left !== undefined)
    return wait('StartupTaintsExist', `StartupTaint "${textOf(left)}" still exists`);
  const ephemeral = node.taints.find(isEphemeral);
  if (ephemeral !== undefined)
    return wait(
      'KnownEphemeralTaintsExist',
      `KnownEphemeralTaint "${textOf(ephemeral)}" still exists`,
    );
  return null;
}

function isEphemeral({ key }: Taint): boolean {
  return EPHEMERAL_TAINTS.includes(key) || key.startsWith(EPHEMERAL_PREFIX);
}

function isSame(one: Taint, other: Taint): boolean {
  return one.key === other.key && one.effect === other.effect;
}

function textOf({ key, value, effect }: Taint): string {
  return value === '' ? `${key}:${effect}` : `${key}=${value}:${effect}`;
}
