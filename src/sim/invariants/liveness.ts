import type { SubjectReport } from '../../diagnosis/document.ts';
import type { TrueState } from '../oracle/judge.ts';
import type { Invariant, Look } from './contract.ts';

/** What is said of a machine, for telling whether it stays the same. */
function opinionOf({ verdict, findings }: SubjectReport): string {
  const causes = findings
    .filter(({ confidence }) => confidence !== 'possible')
    .map(({ cause }) => cause)
    .toSorted();
  return [verdict, ...causes].join(' ');
}

function stateOf(look: Look, { instanceId, node }: SubjectReport): TrueState | null {
  return (
    look.states.find((one) => one.instanceId === instanceId) ??
    look.states.find((one) => node !== null && one.node === node) ??
    null
  );
}

/**
 * After the faults have ended, what is said of a machine that stays broken is the same at two looks,
 * and never that it is usable.
 */
export function steadyVerdicts(): Invariant {
  const before = new Map<string, { readonly opinion: string; readonly isUsable: boolean }>();
  return {
    rule: 'L-02',
    look(look, { evaluated, violated }) {
      if (!look.isCalm || look.way !== 'live' || !look.isWhole) return;
      for (const subject of look.document.subjects) {
        const state = stateOf(look, subject);
        if (state === null) continue;
        evaluated();
        const opinion = opinionOf(subject);
        const known = before.get(subject.name);
        before.set(subject.name, { opinion, isUsable: state.isUsable });
        if (!state.isUsable && subject.verdict === 'usable')
          violated(subject.name, 'it is not usable, and is called usable');
        if (known?.isUsable === false && !state.isUsable && known.opinion !== opinion)
          violated(
            subject.name,
            `the verdict changes in a calm: ${known.opinion}, then ${opinion}`,
          );
      }
    },
  };
}

/**
 * At the end of the calm every machine has joined and stayed, or a cause is named, or it is said
 * what is missing to name one.
 */
export const joinedOrNamed: Invariant = {
  rule: 'L-04',
  look(look, { evaluated, violated, marks }) {
    if (!look.isLast || look.way !== 'live' || !look.isWhole) return;
    const isAllWell = look.states.every(({ isUsable }) => isUsable);
    if (isAllWell && look.states.length > 0) marks.reach('calm-and-well');
    if (look.states.every(({ isUsable }) => !isUsable)) marks.reach('whole-fleet-broken');
    for (const { judgement, subject, instanceId } of look.judged) {
      evaluated();
      const report = look.document.subjects.find(({ name }) => name === subject);
      const isExplained = (report?.notObservable.length ?? 0) + (report?.findings.length ?? 0) > 0;
      if (judgement === 'open' && instanceId !== null && !isExplained)
        violated(subject, 'it is not usable, no cause is named and nothing is said to be missing');
    }
  },
};
