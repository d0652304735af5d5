/** Asks Rollcall about every case, paste and live state, in this process. */
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import { capture, type Captured } from '../cli/capture.ts';
import { type AccuracyCase, loadCases, loadPastes, type Paste } from './cases.ts';
import { askedOf, judge, type Judged, saidOf } from './judge.ts';
import { judgeLive } from './live/judge.ts';
import { lookTwice } from './live/look.ts';
import { LIVE_STATES } from './live/states.ts';

/** Arguments and standard input for one case or paste. */
export interface Question {
  readonly argv: readonly string[];
  readonly input: string | null;
}

export function questionOf(one: AccuracyCase | Paste): Question {
  return 'line' in one
    ? { argv: ['diagnose', '-', '-o', 'json'], input: `${one.line}\n` }
    : { argv: ['diagnose', one.evidence, '-o', 'json'], input: null };
}

/** @throws Error when the program printed no document */
export function judgeOutput(
  one: AccuracyCase | Paste,
  { code, out, err }: Pick<Captured, 'code' | 'out' | 'err'>,
): Judged {
  if (out === '') throw new Error(`${one.id} ended with ${code}: ${err}`);
  const document = JSON.parse(out) as DiagnosisDocument;
  return judge('line' in one ? askedOf(one) : one, saidOf(document, code));
}

/** Every case, every paste and every live state. */
export async function examineAll(): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  for (const one of [...loadCases(), ...loadPastes()]) {
    const { argv, input } = questionOf(one);
    judged.push(judgeOutput(one, await capture(argv, input)));
  }
  for (const state of LIVE_STATES) judged.push(judgeLive(state, (await lookTwice(state)).said));
  return judged;
}
