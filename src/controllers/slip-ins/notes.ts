import { excerptOf } from '../../evidence/redact.ts';
import type { EventNote, EventSubject } from '../../runtime/events/event-correlator.ts';
import type { EvictionEnd, Replacement } from './keeper.ts';
import { nameOf, type PodFacts } from './pod.ts';
import { type JudgedSlipIn, type SlipIn, whyKept } from './slip-in.ts';

/** Reasons of the Events about Pods that slipped in. */
export const SLIP_IN_REASONS = [
  'SlipInFound',
  'SlipInEvicted',
  'SlipInBudgetForbids',
  'SlipInNotEvicted',
  'SlipInReplaced',
] as const;
export type SlipInReason = (typeof SLIP_IN_REASONS)[number];

const MESSAGE_CHARS_MAX = 1_000;

function subjectOf({ namespace, name, uid }: PodFacts): EventSubject {
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
}

function noteOf(
  pod: PodFacts,
  type: EventNote['type'],
  reason: SlipInReason,
  message: string,
): EventNote {
  return { about: subjectOf(pod), type, reason, message: excerptOf(message, MESSAGE_CHARS_MAX) };
}

/** What is done about it, one sentence. */
export function nextText(slipIn: JudgedSlipIn): string {
  const { decision } = slipIn;
  return decision.act === 'evict'
    ? 'It is evicted as budgets allow.'
    : whyKept(slipIn, decision.why);
}

/** `slipped in on node-1: bound at …` */
export function foundText({ pod, proof }: SlipIn): string {
  return `slipped in on ${pod.nodeName}: ${proof.says}`;
}

export function foundNote(slipIn: JudgedSlipIn): EventNote {
  const message = `This Pod ${foundText(slipIn)}. ${nextText(slipIn)}`;
  return noteOf(slipIn.pod, 'Warning', 'SlipInFound', message);
}

const ENDS: Partial<Readonly<Record<EvictionEnd['performed']['outcome'], SlipInReason>>> = {
  done: 'SlipInEvicted',
  'forbidden-by-budget': 'SlipInBudgetForbids',
};

/** How an eviction ended, one sentence. */
export function endText({ slipIn, performed }: EvictionEnd): string {
  const { outcome, why } = performed;
  if (outcome === 'done') return `Evicted, as it ${foundText(slipIn)}.`;
  if (outcome === 'forbidden-by-budget') return `A budget forbids it: ${why}`;
  return `Not evicted: ${why}`;
}

/** null for a Pod that is another by now, of which there is nothing to tell. */
export function endNote(end: EvictionEnd): EventNote | null {
  const { outcome } = end.performed;
  if (outcome === 'conflict') return null;
  const type = outcome === 'done' ? 'Normal' : 'Warning';
  return noteOf(end.slipIn.pod, type, ENDS[outcome] ?? 'SlipInNotEvicted', endText(end));
}

/** `shop/cart-x on node-1, ready` */
function placeText(by: PodFacts): string {
  const where = by.nodeName === '' ? 'not bound yet' : `on ${by.nodeName}`;
  return `${nameOf(by)} ${where}, ${by.isReady ? 'ready' : 'not ready yet'}`;
}

/** What replaced an evicted Pod, one sentence. */
export function replacedText({ slipIn, by }: Replacement): string {
  const name = nameOf(slipIn.pod);
  if (by === null)
    return `No Pod has replaced ${name} in 15 min; look at its ${slipIn.pod.controller?.kind ?? 'controller'}.`;
  return `Pod ${name} of ${slipIn.pod.nodeName} was replaced by ${placeText(by)}.`;
}

export function replacedNote(replacement: Replacement): EventNote {
  const { slipIn, by } = replacement;
  const type = by === null ? 'Warning' : 'Normal';
  return noteOf(by ?? slipIn.pod, type, 'SlipInReplaced', replacedText(replacement));
}
