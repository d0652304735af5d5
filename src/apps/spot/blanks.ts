import { happeningOfGap } from '../../collection/recording/gaps.ts';
import type { Happening, Moment } from '../../collection/recording/change.ts';
import type { Refusal } from '../../evidence/observations.ts';

/** What is not answered, each said once when it begins and once when it is over. */
export class Blanks {
  readonly #since = new Map<string, { readonly fromMs: number; readonly why: string }>();

  get calls(): readonly string[] {
    return [...this.#since.keys()];
  }

  /**
   * @param asked calls that were made; one that is not among them is as it was
   * @returns a gap for each that begins, and for each that is over
   */
  take(
    refusals: readonly Pick<Refusal, 'call' | 'message'>[],
    asked: readonly string[],
    moment: Moment,
  ): readonly Happening[] {
    const { nowMs } = moment;
    const gaps: Happening[] = [];
    for (const { call, message } of refusals) {
      if (this.#since.has(call)) continue;
      const why = `${call} is not answered: ${message}`;
      this.#since.set(call, { fromMs: nowMs, why });
      gaps.push(happeningOfGap({ fromMs: nowMs, toMs: null, why }, moment));
    }
    for (const [call, { fromMs, why }] of this.#since) {
      if (!asked.includes(call) || refusals.some((one) => one.call === call)) continue;
      this.#since.delete(call);
      gaps.push(happeningOfGap({ fromMs, toMs: nowMs, why }, moment));
    }
    return gaps;
  }
}
