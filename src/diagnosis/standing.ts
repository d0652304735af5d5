import type { Quote } from '../evidence/sighting.ts';
import type { Cause, Found } from './cause.ts';
import type { Finding } from './document.ts';
import type { Subject } from './subject.ts';
import type { Symptom } from './symptom.ts';

export interface FoundCause {
  readonly cause: Cause;
  readonly match: Found;
}

/** A symptom that stands for a subject, with its lines. */
export interface OpenSymptom {
  readonly symptom: Symptom;
  readonly proof: readonly Quote[];
}

/** What is known of one subject before roles are given. */
export interface Standing {
  readonly subject: Subject;
  readonly founds: readonly FoundCause[];
  readonly symptoms: readonly OpenSymptom[];
  /** Causes that the evidence rules out for this subject. */
  readonly ruledOut: ReadonlySet<string>;
}

/** A found cause with the part it plays for its subject. */
export interface RoledFinding extends FoundCause {
  readonly role: Finding['role'];
  readonly explainedBy: string | null;
}
