/** What EC2 announces to a machine about its end. */
export interface InterruptionNotice {
  readonly kind: 'spot' | 'rebalance' | 'scheduled';
  /** `terminate`, `stop`, `hibernate`; the code of a scheduled event. */
  readonly action: string;
  /** When, as EC2 wrote it; null when it did not say. */
  readonly at: string | null;
}

const REASONS = {
  spot: 'SpotInterruption',
  rebalance: 'RebalanceRecommendation',
  scheduled: 'ScheduledEvent',
} as const;

/** The condition by which the agent shows what EC2 announced. */
export const NOTICE_CONDITION = 'rollcall.dev/InterruptionNotice';

/** What a reason of that condition says; null for another. */
export function noticeKindOf(reason: string): InterruptionNotice['kind'] | null {
  const kinds = ['spot', 'rebalance', 'scheduled'] as const;
  return kinds.find((kind) => REASONS[kind] === reason) ?? null;
}

/** The reason of a condition that says the most urgent of several notices. */
export function noticeReason({ kind }: InterruptionNotice): string {
  return REASONS[kind];
}

export function noticeText({ kind, action, at }: InterruptionNotice): string {
  const when = at === null ? '' : ` at ${at}`;
  if (kind === 'rebalance') return `EC2 recommends to replace this Spot Instance${when}.`;
  if (kind === 'spot') return `EC2 will ${action} this Spot Instance${when}.`;
  return `EC2 has scheduled ${action} for this instance${when}.`;
}
