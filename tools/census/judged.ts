/** What people said of messages: single ones, and all of a file or folder that they have read. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldKey } from './fold.ts';
import type { Message } from './known-messages.ts';

/** From the strongest to the weakest: where a message is printed in several files, the first holds. */
export const JUDGEMENTS = ['decides', 'suspect', 'consequence', 'noise'] as const;
export type Judgement = (typeof JUDGEMENTS)[number];

export interface Judged {
  readonly judgement: Judgement;
  readonly causes: readonly string[];
  readonly reason: string;
}

export interface Judgements {
  /** Releases whose messages were read; a rule for a file says nothing of what came later. */
  readonly releases: ReadonlySet<string>;
  /** How many may be unjudged: as many as when the file was last worked on. */
  readonly unjudgedMax: number;
  readonly byMessage: ReadonlyMap<string, Judged>;
  readonly byFile: ReadonlyMap<string, Judged>;
}

const FOLDER = join(import.meta.dirname, 'judged');

/** @throws Error naming the line that is not of the form that `tools/census/judged/README.md` tells */
export function readJudgements(program: string): Judgements {
  const path = join(FOLDER, `${program}.tsv`);
  return parseJudgements(existsSync(path) ? readFileSync(path, 'utf8') : '', path);
}

/** @param name for errors */
export function parseJudgements(text: string, name: string): Judgements {
  const lines = text.split('\n');
  const byMessage = new Map<string, Judged>();
  const byFile = new Map<string, Judged>();
  for (const [index, line] of lines.entries()) {
    if (line === '' || line.startsWith('#')) continue;
    const [kind, what = '', ...rest] = line.split('\t');
    const judged = judgedOf(rest, `${name}:${index + 1}`);
    if (kind === 'message') byMessage.set(foldKey(what), judged);
    else if (kind === 'file') byFile.set(what, judged);
    else throw new Error(`${name}:${index + 1}: begins with "${kind}"; use message or file`);
  }
  const releases = new Set(headOf(lines, 'releases'));
  return { releases, unjudgedMax: Number(headOf(lines, 'unjudged')[0] ?? 0), byMessage, byFile };
}

function headOf(lines: readonly string[], word: string): readonly string[] {
  const head = lines.find((line) => line.startsWith(`# ${word}: `));
  return head === undefined ? [] : head.slice(word.length + 4).split(', ');
}

function judgedOf(fields: readonly string[], where: string): Judged {
  const [word, causes = '', reason = ''] = fields;
  const judgement = JUDGEMENTS.find((one) => one === word);
  if (judgement === undefined)
    throw new Error(`${where}: unknown judgement "${word}"; use ${JUDGEMENTS.join(', ')}`);
  const ids = causes === '-' || causes === '' ? [] : causes.split(',');
  if (ids.length === 0 && (judgement === 'decides' || judgement === 'suspect'))
    throw new Error(`${where}: ${judgement} names no cause`);
  return { judgement, causes: ids, reason };
}

/** What was said of all the files that print the message; null when one of them was not read. */
export function judgedByFile(judgements: Judgements, message: Message): Judged | null {
  if (![...message.releases].some((release) => judgements.releases.has(release))) return null;
  const rules = [...message.files].map((file) => ruleOf(judgements.byFile, file));
  const known = rules.filter((rule) => rule !== null);
  if (known.length < rules.length) return null;
  return known.toSorted((a, b) => rankOf(a) - rankOf(b))[0] ?? null;
}

function rankOf({ judgement }: Judged): number {
  return JUDGEMENTS.indexOf(judgement);
}

/** The rule of the file, else of the innermost folder that has one. */
function ruleOf(rules: ReadonlyMap<string, Judged>, file: string): Judged | null {
  for (let path = file; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) {
    const rule = rules.get(path);
    if (rule !== undefined) return rule;
  }
  return null;
}
