/** Where the brackets of lines close again. */
export interface BracketEnds {
  /** The line behind the one on which the brackets opened on `from` are closed, -1 when nowhere. */
  readonly after: (from: number) => number;
}

/** Brackets that a line opens more than it closes; what stands in quotes is none. */
function opened(line: string): number {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < line.length; index++) {
    const code = line.charCodeAt(index);
    if (code === 34) inString = !inString;
    else if (code === 92 && inString) index++;
    else if (inString) continue;
    else if (code === 123 || code === 91) depth++;
    else if (code === 125 || code === 93) depth--;
  }
  // Every string of JSON ends on its own line.
  return depth;
}

/** Every line closes all that are open at a depth not less than its own: each is found once. */
function endsOf(lines: readonly string[]): Int32Array {
  const ends = new Int32Array(lines.length).fill(-1);
  const open: { readonly line: number; readonly depth: number }[] = [];
  let depth = 0;
  for (const [index, line] of lines.entries()) {
    open.push({ line: index, depth });
    depth += opened(line);
    for (let top = open.at(-1); top !== undefined && depth <= top.depth; top = open.at(-1)) {
      ends[top.line] = index + 1;
      open.pop();
    }
  }
  return ends;
}

/** Finds the ends for all lines in one pass, when the first of them is asked for. */
export function bracketEnds(lines: readonly string[]): BracketEnds {
  let ends: Int32Array | null = null;
  return {
    after: (from) => {
      ends ??= endsOf(lines);
      return ends[from] ?? -1;
    },
  };
}
