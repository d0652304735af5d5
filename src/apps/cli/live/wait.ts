import type { DiagnosisDocument, RungState, SubjectReport } from '../../../diagnosis/document.ts';
import type { Stage } from '../../../evidence/stage.ts';
import { isoTime } from '../../../evidence/time.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Repeat } from './look-again.ts';

/** How long between two looks when nothing changes, ms: a Lease is renewed every ten seconds. */
export const WAIT_PAUSE_MS = 5000;

type States = ReadonlyMap<string, RungState>;

function statesOf(subjects: readonly SubjectReport[]): States {
  return new Map(
    subjects
      .filter(({ kind }) => kind === 'Machine')
      .flatMap(({ name, ladder }) =>
        ladder.map(({ stage, state }) => [`${name} ${stage}`, state] as const),
      ),
  );
}

/** One line per rung that changed since the last look. */
export function climbed(before: States, subjects: readonly SubjectReport[]): readonly string[] {
  return subjects.flatMap(({ kind, name, ladder }) =>
    kind !== 'Machine'
      ? []
      : ladder
          .filter(({ stage, state }) => isNews(before, name, stage, state))
          .map(({ stage, state }) => `${name} ${stage} ${state}`),
  );
}

function isNews(before: States, name: string, stage: Stage, state: RungState): boolean {
  const known = before.get(`${name} ${stage}`);
  return known === undefined ? state === 'failed' || state === 'pending' : known !== state;
}

/** True when the waiting is over: all usable, or another cause than the one that is being mended. */
export function isOver(document: DiagnosisDocument, mended: string | null): boolean {
  const machines = document.subjects.filter(({ kind }) => kind === 'Machine');
  if (machines.length > 0 && machines.every(({ verdict }) => verdict === 'usable')) return true;
  return document.headline !== null && document.headline.cause !== mended;
}

export interface Waited {
  readonly document: DiagnosisDocument;
  /** True when the limit came before the waiting was over. */
  readonly isLate: boolean;
}

/** Looks again and again while a fix takes effect; says each rung as it changes. */
export async function waitUntilOver(
  look: () => Promise<DiagnosisDocument>,
  repeat: Repeat,
  say: (line: string) => void,
  limit?: AbortSignal,
): Promise<Waited> {
  let mended: string | null | undefined;
  let before: States = new Map();
  let isDone = false;
  const isLast = (document: DiagnosisDocument): boolean => {
    mended = mended === undefined ? (document.headline?.cause ?? null) : mended;
    for (const line of climbed(before, document.subjects)) say(line);
    before = statesOf(document.subjects);
    isDone = isOver(document, mended);
    return isDone;
  };
  const document = await repeat(look, isLast, limit);
  return { document, isLate: !isDone };
}

/** Each line with the time at which it is said. */
export function timed(clock: Clock, say: (line: string) => void): (line: string) => void {
  return (line) => {
    const at = isoTime({ ms: clock.nowMs(), yearless: false, clock: 'utc' }) ?? '';
    say(`${at} ${line}`);
  };
}
