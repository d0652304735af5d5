import type { Span } from './raw-bytes.ts';

const SLOTS = 1 << 14;

/** The slot of three bytes; some share one. */
function slotOf(first: number, second: number, third: number): number {
  return ((first << 10) ^ (second << 5) ^ third) & (SLOTS - 1);
}

/** The slots of a word of at least three bytes. */
export function gramsOf(word: string): readonly number[] {
  const bytes = new TextEncoder().encode(word);
  return Array.from({ length: bytes.length - 2 }, (_, at) =>
    slotOf(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!),
  );
}

/**
 * Which three bytes stand behind one another in a line: noted once, so that it can be asked of many
 * words whether the line may hold them.
 */
export class LineGrams {
  /** By slot: the number of the line that had it last. */
  readonly #seen = new Uint32Array(SLOTS);
  #line = 0;

  /** Notes the line in these bytes, and forgets the one before. */
  note(bytes: Uint8Array, { start, end }: Span): void {
    const seen = this.#seen;
    const line = ++this.#line;
    let first = bytes[start]!;
    let second = bytes[start + 1]!;
    for (let at = start + 2; at < end; at++) {
      const third = bytes[at]!;
      seen[slotOf(first, second, third)] = line;
      first = second;
      second = third;
    }
  }

  /** False when the noted line does not hold the word. */
  mayHold(grams: readonly number[]): boolean {
    for (const gram of grams) if (this.#seen[gram] !== this.#line) return false;
    return true;
  }
}
