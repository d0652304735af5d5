/** What Rollcall says of captured text, compared with what is known to have been broken. */
import { diagnoseObservations } from '../../../src/engine/diagnose.ts';
import { readTexts } from '../../../src/engine/pile.ts';
import type { DiagnosisDocument } from '../../../src/diagnosis/document.ts';
import type { ExampleFile } from '../../causes/example.ts';
import type { Truth } from './scenario.ts';

/** `right and more`: the true cause is the headline, and another stands beside it as a root. */
export const OUTCOMES = ['right', 'right and more', 'silent', 'wrong'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export interface Score {
  readonly outcome: Outcome;
  /** The headline, and the roots beside it. */
  readonly said: readonly string[];
}

export async function scoreOf(truth: Truth, files: readonly ExampleFile[]): Promise<Score> {
  const document = await diagnoseObservations(await readTexts(files));
  const roots = rootsOf(document);
  const headline = document.headline?.cause ?? null;
  const said = [...new Set([...(headline === null ? [] : [headline]), ...roots])];
  return { outcome: outcomeOf(truth, headline, said), said };
}

function rootsOf(document: DiagnosisDocument): readonly string[] {
  return document.subjects
    .flatMap(({ findings }) => findings)
    .filter(({ role, confidence }) => role === 'root' && confidence !== 'possible')
    .map(({ cause }) => cause);
}

function outcomeOf(truth: Truth, headline: string | null, said: readonly string[]): Outcome {
  const wanted = truth.expect === 'found' ? truth.cause : (truth.instead ?? null);
  if (headline === null) return wanted === null ? 'right' : 'silent';
  if (headline !== wanted) return 'wrong';
  return said.length === 1 ? 'right' : 'right and more';
}
