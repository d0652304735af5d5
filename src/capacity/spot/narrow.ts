import { type Box, type Program, type Row, slackOf } from './program.ts';

const ROUNDS_MAX = 20;
const ROUNDING = 1e-7;

/**
 * Narrows a box to what the rows leave possible.
 *
 * @returns false when nothing in the box fulfills all rows
 */
export function narrow({ rows }: Program, box: Box): boolean {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    let hasChanged = false;
    for (const row of rows) {
      const changed = narrowBy(row, box);
      if (changed === null) return false;
      hasChanged ||= changed;
    }
    if (!hasChanged) return true;
  }
  return true;
}

function greatestSum({ of }: Row, { low, high }: Box): number {
  let sum = 0;
  for (let index = 0; index < of.length; index++) {
    const each = of[index] ?? 0;
    sum += each * ((each > 0 ? high[index] : low[index]) ?? 0);
  }
  return sum;
}

/** @returns whether a limit has moved; null when the row cannot hold */
function narrowBy(row: Row, box: Box): boolean | null {
  const spare = greatestSum(row, box) - row.least + slackOf(row);
  if (spare < 0) return null;
  const { low, high } = box;
  let hasChanged = false;
  for (let index = 0; index < row.of.length; index++) {
    const each = row.of[index] ?? 0;
    const [least, most] = [low[index] ?? 0, high[index] ?? 0];
    if (each === 0 || least === most) continue;
    // So far may the variable be from its better end before the row breaks.
    const room = Math.floor(spare / Math.abs(each) + ROUNDING);
    if (room >= most - least) continue;
    if (each > 0) low[index] = most - room;
    else high[index] = least + room;
    hasChanged = true;
  }
  return hasChanged;
}
