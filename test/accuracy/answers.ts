/** Whole answers as they are recorded beside each case: what a person reads, then the document. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import { structured } from '../../src/apps/cli/structured.ts';
import type { DiagnosisDocument, SubjectReport } from '../../src/diagnosis/document.ts';
import type { RollCallDocument } from '../../src/diagnosis/roll-call/document.ts';
import { renderText } from '../../src/diagnosis/report/text.ts';
import type { AccuracyCase } from './cases.ts';
import { lookTwice } from './live/look.ts';
import type { LiveState } from './live/state.ts';

const LIVE = join(import.meta.dirname, 'live/answers');

/** An answer and the file that has it. */
export interface Recorded {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

type Rung = SubjectReport['ladder'][number];

/** A rung of which nothing is known takes a line and not four. */
function brief(rung: Rung): Rung | string {
  const { stage, state, since, evidence } = rung;
  return since === null && evidence.length === 0 ? `${stage} ${state}` : rung;
}

/** The version changes with every sign; who reads an answer looks for what it says. */
function plain(document: DiagnosisDocument | RollCallDocument): object {
  const { apiVersion: _, kind, catalogueVersion: __, ...rest } = document;
  if (!('subjects' in rest)) return { kind, ...rest };
  const subjects = rest.subjects.map((subject) => ({
    ...subject,
    ladder: subject.ladder.map(brief),
  }));
  return { kind, ...rest, subjects };
}

async function textOf(document: DiagnosisDocument | RollCallDocument): Promise<string> {
  const yaml = await structured(plain(document), 'yaml');
  if (document.kind === 'RollCall') return yaml;
  return `${renderText(document, { columns: 100, colour: false, paths: [] }).trimEnd()}\n\n---\n${yaml}`;
}

export async function answerTo({ name, evidence, files }: AccuracyCase): Promise<Recorded> {
  const path = join(evidence, '../answer.txt');
  return { name, path, text: await textOf(await diagnoseTexts(files)) };
}

export async function answerToLive(state: LiveState): Promise<Recorded> {
  const { printed } = await lookTwice(state);
  const document = JSON.parse(printed) as DiagnosisDocument | RollCallDocument;
  return { name: state.id, path: join(LIVE, `${state.id}.txt`), text: await textOf(document) };
}

export function recordedAt(path: string): string {
  return readFileSync(path, 'utf8');
}

export function record({ path, text }: Recorded): void {
  writeFileSync(path, text);
}
