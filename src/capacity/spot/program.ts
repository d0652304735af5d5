/** So many of one thing: the next one never costs less than the one before. */
export interface Variable {
  /** What the first costs without `square`; not negative. */
  readonly linear: number;
  /** x of them cost `linear * x + square * x * x`; not negative. */
  readonly square: number;
  /** Most that can be taken. */
  readonly most: number;
}

/** The sum of `of[i] * x[i]` must be at least `least`; "at most" is written with negative numbers. */
export interface Row {
  readonly of: readonly number[];
  readonly least: number;
}

/** How many of each thing to take so that every row holds, at the least cost. */
export interface Program {
  readonly variables: readonly Variable[];
  readonly rows: readonly Row[];
}

/** Limits between which each variable is looked for. */
export interface Box {
  readonly low: number[];
  readonly high: number[];
}

/** Sums of dollars and shares are compared with this slack, relative to their size. */
export const SLACK = 1e-9;

export function costOfCount({ linear, square }: Variable, count: number): number {
  return linear * count + square * count * count;
}

export function costOf({ variables }: Program, counts: readonly number[]): number {
  return variables.reduce((sum, one, index) => sum + costOfCount(one, counts[index] ?? 0), 0);
}

export function sumOf({ of }: Row, counts: readonly number[]): number {
  return of.reduce((sum, each, index) => sum + each * (counts[index] ?? 0), 0);
}

export function holds(row: Row, counts: readonly number[]): boolean {
  return sumOf(row, counts) >= row.least - slackOf(row);
}

export function slackOf({ least }: Row): number {
  return SLACK * Math.max(1, Math.abs(least));
}

export function isFeasible({ rows }: Program, counts: readonly number[]): boolean {
  return rows.every((row) => holds(row, counts));
}
