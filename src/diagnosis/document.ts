import type { LineSource } from '../evidence/source.ts';
import type { Stage } from '../evidence/stage.ts';
import type { Verdict } from '../evidence/verdict.ts';
import type { Confidence, Step } from './cause.ts';
import type { Repair } from './repair.ts';

/** The document that `rollcall diagnose -o json` prints; other programs rely on its shape. */
export interface DiagnosisDocument {
  readonly apiVersion: 'rollcall.dev/v1alpha1';
  readonly kind: 'Diagnosis';
  readonly catalogueVersion: string;
  readonly headline: Headline | null;
  readonly subjects: readonly SubjectReport[];
  /** Commands of machines in trouble whose whole answers are in the evidence; absent without any. */
  readonly answered?: readonly string[];
  /** Programs and kinds of output that were recognized in the evidence. */
  readonly recognized: readonly LineSource[];
  /** What was given but could not be read, in sentences. */
  readonly losses: readonly { readonly locator: string; readonly what: string }[];
}

export interface Headline {
  readonly cause: string;
  readonly stage: Stage;
  readonly confidence: Confidence;
  readonly subject: string;
}

export interface SubjectReport {
  readonly kind: 'Machine' | 'NodeGroup' | 'AutoScalingGroup' | 'NodePool' | 'Cluster';
  readonly name: string;
  readonly instanceId: string | null;
  readonly node: string | null;
  readonly verdict: Verdict;
  readonly stage: Stage | null;
  readonly ladder: readonly Rung[];
  readonly findings: readonly Finding[];
  /** Causes of the cluster that a machine depends on and does not suffer from yet; absent without any. */
  readonly risks?: readonly string[];
  readonly notObservable: readonly NotObservable[];
  /** What happened, in causal order. */
  readonly timeline: readonly TimelineEntry[];
}

export interface TimelineEntry {
  readonly time: string | null;
  readonly what: string;
  readonly source: string;
  readonly locator: string;
}

export type RungState = 'passed' | 'failed' | 'unknown' | 'pending';

export interface Rung {
  readonly stage: Stage;
  readonly state: RungState;
  readonly since: string | null;
  readonly evidence: readonly EvidenceLine[];
}

export interface EvidenceLine {
  readonly source: string;
  readonly locator: string;
  readonly excerpt: string;
  readonly time: string | null;
}

export interface Finding {
  readonly cause: string;
  readonly stage: Stage;
  readonly role: 'root' | 'contributing' | 'consequence';
  readonly explainedBy: string | null;
  readonly confidence: Confidence;
  readonly summary: string;
  readonly evidence: readonly EvidenceLine[];
  readonly remedy: readonly Step[];
  /** What would prove a candidate, or tell why, of a named cause that others bring about. */
  readonly decide: Step | null;
  /** What `rollcall fix pods`, `name` and `node` may do about it; absent where they do nothing. */
  readonly repairs?: readonly Repair[];
}

export interface NotObservable {
  readonly stage: Stage;
  readonly why: string;
  readonly collect: string;
}
