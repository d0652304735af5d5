/** Compares what was said of a case with what is true of it. */
import { EXIT } from '../../src/apps/cli/exit-code.ts';
import type { DiagnosisDocument, Finding, Headline } from '../../src/diagnosis/document.ts';
import type { AccuracyCase, Paste } from './cases.ts';

/** From the best to the worst. */
export const OUTCOMES = ['right', 'near', 'silent', 'wrong'] as const;

/**
 * `right`: the headline is accepted, or there is none where none is right. `near`: no headline, and
 * an accepted cause is among the first three that are offered. `silent`: no headline. `wrong`:
 * another cause is named, a broken machine is called usable, or a healthy one broken.
 */
export type Outcome = (typeof OUTCOMES)[number];

/** What of a case or a paste counts. */
export type Asked = Pick<AccuracyCase, 'id' | 'stage' | 'accept' | 'reject' | 'healthy'>;

export interface Judged {
  readonly id: string;
  readonly outcome: Outcome;
  /** Whether the headline stands on the stage of the truth; null without headline or stage. */
  readonly isStageRight: boolean | null;
  /** What was named or said instead, for people. */
  readonly said: string;
}

/** What a run of `rollcall` amounts to. */
export interface Said {
  readonly code: number;
  readonly headline: Pick<Headline, 'cause' | 'stage'> | null;
  /** What is offered as a root cause, in the order of the document. */
  readonly roots: readonly Pick<Finding, 'cause' | 'confidence'>[];
}

/** @param code the exit code */
export function saidOf({ headline, subjects }: DiagnosisDocument, code: number): Said {
  const findings = subjects.flatMap((subject) => subject.findings);
  return { code, headline, roots: findings.filter(({ role }) => role === 'root') };
}

const OFFERED_MAX = 3;

/** A paste is of a machine that is broken at a stage nobody asks about. */
export function askedOf({ id, accept }: Paste): Asked {
  return { id, accept, stage: null, reject: [], healthy: false };
}

/** The first three causes that are offered, named or not. */
function offeredBy({ headline, roots }: Said): readonly string[] {
  const named = headline === null ? [] : [headline.cause];
  return [...new Set([...named, ...roots.map(({ cause }) => cause)])].slice(0, OFFERED_MAX);
}

/** Why what was said is untrue, null when it is not. */
function untruthIn(
  { accept, reject, healthy }: Asked,
  { code, headline, roots }: Said,
): string | null {
  if (headline !== null && !accept.includes(headline.cause)) return headline.cause;
  const rejected = roots.find(
    ({ cause, confidence }) => confidence !== 'possible' && reject.includes(cause),
  );
  if (rejected !== undefined) return rejected.cause;
  if (healthy && code === EXIT.notUsable) return 'a healthy machine is called not usable';
  if (!healthy && code === EXIT.usable) return 'a broken machine is called usable';
  return null;
}

function outcomeOf({ accept }: Asked, said: Said): Outcome {
  if (said.headline !== null || accept.includes('undetermined')) return 'right';
  return offeredBy(said).some((cause) => accept.includes(cause)) ? 'near' : 'silent';
}

/** @throws Error when the program ended with a code that is no verdict */
export function judge(asked: Asked, said: Said): Judged {
  const verdicts: readonly number[] = [EXIT.usable, EXIT.notUsable, EXIT.cannotTell];
  if (!verdicts.includes(said.code)) throw new Error(`${asked.id} ended with ${said.code}`);
  const { headline } = said;
  const untruth = untruthIn(asked, said);
  const isStaged = headline !== null && asked.stage !== null;
  return {
    id: asked.id,
    outcome: untruth === null ? outcomeOf(asked, said) : 'wrong',
    isStageRight: isStaged ? headline.stage === asked.stage : null,
    said: untruth ?? headline?.cause ?? `no cause; offered: ${offeredBy(said).join(', ')}`,
  };
}
