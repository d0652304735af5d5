import { stageIndex } from '../../evidence/stage.ts';
import type { Verdict } from '../../evidence/verdict.ts';
import type { RollCallRow } from './document.ts';

const DIGITS_MAX = 15;

/** Order in which `node-2` comes before `node-10`; the same on every machine, whatever its locale. */
export function compareNaturally(a: string, b: string): number {
  const left = a.match(/\d+|\D+/g) ?? [];
  const right = b.match(/\d+|\D+/g) ?? [];
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const difference = compareRuns(left[index] ?? '', right[index] ?? '');
    if (difference !== 0) return difference;
  }
  return left.length - right.length || compareTexts(a, b);
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

/** The worst first: by verdict, then the lowest stage, then by name. */
export function compareRows(a: RollCallRow, b: RollCallRow): number {
  const verdicts = BY_VERDICT[a.verdict] - BY_VERDICT[b.verdict];
  if (verdicts !== 0) return verdicts;
  const stages = rung(a) - rung(b);
  return stages === 0 ? compareNaturally(a.name, b.name) : stages;
}

function rung({ stage }: RollCallRow): number {
  return stage === null ? Number.MAX_SAFE_INTEGER : stageIndex(stage);
}
