import type { Confidence } from '../../diagnosis/cause.ts';
import type { DiagnosisDocument, Finding, SubjectReport } from '../../diagnosis/document.ts';
import type { KnownTruth, Truths } from './truths.ts';

/** A machine as it truly is at the moment of the look. */
export interface TrueState {
  readonly instanceId: string;
  /** The Node that it has, or had last; null when it never had one. */
  readonly node: string | null;
  /** Whether pods can run on it as they should. */
  readonly isUsable: boolean;
}

/**
 * How a diagnosis stands to the truth:
 * `named`: a true cause; `wrong`: another one; `open`: no cause was named, and it is not called
 * usable; `missed`: it is broken and was called usable; `alarm`: it is well and was called not
 * usable without a cause; `well`: it is well and nothing was named.
 */
export const JUDGEMENTS = ['named', 'open', 'well', 'missed', 'alarm', 'wrong'] as const;
export type Judgement = (typeof JUDGEMENTS)[number];

/** What was said of one subject, beside what is true of it. */
export interface Judged {
  readonly judgement: Judgement;
  readonly subject: string;
  readonly instanceId: string | null;
  /** Causes that were named. */
  readonly named: readonly string[];
  /** Those of them that are not true. */
  readonly wrong: readonly string[];
  readonly truths: readonly KnownTruth[];
}

/** What is told as known; `possible` is told as a question. */
const NAMED: ReadonlySet<Confidence> = new Set(['definite', 'likely']);

function isNamed({ role, confidence }: Finding): boolean {
  return role !== 'consequence' && NAMED.has(confidence);
}

/** Compares what is said of each subject with what is true. */
export function judge(
  { subjects }: DiagnosisDocument,
  { truths, atMs }: { readonly truths: Truths; readonly atMs: number },
  states: readonly TrueState[],
): readonly Judged[] {
  const byName = new Map(
    states.flatMap((state) =>
      [state.instanceId, state.node].flatMap((name) =>
        name === null ? [] : [[name, state] as const],
      ),
    ),
  );
  return subjects.map((subject) => {
    const state = byName.get(subject.instanceId ?? '') ?? byName.get(subject.node ?? '') ?? null;
    return judgeSubject(subject, state, truths.of(state?.instanceId ?? null, atMs));
  });
}

function judgeSubject(
  subject: SubjectReport,
  state: TrueState | null,
  known: readonly KnownTruth[],
): Judged {
  const named = [...new Set(subject.findings.filter(isNamed).map(({ cause }) => cause))];
  const right = new Set(known.flatMap(({ causes }) => causes));
  const wrong = named.filter((cause) => !right.has(cause));
  return {
    judgement: judgementOf(subject, state, { named, wrong }),
    subject: subject.name,
    instanceId: state?.instanceId ?? null,
    named,
    wrong,
    truths: known,
  };
}

function judgementOf(
  { verdict, findings }: SubjectReport,
  state: TrueState | null,
  { named, wrong }: Pick<Judged, 'named' | 'wrong'>,
): Judgement {
  if (wrong.length > 0) return 'wrong';
  if (named.length > 0) return 'named';
  const isExplained = findings.some(({ role }) => role === 'consequence');
  if (isExplained) return 'named';
  if (verdict === 'usable') return state?.isUsable === false ? 'missed' : 'well';
  if (state?.isUsable !== true) return 'open';
  return verdict === 'not-usable' ? 'alarm' : 'well';
}
