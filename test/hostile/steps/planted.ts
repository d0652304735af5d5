/** Readers with the mistakes that the judge is to find. */
import type { Read } from './readers.ts';

function closesFrom(lines: readonly string[], from: number): boolean {
  let depth = 0;
  for (let index = from; index < lines.length; index++) {
    depth += lines[index] === '{' ? 1 : -1;
    if (depth === 0) return true;
  }
  return false;
}

/** Looks for the end anew from every line. */
const looksAgain: Read = (text) => {
  const lines = text.split('\n');
  return lines.filter((_, index) => closesFrom(lines, index));
};

/** Copies what is left at every step. */
const copiesTheRest: Read = (text) => {
  let count = 0;
  for (let rest = text; rest !== ''; rest = rest.slice(1)) count++;
  return count;
};

/** Copies what it has for each thing that it adds. */
const copiesTheList: Read = (text) => {
  let seen: readonly string[] = [];
  for (const sign of text) seen = seen.concat(sign);
  return seen.length;
};

/** Asks a native method about everything that it saw. */
const asksTheList: Read = (text) => {
  const seen: string[] = [];
  for (const line of text.split('\n').keys())
    if (!seen.includes(String(line))) seen.push(String(line));
  return seen.length;
};

export const PLANTED: Readonly<Record<string, Read>> = {
  looksAgain,
  copiesTheRest,
  copiesTheList,
  asksTheList,
};
