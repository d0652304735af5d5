/** Command lines of a shell, taken apart only where the shell itself would. */

interface Scan {
  quote: string;
  /** Open `$(` and `{`. */
  depth: number;
  /** Open `for … done`. */
  loops: number;
}

function step(scan: Scan, line: string, index: number): void {
  const character = line[index] ?? '';
  if (scan.quote !== '') {
    if (character === scan.quote) scan.quote = '';
    return;
  }
  if (character === '"' || character === "'") scan.quote = character;
  else if (character === '(' || character === '{') scan.depth++;
  else if (character === ')' || character === '}') scan.depth = Math.max(0, scan.depth - 1);
  else if (/^(?:for|while) /.test(line.slice(index)) && startsWord(line, index)) scan.loops++;
  else if (/^done\b/.test(line.slice(index)) && startsWord(line, index))
    scan.loops = Math.max(0, scan.loops - 1);
}

function startsWord(line: string, index: number): boolean {
  return index === 0 || /[\s;|]/.test(line[index - 1] ?? '');
}

function splitAt(line: string, mark: ';' | '|'): readonly string[] {
  const scan: Scan = { quote: '', depth: 0, loops: 0 };
  const parts: string[] = [];
  let start = 0;
  for (let index = 0; index < line.length; index++) {
    step(scan, line, index);
    const isOutside = scan.quote === '' && scan.depth === 0 && scan.loops === 0;
    if (!isOutside || line[index] !== mark) continue;
    parts.push(line.slice(start, index).trim());
    start = index + 1;
  }
  return [...parts, line.slice(start).trim()].filter((part) => part !== '');
}

const ASSIGNMENT = /^([A-Z_]+)=/;

/** Commands that run one after another; an assignment stays with those that use its variable. */
export function sequence(line: string): readonly string[] {
  const commands: string[] = [];
  const assignments: string[] = [];
  for (const part of splitAt(line, ';')) {
    const variables = assignments.map((text) => `$${ASSIGNMENT.exec(text)?.[1] ?? ''}`);
    if (ASSIGNMENT.test(part)) assignments.push(part);
    else if (variables.some((variable) => part.includes(variable)))
      commands.push([...assignments, part].join('; '));
    else commands.push(part);
  }
  return commands;
}

/** The stages of a pipeline. */
export function piped(command: string): readonly string[] {
  return splitAt(command, '|');
}
