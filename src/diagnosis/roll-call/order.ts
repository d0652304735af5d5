import { stageIndex } from '../../evidence/stage.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import type { RollCallRow } from './document.ts';

const DIGITS_MAX = 15;

/** Order in which `node-2` comes before `node-10`; the same on every machine, whatever its locale. */
export function compareNaturally(a: string, b: string): number {
  return compareParts(partsOf(a), partsOf(b)) || compareTexts(a, b);
}

/** Digits and what is between them. */
function partsOf(name: string): readonly string[] {
  return name.match(/\d+|\D+/g) ?? [];
}

function compareParts(left: readonly string[], right: readonly string[]): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const difference = compareRuns(left[index] ?? '', right[index] ?? '');
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function compareRuns(a: string, b: string): number {
  const isNumber = /^\d/.test(a) && /^\d/.test(b);
  if (!isNumber || Math.max(a.length, b.length) > DIGITS_MAX) return compareTexts(a, b);
  return Number(a) - Number(b);
}

const BY_VERDICT: Readonly<Record<Verdict, number>> = {
  'not-usable': 0,
  'cannot-tell': 1,
  usable: 2,
};

const PARTS = new WeakMap<RollCallRow, readonly string[]>();

/** Of a row's name; a roll call that is kept has the same rows again and again. */
function partsOfRow(row: RollCallRow): readonly string[] {
  const parts = PARTS.get(row) ?? partsOf(row.name);
  PARTS.set(row, parts);
  return parts;
}

interface Placed<T> {
  readonly value: T;
  readonly row: RollCallRow;
  readonly parts: readonly string[];
}

/** The worst first: by verdict, then the lowest stage, then by name. */
function comparePlaced(one: Placed<unknown>, other: Placed<unknown>): number {
  const a = one.row;
  const b = other.row;
  const verdicts = BY_VERDICT[a.verdict] - BY_VERDICT[b.verdict];
  if (verdicts !== 0) return verdicts;
  const stages = rung(a) - rung(b);
  if (stages !== 0) return stages;
  return compareParts(one.parts, other.parts) || compareTexts(a.name, b.name);
}

/** What has a row, in the order of rows. */
export function inRowOrder<T extends { readonly row: RollCallRow }>(
  values: readonly T[],
): readonly T[] {
  const placed = values.map((value) => ({ value, row: value.row, parts: partsOfRow(value.row) }));
  return placed.toSorted(comparePlaced).map(({ value }) => value);
}

function rung({ stage }: RollCallRow): number {
  return stage === null ? Number.MAX_SAFE_INTEGER : stageIndex(stage);
}
