import type { Details, Step } from './cause.ts';
import type { Finding } from './document.ts';
import { fillNames } from './fill-names.ts';
import { evidenceLine } from './ladder.ts';
import type { RoledFinding } from './standing.ts';
import type { Subject } from './subject.ts';

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

/** A step with the names that are known of the subject in its command. */
export function filledStep(step: Step, subject: Subject): Step {
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
  const { reason } = cause;
  const { repairs = [] } = match;
  const details = { ...subjectDetails(subject), ...match.details };
  return {
    cause: cause.id,
    stage: cause.stage,
    role,
    explainedBy,
    confidence: match.confidence,
    summary: cause.summary(details),
    evidence: match.proof.slice(0, EVIDENCE_MAX).map(evidenceLine),
    remedy: cause.remedy(shellSafe(details)).map((step) => filledStep(step, subject)),
    decide: role === 'root' && reason !== undefined ? filledStep(reason, subject) : null,
    ...(match.confidence === 'definite' && repairs.length > 0 ? { repairs } : {}),
  };
}
