/** What a program does to the world, or gets from it; each is a place where something may fail. */
export const CALL_KINDS = ['write', 'read', 'event', 'append', 'look'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

/** One call of a program at one of its ports. */
export interface Call {
  readonly program: string;
  readonly kind: CallKind;
  /** Counts the calls of its kind by all programs, from 1. */
  readonly ordinal: number;
  /** `patch nodereports i-1`, `list nodes`, `MODIFIED nodes n1` */
  readonly what: string;
}

/**
 * What becomes of a call.
 *
 * `crash-before`: the program is gone before it is sent. `crash-after`: it takes effect, and the
 * program is gone. `lost-request`: it is never applied, and its answer does not come. `lost-answer`:
 * it takes effect, and its answer does not come. `twice`: it arrives twice, and the second answer
 * counts. `stands`: the program stands still, longer than a Lease lasts, before it goes on. `stale`: what is answered is older. `skipped`, `late`, `repeated`: of an event.
 */
export const DEEDS = [
  'crash-before',
  'crash-after',
  'lost-request',
  'lost-answer',
  'twice',
  'stands',
  'stale',
  'skipped',
  'late',
  'repeated',
] as const;
export type Deed = (typeof DEEDS)[number];

/** What may be done to a call of a kind. */
export const DEEDS_OF: Readonly<Record<CallKind, readonly Deed[]>> = {
  write: ['crash-before', 'crash-after', 'lost-request', 'lost-answer', 'twice', 'stands'],
  append: ['crash-before', 'crash-after', 'lost-request', 'lost-answer', 'stands'],
  read: ['stale', 'crash-after'],
  look: ['crash-after'],
  event: ['skipped', 'late', 'repeated'],
};

/** Longer than a Lease lasts, ms. */
export const STANDS_MS = 18_000;

/** Decides what becomes of each call; null for nothing. */
export type Fate = (call: Call) => Deed | null;

/** Numbers calls of all programs by their kind, and asks what becomes of them. */
export class Calls {
  readonly #fate: Fate;
  readonly #counts = new Map<CallKind, number>();

  constructor(fate: Fate) {
    this.#fate = fate;
  }

  next(program: string, kind: CallKind, what: string): Deed | null {
    const ordinal = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, ordinal);
    return this.#fate({ program, kind, ordinal, what });
  }
}
