/** A line of the screen to write anew, counted from 0; null clears it. */
export interface ChangedLine {
  readonly line: number;
  readonly text: string | null;
}

/** Which lines differ from one drawing to the next. */
export function redraw(
  previous: readonly string[],
  next: readonly string[],
): readonly ChangedLine[] {
  const changed: ChangedLine[] = [];
  for (let line = 0; line < Math.max(previous.length, next.length); line++) {
    if (previous[line] !== next[line]) changed.push({ line, text: next[line] ?? null });
  }
  return changed;
}

/** At most `height` lines; what is cut is counted in the last one. */
export function clipLines(lines: readonly string[], height: number): readonly string[] {
  if (lines.length <= height) return lines;
  const shown = Math.max(0, height - 1);
  return [...lines.slice(0, shown), `… and ${lines.length - shown} more lines`];
}

/**
 * What to write to a terminal whose cursor stands under the previous drawing, so that the next one
 * stands in its place and the cursor under that: only lines that changed are written.
 */
export function repaint(previous: readonly string[], next: readonly string[]): string {
  let at = previous.length;
  let text = '';
  for (const change of redraw(previous, next)) {
    text += moveTo(at, change.line);
    at = change.line;
    text += `\r\u001b[2K${change.text ?? ''}`;
  }
  return text === '' ? '' : `${text}${moveTo(at, next.length)}\r`;
}

/** A line feed goes down one line, and makes one where the screen ends. */
function moveTo(from: number, to: number): string {
  return to < from ? `\u001b[${from - to}A` : '\n'.repeat(to - from);
}
