/** The census of one program: each of its messages and what is known of it. */
import { ownersOf } from './asked-signs.ts';
import {
  type Judged,
  judgedByFile,
  type Judgement,
  JUDGEMENTS,
  type Judgements,
} from './judged.ts';
import { type FolderOf, type Message, messagesOfProgram } from './known-messages.ts';
import type { Program } from './programs.ts';

/** `sign` and `symptom` are what the catalogue matches; all others but `unjudged` people said. */
export type Verdict = 'sign' | 'symptom' | Judgement | 'unjudged';

export const VERDICTS: readonly Verdict[] = [
  'sign',
  'symptom',
  'decides',
  'suspect',
  'consequence',
  'noise',
  'unjudged',
];

export interface Entry {
  readonly message: Message;
  readonly verdict: Verdict;
  /** Owners of the signs that match. */
  readonly owners: readonly string[];
  readonly judged: Judged | null;
  /** Whether somebody judged the message by itself. */
  readonly isJudgedItself: boolean;
}

export interface Census {
  readonly program: Program;
  readonly judgements: Judgements;
  readonly entries: readonly Entry[];
}

export async function censusOf(
  program: Program,
  judgements: Judgements,
  folderOf?: FolderOf,
): Promise<Census> {
  const messages = await messagesOfProgram(program, folderOf);
  const entries = messages.map((message) => entryOf(program, judgements, message));
  return { program, judgements, entries };
}

function entryOf({ sources }: Program, judgements: Judgements, message: Message): Entry {
  const owners = ownersOf(message.text, sources);
  const itself = judgements.byMessage.get(message.key) ?? null;
  const judged = itself ?? judgedByFile(judgements, message);
  const verdict = verdictOf(owners, itself, judged);
  return { message, owners, judged, verdict, isJudgedItself: itself !== null };
}

/** A sign outweighs what people said, and a symptom what they said of a whole file. */
export function verdictOf(
  owners: readonly string[],
  itself: Judged | null,
  judged: Judged | null,
): Verdict {
  if (owners.some((owner) => !owner.includes(':'))) return 'sign';
  if (itself === null && owners.length > 0) return 'symptom';
  return judged?.judgement ?? 'unjudged';
}

/** Judged together with all other messages of its file or folder. */
export function isJudgedByFile({ verdict, isJudgedItself }: Entry): boolean {
  return !isJudgedItself && (JUDGEMENTS as readonly string[]).includes(verdict);
}

/** How many entries have each verdict, in the order of `VERDICTS`. */
export function countsOf(entries: readonly Entry[]): readonly number[] {
  return VERDICTS.map((verdict) => entries.filter((entry) => entry.verdict === verdict).length);
}

/** The entries that a release prints. */
export function entriesOfRelease({ entries }: Census, release: string): readonly Entry[] {
  return entries.filter(({ message }) => message.releases.has(release));
}

/** What is wrong with the census, as sentences; none when it may pass. */
export function faultsOf(census: Census, causes: ReadonlySet<string>): readonly string[] {
  return [...unjudgedFaults(census), ...ruleFaults(census, causes)];
}

function unjudgedFaults({ program, judgements, entries }: Census): readonly string[] {
  const unjudged = entries.filter(({ verdict }) => verdict === 'unjudged').length;
  if (unjudged <= judgements.unjudgedMax) return [];
  const known = judgements.unjudgedMax;
  return [
    `${program.name}: ${unjudged} messages are not judged, ${known} were; list them: npm run census -- --unjudged ${program.name}`,
  ];
}

function ruleFaults(
  { program, judgements, entries }: Census,
  causes: ReadonlySet<string>,
): readonly string[] {
  const keys = new Set(entries.map(({ message }) => message.key));
  const files = new Set(entries.flatMap(({ message }) => [...message.files]));
  const rules = [...judgements.byMessage.values(), ...judgements.byFile.values()];
  const unknown = rules.flatMap((rule) => rule.causes).filter((id) => !causes.has(id));
  const stale = [...judgements.byMessage.keys()].filter((key) => !keys.has(key));
  const empty = [...judgements.byFile.keys()].filter((path) => !isPrinting(files, path));
  return [
    ...unknown.map((id) => `${program.name}: unknown cause "${id}"; list them: rollcall causes`),
    ...stale.map((key) => `${program.name}: no release prints "${key}"; remove its judgement`),
    ...empty.map((path) => `${program.name}: no message is in ${path}; remove its judgement`),
  ];
}

function isPrinting(files: ReadonlySet<string>, path: string): boolean {
  return [...files].some((file) => file === path || file.startsWith(`${path}/`));
}
