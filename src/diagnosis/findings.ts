import { stageIndex } from '../evidence/stage.ts';
import type { Cause, Details, Step } from './cause.ts';
import type { Finding } from './document.ts';
import { fillNames } from './fill-names.ts';
import { evidenceLine } from './ladder.ts';
import type { OpenSymptom, RoledFinding, Standing } from './standing.ts';
import { hitsOf, type Subject } from './subject.ts';

const SAFE_WORD = /^[\w.:/@=+,{}-]+$/;
const EVIDENCE_MAX = 6;

/** Values from evidence as they may stand in a command: what is no plain word is quoted. */
function shellSafe(details: Details): Details {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => [
      key,
      SAFE_WORD.test(value) ? value : `'${value.replaceAll("'", '')}'`,
    ]),
  );
}

function filled(step: Step, subject: Subject): Step {
  return {
    text: step.text,
    command: step.command === null ? null : fillNames(step.command, subject),
  };
}

function subjectDetails(subject: Subject): Details {
  const names: Record<string, string> = {};
  if (subject.kind === 'Machine') names['machine'] = subject.name;
  if (subject.node !== null) names['node'] = subject.node;
  if (subject.instanceId !== null) names['instance'] = subject.instanceId;
  return names;
}

/** A finding as the document shows it, its sentences and commands filled in. */
export function shownFinding(entry: RoledFinding, subject: Subject): Finding {
  const { cause, match, role, explainedBy } = entry;
  const details = { ...subjectDetails(subject), ...match.details };
  return {
    cause: cause.id,
    stage: cause.stage,
    role,
    explainedBy,
    confidence: match.confidence,
    summary: cause.summary(details),
    evidence: match.proof.slice(0, EVIDENCE_MAX).map(evidenceLine),
    remedy: cause.remedy(shellSafe(details)).map((step) => filled(step, subject)),
    decide: null,
  };
}

/** Candidates behind symptoms that nothing decides, each with the command that would decide. */
export function possibleFindings(
  standing: Standing,
  roled: readonly RoledFinding[],
  causes: readonly Cause[],
): readonly Finding[] {
  const open = standing.symptoms.filter((symptom) => !isExplained(symptom, roled));
  const candidates = new Map<string, { cause: Cause; symptom: OpenSymptom }>();
  for (const symptom of open) {
    for (const cause of causes) {
      const known =
        roled.some((entry) => entry.cause.id === cause.id) || standing.ruledOut.has(cause.id);
      if (!known && cause.symptoms.includes(symptom.symptom.id as never))
        candidates.set(cause.id, { cause, symptom });
    }
  }
  const isSupported = (cause: Cause): boolean => hitsOf(standing.subject, cause.id).length > 0;
  return [...candidates.values()]
    .toSorted((a, b) => Number(isSupported(b.cause)) - Number(isSupported(a.cause)))
    .map(({ cause, symptom }) => possible(cause, symptom, standing.subject));
}

function isExplained(open: OpenSymptom, roled: readonly RoledFinding[]): boolean {
  return roled.some(
    ({ cause }) => cause.symptoms.includes(open.symptom.id as never) || explainsStage(cause, open),
  );
}

function explainsStage(cause: Cause, open: OpenSymptom): boolean {
  return cause.blocksAbove !== false && stageIndex(cause.stage) <= stageIndex(open.symptom.stage);
}

function possible(cause: Cause, open: OpenSymptom, subject: Subject): Finding {
  return {
    cause: cause.id,
    stage: cause.stage,
    role: 'root',
    explainedBy: null,
    confidence: 'possible',
    summary: `The evidence shows ${open.symptom.title}; ${cause.title} would explain it, but this evidence does not decide.`,
    evidence: open.proof.slice(0, 2).map(evidenceLine),
    remedy: [],
    decide: filled(cause.decide, subject),
  };
}
