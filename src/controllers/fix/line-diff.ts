const CONTEXT_LINES = 3;
const LINE_MAX = 200;

function clipped(line: string): string {
  const text = line.replace(/\r$/, '');
  return text.length <= LINE_MAX ? text : `${text.slice(0, LINE_MAX - 1)}…`;
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/**
 * The one place in which two texts differ, in lines: those around it behind a blank, those that go
 * behind `-`, those that come behind `+`. Long lines are cut.
 */
export function lineDiff(before: string, after: string): readonly string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const shortest = Math.min(old.length, now.length);
  let head = 0;
  while (head < shortest && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && old[old.length - 1 - tail] === now[now.length - 1 - tail])
    tail += 1;
  const marked = (mark: string, lines: readonly string[]): readonly string[] =>
    lines.map((line) => `${mark} ${clipped(line)}`.trimEnd());
  return [
    ...marked(' ', old.slice(Math.max(0, head - CONTEXT_LINES), head)),
    ...marked('-', old.slice(head, old.length - tail)),
    ...marked('+', now.slice(head, now.length - tail)),
    ...marked(' ', old.slice(old.length - tail, old.length - tail + CONTEXT_LINES)),
  ];
}
