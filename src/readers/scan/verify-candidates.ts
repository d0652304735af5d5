import type { Candidates } from './find-candidates.ts';
import { gramAt } from './gram-commonness.ts';
import type { GramIndex } from './gram-index.ts';
import { bucketOf } from './gram-index.ts';

/** Told of a literal found: its place in the text, and its number. */
export type OnLiteral = (at: number, literal: number) => void;

function occursAt(bytes: Uint8Array, at: number, index: GramIndex, literal: number): boolean {
  const { literalBytes, literalStarts } = index;
  const end = literalStarts[literal + 1]!;
  for (let from = literalStarts[literal]!, to = at; from < end; from++, to++) {
    if (bytes[to] !== literalBytes[from]) return false;
  }
  return true;
}

/** Compares the candidates of the first `limit` bytes with the literals that have their gram. */
export function verifyCandidates(
  bytes: Uint8Array,
  limit: number,
  index: GramIndex,
  candidates: Candidates,
  onLiteral: OnLiteral,
): void {
  const { buckets, entries, literalStarts } = index;
  const { count, offsets } = candidates;
  for (let rank = 0; rank < count; rank++) {
    const offset = offsets[rank]!;
    const gram = gramAt(bytes, offset);
    for (let place = buckets[bucketOf(gram)]!; place >= 0; place = entries[place + 3]!) {
      if (entries[place] !== gram) continue;
      const literal = entries[place + 1]!;
      const at = offset - entries[place + 2]!;
      const end = at + literalStarts[literal + 1]! - literalStarts[literal]!;
      if (at < 0 || end > limit || !occursAt(bytes, at, index, literal)) continue;
      onLiteral(at, literal);
    }
  }
}
