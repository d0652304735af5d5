import type { Confidence } from '../../diagnosis/cause.ts';
import type { DiagnosisDocument, Finding, SubjectReport } from '../../diagnosis/document.ts';
import { descriptionsOf } from './descriptions.ts';
import type { Ailment } from './effects.ts';
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
 * `named`: a true cause; `wrong`: another one, or a consequence of nothing that is true; `effect`:
 * what the machine shows was named as if it were the cause; `open`: no cause was named, and it is not
 * called usable; `missed`: it is broken and was called usable; `alarm`: it is well and was called not
 * usable without a cause; `well`: it is well and nothing was named.
 */
export const JUDGEMENTS = ['named', 'open', 'well', 'missed', 'alarm', 'effect', 'wrong'] as const;
export type Judgement = (typeof JUDGEMENTS)[number];

/** What was asked about a machine that was left open. */
export interface Candidates {
  readonly count: number;
  /** Of the first true one, from 0; null where none of them is true. */
  readonly place: number | null;
}

/** What was said of one subject, beside what is true of it. */
export interface Judged {
  readonly judgement: Judgement;
  readonly subject: string;
  readonly instanceId: string | null;
  /** As it truly is; null for what is no machine. */
  readonly isUsable: boolean | null;
  /** Causes that were named. */
  readonly named: readonly string[];
  /** Those of them, and of the consequences, that are not true. */
  readonly wrong: readonly string[];
  /** Those of them that are true, and are no cause of it. */
  readonly effects: readonly string[];
  readonly candidates: Candidates;
  readonly truths: readonly KnownTruth[];
}

/** What there is to judge by. */
export interface Bench {
  readonly truths: Truths;
  readonly ailment: (instanceId: string) => Ailment;
}

/** What is told as known; `possible` is told as a question. */
const NAMED: ReadonlySet<Confidence> = new Set(['definite', 'likely']);

/** What is right to say of one subject. */
interface Right {
  readonly causes: ReadonlySet<string>;
  readonly descriptions: ReadonlySet<string>;
}

/** Compares what is said of each subject with what is true. */
export function judge(
  { subjects }: DiagnosisDocument,
  { truths, ailment }: Bench,
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
    const known = truths.of(state?.instanceId ?? null);
    const causes = new Set(known.flatMap((truth) => truth.causes));
    const shown = state === null ? new Map<never, number>() : ailment(state.instanceId).shown;
    const right = { causes, descriptions: descriptionsOf(shown) };
    return { ...judgeSubject(subject, state, right), truths: known };
  });
}

function judgeSubject(
  subject: SubjectReport,
  state: TrueState | null,
  right: Right,
): Omit<Judged, 'truths'> {
  const told = subject.findings.filter(({ confidence }) => NAMED.has(confidence));
  const roots = told.filter(({ role }) => role !== 'consequence');
  const named = [...new Set(roots.map(({ cause }) => cause))];
  const wrong = [...new Set(told.filter((one) => !isTrue(one, right)).map(({ cause }) => cause))];
  const effects = roots.filter((one) => isTrue(one, right) && isSwapped(one, right));
  return {
    judgement: judgementOf(subject, state, { told, wrong, effects }),
    subject: subject.name,
    instanceId: state?.instanceId ?? null,
    isUsable: state?.isUsable ?? null,
    named,
    wrong,
    effects: [...new Set(effects.map(({ cause }) => cause))],
    candidates: candidatesOf(subject, right),
  };
}

/** A consequence is true with its root, and by itself where the machine shows it. */
function isTrue({ role, cause, explainedBy }: Finding, { causes, descriptions }: Right): boolean {
  const isExplained = role === 'consequence' && causes.has(explainedBy ?? '');
  return isExplained || causes.has(cause) || descriptions.has(cause);
}

/** What a machine shows is named as the root; a contribution to it may be. */
function isSwapped({ role, cause }: Finding, { causes }: Right): boolean {
  return role === 'root' && !causes.has(cause);
}

function candidatesOf({ findings }: SubjectReport, { causes }: Right): Candidates {
  const asked = findings.filter(({ confidence, role }) => {
    const isQuestion = !NAMED.has(confidence);
    return isQuestion && role !== 'consequence';
  });
  const place = asked.findIndex(({ cause }) => causes.has(cause));
  return { count: asked.length, place: place === -1 ? null : place };
}

function judgementOf(
  { verdict }: SubjectReport,
  state: TrueState | null,
  said: {
    readonly told: readonly Finding[];
    readonly wrong: readonly string[];
    readonly effects: readonly Finding[];
  },
): Judgement {
  if (said.wrong.length > 0) return 'wrong';
  if (said.effects.length > 0) return 'effect';
  if (said.told.length > 0) return 'named';
  if (verdict === 'usable') return state?.isUsable === false ? 'missed' : 'well';
  if (state?.isUsable !== true) return 'open';
  return verdict === 'not-usable' ? 'alarm' : 'well';
}
