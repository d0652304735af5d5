import type { Cause } from './cause.ts';
import type { FoundCause } from './standing.ts';

/** How one cause was answered; of what was not found the reasons are told to nobody. */
export type Answer = FoundCause | 'clear' | 'unknown';

/** The places of causes in lists of answers, given as they are asked first. */
export type Numbers = Map<Cause, number>;

/**
 * How causes were answered about one subject: a list by the causes' places, since a map of hundreds
 * of causes for each machine takes five times the memory.
 */
export class Answers {
  readonly #numbers: Numbers;
  readonly #answers: (Answer | undefined)[] = [];

  /** @param numbers of all subjects of one memory */
  constructor(numbers: Numbers) {
    this.#numbers = numbers;
  }

  get(cause: Cause): Answer | undefined {
    const number = this.#numbers.get(cause);
    return number === undefined ? undefined : this.#answers[number];
  }

  set(cause: Cause, answer: Answer): void {
    const number = this.#numbers.get(cause) ?? this.#numbers.size;
    this.#numbers.set(cause, number);
    while (this.#answers.length < number) this.#answers.push(undefined);
    this.#answers[number] = answer;
  }

  /** Causes that were answered. */
  *causes(): Generator<Cause> {
    for (const [cause, number] of this.#numbers)
      if (this.#answers[number] !== undefined) yield cause;
  }
}
