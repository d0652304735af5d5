import { at, type Json, listAt, textAt } from '../../evidence/json.ts';
import { nodeMappingOf } from './decide.ts';
import type { AuthMemory, RememberedMapping } from './facts.ts';

/** One moment by both clocks, ms: notes hold the time of day, which other starts read. */
export interface BothClocks {
  readonly nowMs: number;
  readonly monotonicMs: number;
}

/** What is remembered, as JSON that another start of the program reads. */
export function memoryNote(memory: AuthMemory, { nowMs, monotonicMs }: BothClocks): Json {
  const wall = (ms: number | null): number | null =>
    ms === null ? null : nowMs - monotonicMs + ms;
  return {
    atMs: nowMs,
    mappings: [...memory.values()].map(({ mapping, goneMs, isRemapped, restoredMs }) => ({
      arn: mapping.arn,
      username: mapping.username,
      groups: [...mapping.groups],
      goneAtMs: wall(goneMs),
      isRemapped,
      restoredAtMs: wall(restoredMs),
    })),
  };
}

/**
 * What another start noted. An entry that makes no plain node of a machine is left out, whoever
 * wrote it; what was noted too long ago is forgotten.
 *
 * @param forgetMs after so long nobody knows whether a mapping is still meant, ms
 */
export function memoryIn(note: Json | undefined, clocks: BothClocks, forgetMs: number): AuthMemory {
  const { nowMs } = clocks;
  const atMs = at(note, 'atMs');
  if (typeof atMs !== 'number' || nowMs - atMs >= forgetMs) return new Map();
  const found = listAt(note, 'mappings').flatMap((one) => {
    const remembered = rememberedIn(one, clocks);
    return remembered === null ? [] : [[remembered.mapping.arn.toLowerCase(), remembered] as const];
  });
  return new Map(found);
}

function rememberedIn(value: Json, clocks: BothClocks): RememberedMapping | null {
  const groups = listAt(value, 'groups').filter((group) => typeof group === 'string');
  const mapping = nodeMappingOf({
    arn: textAt(value, 'arn') ?? '',
    username: textAt(value, 'username') ?? '',
    groups,
  });
  if (mapping === null) return null;
  return {
    mapping,
    goneMs: monotonicOf(at(value, 'goneAtMs'), clocks),
    isRemapped: at(value, 'isRemapped') === true,
    restoredMs: monotonicOf(at(value, 'restoredAtMs'), clocks),
  };
}

/** A time ahead of now, as a clock was set back, is taken for now. */
function monotonicOf(value: Json | undefined, { nowMs, monotonicMs }: BothClocks): number | null {
  return typeof value === 'number' ? monotonicMs - Math.max(0, nowMs - value) : null;
}

/** Two memories of one ConfigMap: the second one is newer, but each may know of a restoration. */
export function joined(before: AuthMemory, now: AuthMemory): AuthMemory {
  const all = new Map([...before, ...now]);
  for (const [key, one] of all) {
    const times = [before.get(key)?.restoredMs, now.get(key)?.restoredMs];
    const known = times.filter((ms) => ms !== null && ms !== undefined);
    if (known.length > 0) all.set(key, { ...one, restoredMs: Math.max(...known) });
  }
  return all;
}
