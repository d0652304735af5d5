import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseExample } from '../test/causes/example.ts';
import { createSeeded, type Seeded } from './seeded.ts';

const CAUSES = join(import.meta.dirname, '../src/causes');
/** Files of an example that a program wrote line by line. */
const LOG_FILE = /^([\w-]+)\.(?:log|journal)$/;
/** What changes when a program says the same again: fractions of seconds, ids and hexadecimal names. */
const CHANGING = /\.\d{3,9}\b|\b(?=[0-9a-f-]*\d)[0-9a-f]{8}[0-9a-f-]*\b/g;
const CLOCK = /\b\d\d:\d\d:\d\d\b/g;

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** The lines of a log as a program says them some time later, with ids of the same length. */
function saidAgain(text: string, random: Seeded): string {
  const clock = `${two(random.below(24))}:${two(random.below(60))}:${two(random.below(60))}`;
  return text
    .replace(CLOCK, clock)
    .replace(CHANGING, (word) =>
      word.replace(/\d/g, () => String(random.below(10))).replace(/[a-f]/g, () => random.hex(1)),
    );
}

function capturedExamples(): readonly string[] {
  return readdirSync(CAUSES, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(?:found|clear|unknown)-captured-.*\.txt$/.test(basename(path)))
    .toSorted();
}

/** What each real program printed in the captured examples, all its runs one after another. */
export function capturedLogs(): ReadonlyMap<string, string> {
  const logs = new Map<string, string>();
  for (const path of capturedExamples()) {
    for (const { name, text } of parseExample(readFileSync(join(CAUSES, path), 'utf8')).files) {
      const program = LOG_FILE.exec(name)?.[1];
      if (program !== undefined) logs.set(program, `${logs.get(program) ?? ''}${text}`);
    }
  }
  return logs;
}

/** Lines that a healthy kubelet prints while it starts. */
export function startUpLines(log: string): string {
  return log.replace(/^(?!.* I\d{4} ).*\n/gm, '');
}

/** Says a log again and again without end, each time at another time and with other ids. */
export function* repeated(text: string, seed: number): Generator<Buffer, never> {
  const random = createSeeded(seed);
  for (;;) yield Buffer.from(saidAgain(text, random));
}
