import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import type { ExampleFile } from '../causes/example.ts';

/** What reading an answer back gives. */
export type Outcome = 'found' | 'found with the logs' | 'open' | 'gone' | 'another';

/** What the command of a cause printed in one form. */
export interface Answer {
  /** As typed, with the names of the example. */
  readonly typed: string;
  readonly form: string;
  readonly text: string;
  readonly outcome: Outcome;
}

/** How servers answer that do not show what an example holds. */
export const MOODS = ['empty', 'forbidden'] as const;

/** What the command of a cause printed where there is nothing, or where it was refused. */
export interface MoodAnswer {
  readonly mood: (typeof MOODS)[number];
  readonly typed: string;
  readonly text: string;
  /** The cause that it names; null where it names none, as it should unless the absence is the fault. */
  readonly named: string | null;
}

/** The command that decides a cause, run by the real clients on what one example holds. */
export interface DecideLoop {
  readonly cause: string;
  readonly command: string;
  /** Null where no example holds what the command would show. */
  readonly example: string | null;
  readonly answers: readonly Answer[];
  /** Of commands of kubectl and aws; servers refuse no command of a machine. */
  readonly moods: readonly MoodAnswer[];
}

export const DECIDE_LOOPS_PATH = join(import.meta.dirname, 'decide-loop.json');

/** What was measured last. */
export function readDecideLoops(): readonly DecideLoop[] {
  return JSON.parse(readFileSync(DECIDE_LOOPS_PATH, 'utf8')) as readonly DecideLoop[];
}

async function readBack(
  cause: string,
  files: readonly { readonly name: string; readonly text: string }[],
): Promise<Outcome> {
  const { headline, subjects } = await diagnoseTexts(files);
  if (headline !== null) return headline.cause === cause ? 'found' : 'another';
  const named = subjects.flatMap(({ findings }) => findings.map((finding) => finding.cause));
  return named.includes(cause) ? 'open' : 'gone';
}

/** Logs and told lines of an example, which somebody who asks has seen before. */
function seenBefore(files: readonly ExampleFile[]): readonly ExampleFile[] {
  return files.filter(
    ({ name, text }) => !/\.(?:json|ya?ml|tf)$/.test(name) && !/^\$ /m.test(text),
  );
}

/** The cause that an answer names by itself. */
export async function namedBy({
  typed,
  text,
}: Pick<Answer, 'typed' | 'text'>): Promise<string | null> {
  const { headline } = await diagnoseTexts([{ name: 'answer.txt', text: `$ ${typed}\n${text}` }]);
  return headline?.cause ?? null;
}

/** Reads an answer alone, and then beside the logs where these do not name the cause themselves. */
export async function outcomeOf(
  cause: string,
  { typed, text }: Pick<Answer, 'typed' | 'text'>,
  files: readonly ExampleFile[],
): Promise<Outcome> {
  const answer = { name: 'answer.txt', text: `$ ${typed}\n${text}` };
  const alone = await readBack(cause, [answer]);
  const before = seenBefore(files);
  if (alone === 'found' || before.length === 0) return alone;
  if ((await readBack(cause, before)) === 'found') return alone;
  const together = await readBack(cause, [...before, answer]);
  return together === 'found' ? 'found with the logs' : alone;
}
