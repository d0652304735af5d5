/** Lines, and where each of them is in the text that was given. */
export interface PastedLines {
  readonly lines: readonly string[];
  /** By line, counted from 1; null while they are the lines of the text itself. */
  readonly numbers: readonly number[] | null;
}

export type Layer = (given: PastedLines) => PastedLines;

/** Changes each line by itself. */
export function eachLine(given: PastedLines, change: (line: string) => string): PastedLines {
  return { lines: given.lines.map(change), numbers: given.numbers };
}

/** The number that a line has in the text that was given. */
export function numberOf({ numbers }: PastedLines, index: number): number {
  return numbers?.[index] ?? index + 1;
}

/** Gives several lines for one; the given list itself where nothing is split. */
export function splitLines(
  given: PastedLines,
  split: (line: string) => readonly string[] | null,
): PastedLines {
  const lines: string[] = [];
  const numbers: number[] = [];
  let isSplit = false;
  for (const [index, line] of given.lines.entries()) {
    const parts = split(line);
    if (parts !== null) isSplit = true;
    for (const part of parts ?? [line]) {
      lines.push(part);
      numbers.push(numberOf(given, index));
    }
  }
  return isSplit ? { lines, numbers } : given;
}
