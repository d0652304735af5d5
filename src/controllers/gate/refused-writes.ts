import type { Clock } from '../../ports/clock.ts';
import type { PortFailure } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';
import { Refusals } from '../../runtime/reflector/refusals.ts';
import type { Performed } from '../../runtime/perform.ts';

/** What time alone does not heal. */
const LASTING: ReadonlySet<PortFailure | null> = new Set([
  'denied',
  'unauthenticated',
  'invalid',
  'unsupported',
]);
/** A server that fails is not asked again with each change that it tells of, ms. */
const REST_MS = 1_000;
/** A right that is given back shows within this time, ms. */
const REST_MS_MAX = 20_000;

interface Refused {
  readonly refusals: Refusals;
  untilMs: number;
}

/** Writes that were refused, by Node and by what was to be done: the same waits ever longer. */
export class RefusedWrites {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #random: Random;
  readonly #nodes = new Map<string, Map<string, Refused>>();

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** @returns after how long it may be tried again, ms */
  refused(
    node: string,
    what: string,
    { failure, retryAfterMs }: Pick<Performed, 'failure' | 'retryAfterMs'>,
  ): number {
    const of = this.#nodes.get(node) ?? new Map<string, Refused>();
    const known = of.get(what) ?? {
      refusals: new Refusals(this.#random, REST_MS_MAX),
      untilMs: 0,
    };
    this.#nodes.set(node, of.set(what, known));
    const growingMs = LASTING.has(failure) ? known.refusals.nextMs() : REST_MS;
    const restMs = Math.ceil(Math.max(retryAfterMs ?? 0, growingMs));
    known.untilMs = this.#clock.monotonicMs() + restMs;
    return restMs;
  }

  /** How long it still waits, ms; 0 for what may be tried. */
  restMs(node: string, what: string): number {
    const untilMs = this.#nodes.get(node)?.get(what)?.untilMs;
    return untilMs === undefined ? 0 : Math.max(0, untilMs - this.#clock.monotonicMs());
  }

  /** A write of the Node was done, or the Node is gone. */
  forget(node: string): void {
    this.#nodes.delete(node);
  }
}
