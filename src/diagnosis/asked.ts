import type { DiagnosisInput } from './examine.ts';

/** Says which machines were asked about, by any of their names; undefined for all of them. */
export function isAsked(asked: readonly string[]): DiagnosisInput['asked'] {
  if (asked.length === 0) return undefined;
  const words = new Set(asked.map((name) => name.toLowerCase()));
  return ({ name, names }) =>
    words.has(name.toLowerCase()) || names.some(({ value }) => words.has(value.toLowerCase()));
}
