/** Evidence pasted in every way, and which answers differ from those to the clean text. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import { loadCases, loadPastes } from '../accuracy/cases.ts';
import { type ExampleFile, loadExamples } from '../causes/example.ts';
import type { PasteKind } from './paste-kinds.ts';

/** The one place of what is lost; `node tools/pastes.ts` writes it. */
export const PASTE_LOSSES_PATH = join(import.meta.dirname, 'paste-losses.json');

/** One found example in so many is pasted. */
const FOUND_OF = 4;

export interface PastedPile {
  readonly name: string;
  readonly files: readonly ExampleFile[];
  /** Causes that may be named. */
  readonly accept: readonly string[];
}

/** What one way of pasting changes. */
export interface PasteLoss {
  readonly kind: string;
  /** Answers that differed before pastes were read as what they are; null where not measured. */
  readonly before: number | null;
  /** Piles for which nothing is named any more. */
  readonly silent: readonly string[];
  /** Piles for which another cause is named, with that cause. */
  readonly named: Readonly<Record<string, string>>;
}

export interface PasteLosses {
  readonly piles: number;
  /** Piles of which `before` was counted. */
  readonly pilesBefore: number;
  readonly kinds: readonly PasteLoss[];
}

/** A number that stays with a name, so that a new example changes no other's turn. */
function placeOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE(0);
}

/** Every case, every pasted line and one in four of the found examples. */
export function pastedPiles(): readonly PastedPile[] {
  const found = loadExamples().filter(({ expect }) => expect === 'found');
  return [
    ...loadCases().map(({ name, files, accept }) => ({ name: `case ${name}`, files, accept })),
    ...loadPastes().map(({ id, line, accept }) => ({
      name: `paste ${id}`,
      files: [{ name: 'paste.txt', text: `${line}\n` }],
      accept,
    })),
    ...found
      .filter(({ cause, name }) => placeOf(`${cause}/${name}`) % FOUND_OF === 0)
      .map(({ cause, name, files }) => ({ name: `${cause}/${name}`, files, accept: [cause] })),
  ];
}

export async function headlineOf(files: readonly ExampleFile[]): Promise<string | null> {
  return (await diagnoseTexts(files)).headline?.cause ?? null;
}

/** The cause that is named of the pasted pile instead; undefined where the answer stays. */
export async function changedBy(
  { apply }: PasteKind,
  { files }: PastedPile,
  clean: string | null,
): Promise<string | null | undefined> {
  const said = await headlineOf(apply(files));
  return said === clean ? undefined : said;
}

export function readPasteLosses(): PasteLosses {
  return JSON.parse(readFileSync(PASTE_LOSSES_PATH, 'utf8')) as PasteLosses;
}
