import { tolerates } from '../gate/placement.ts';
import { timeText } from '../gate/record.ts';
import type { PodFacts } from './pod.ts';
import type { GateStanding } from './standing.ts';

/**
 * How it is known that a Pod came too early: it was bound while the gate had never opened the
 * node; bound between the loss of a proof and the taint; its containers started before the agent
 * first found the node good; or the agent saw it use the node's identity.
 */
export type SlipInKind =
  | 'bound-while-shut'
  | 'bound-after-loss'
  | 'started-early'
  | 'wrong-identity';

export interface SlipInProof {
  readonly kind: SlipInKind;
  /** One clause. */
  readonly says: string;
}

/** Clocks of the API server, a kubelet and ours differ by less, ms; times are of whole seconds. */
const MARGIN_MS = 2_000;
/** A gate opens as soon as its proofs have held for the dwell; a later record is of a wrong clock. */
const OPENS_WITHIN_MS = 60_000;
/** Pods that came so soon after the Node came before any of its labels can have been changed. */
const BIRTH_MS = 10 * 60_000;

export function isTolerating({ tolerations }: PodFacts, { policy }: GateStanding): boolean {
  return tolerations.some((one) => tolerates(one, policy.taint));
}

function nameOf({ policy }: GateStanding): string {
  return `${policy.source.kind} ${policy.source.name}`;
}

function whileShut(pod: PodFacts, standing: GateStanding): SlipInProof | null {
  const { node, isNeverOpened, isSeenFromBirth } = standing;
  const boundMs = pod.boundMs ?? pod.createdMs;
  if (!isNeverOpened || boundMs === null || node.createdMs === null) return null;
  const ageMs = boundMs - node.createdMs;
  // An older Pod is of a former Node with this name.
  if (ageMs < 0 || (ageMs > BIRTH_MS && !isSeenFromBirth)) return null;
  const says = `bound at ${timeText(boundMs)}, and ${nameOf(standing)} has never opened this node`;
  return { kind: 'bound-while-shut', says };
}

function afterLoss({ uid }: PodFacts, standing: GateStanding): SlipInProof | null {
  const { beforeLoss } = standing;
  if (beforeLoss === null || beforeLoss.has(uid)) return null;
  const says = `bound after a proof of ${nameOf(standing)} was lost, and before the node was shut`;
  return { kind: 'bound-after-loss', says };
}

/** True where the record of the opening and the proofs agree, as they do with right clocks. */
function isPlausible({ openedMs, provenMs, policy }: GateStanding): boolean {
  if (openedMs === null || provenMs === null) return false;
  const heldMs = openedMs - provenMs;
  return heldMs >= -MARGIN_MS && heldMs <= policy.dwellMs + OPENS_WITHIN_MS;
}

/** Both the API server's clock and the machine's have to say so. */
function startedEarly(pod: PodFacts, standing: GateStanding): SlipInProof | null {
  const { openedMs, agentMs } = standing;
  const { startedMs, boundMs } = pod;
  if (openedMs === null || agentMs === null || startedMs === null || boundMs === null) return null;
  if (!isPlausible(standing) || boundMs >= openedMs - MARGIN_MS) return null;
  if (startedMs >= agentMs - MARGIN_MS) return null;
  const says = `its containers run since ${timeText(startedMs)}, and the agent found this node good at ${timeText(agentMs)}`;
  return { kind: 'started-early', says };
}

const GUARD = 'rollcall.dev/MetadataGuarded';
const OLD_FLOW = 'OldFlowBypassesRedirect';
const FLOWS = /the node's role: (?<flows>[^;]+)/;
/** An address with its port, and what follows it: one that was cut may be another. */
const FLOW = /(?<ip>\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}(?=[,.]? )/g;

/** Addresses of Pods that the agent saw reach instance metadata past the redirect. */
function bypassing(message: string): readonly string[] {
  const { flows = '' } = FLOWS.exec(message)?.groups ?? {};
  return [...flows.matchAll(FLOW)].map(({ groups }) => groups?.['ip'] ?? '');
}

function wrongIdentity(pod: PodFacts, { node }: GateStanding): SlipInProof | null {
  const guard = node.conditions.get(GUARD);
  if (guard?.status !== 'False' || guard.reason !== OLD_FLOW) return null;
  const ip = bypassing(guard.message).find((one) => pod.ips.includes(one));
  const { heartbeatMs } = guard;
  // The address may have been another Pod's before.
  const isSame = pod.startedMs !== null && heartbeatMs !== null && pod.startedMs < heartbeatMs;
  if (ip === undefined || !isSame) return null;
  const says = `the agent saw ${ip} reach instance metadata past the redirect, which gives it the node's role`;
  return { kind: 'wrong-identity', says };
}

/** What shows that a Pod came before a gate was open; null where nothing does. */
export function proofOf(pod: PodFacts, standing: GateStanding): SlipInProof | null {
  const identity = wrongIdentity(pod, standing);
  if (identity !== null || isTolerating(pod, standing)) return identity;
  return whileShut(pod, standing) ?? afterLoss(pod, standing) ?? startedEarly(pod, standing);
}

/** True when every container started after all proofs held: what it got before is gone. */
export function hasRestarted(
  { startedMs }: PodFacts,
  { provenMs, openedMs }: GateStanding,
): boolean {
  if (openedMs === null || provenMs === null || startedMs === null) return false;
  return startedMs > provenMs;
}
