import type { Stage } from '../evidence/stage.ts';
import type { DiagnosisDocument, RungState, SubjectReport } from './document.ts';

/** The state of each rung by machine and stage. */
export type States = ReadonlyMap<string, RungState>;

/** Where machines stand, to be compared with the next look. */
export function statesOf(subjects: readonly SubjectReport[]): States {
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
