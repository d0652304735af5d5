import { excerptOf } from '../evidence/redact.ts';
import { locatorAt } from '../evidence/fact.ts';
import type { Observations, TroubledLine } from '../evidence/observations.ts';
import { stageIndex } from '../evidence/stage.ts';
import type { Cause } from './cause.ts';
import type { EvidenceLine, Finding } from './document.ts';
import { hasSucceeded } from './evaluate.ts';
import { filledStep } from './findings.ts';
import { evidenceLine } from './ladder.ts';
import type { Alike } from './likeness/rank-alike.ts';
import type { OpenSymptom, RoledFinding, Standing } from './standing.ts';
import { hitsOf, type Subject } from './subject.ts';

/** What a subject's lines resemble, the most alike first, and the lines themselves. */
export interface Resemblance {
  readonly alike: readonly Alike[];
  readonly lines: readonly TroubledLine[];
  /** How many reports of each cause are known; empty where nothing was compared. */
  readonly reported: ReadonlyMap<string, number>;
}

export const NO_RESEMBLANCE: Resemblance = { alike: [], lines: [], reported: new Map() };

/**
 * What speaks for a candidate, in the units of likeness. Made by trying each on the examples that
 * hold a cause's trouble without what decides it and on fresh questions (docs/decisions/0012).
 */
export const CANDIDATE_WEIGHTS = { supported: 0.5, symptom: 0.5, reported: 0.05 } as const;

interface Candidate {
  readonly cause: Cause;
  readonly symptom: OpenSymptom | null;
  readonly isSupported: boolean;
  readonly alike: Alike | null;
  readonly reported: number;
}

function isExplained(open: OpenSymptom, roled: readonly RoledFinding[]): boolean {
  return roled.some(
    ({ cause }) => cause.symptoms.includes(open.symptom.id as never) || explainsStage(cause, open),
  );
}

function explainsStage(cause: Cause, open: OpenSymptom): boolean {
  return cause.blocksAbove !== false && stageIndex(cause.stage) <= stageIndex(open.symptom.stage);
}

function scoreOf({ symptom, isSupported, alike, reported }: Candidate): number {
  return (
    (alike?.likeness ?? 0) +
    (isSupported ? CANDIDATE_WEIGHTS.supported : 0) +
    (symptom === null ? 0 : CANDIDATE_WEIGHTS.symptom) +
    CANDIDATE_WEIGHTS.reported * Math.log2(1 + reported)
  );
}

/**
 * Causes that nothing decides, the likeliest first: those behind an open symptom, those of which a
 * supporting line was seen, and those whose evidence the lines resemble.
 */
export function possibleFindings(
  standing: Standing,
  roled: readonly RoledFinding[],
  causes: readonly Cause[],
  { alike, lines, reported }: Resemblance,
  observations: Pick<Observations, 'documents'>,
): readonly Finding[] {
  const open = standing.symptoms.filter((symptom) => !isExplained(symptom, roled));
  const known = new Set([...roled.map(({ cause }) => cause.id), ...standing.ruledOut]);
  const isOpen = roled.length === 0;
  const alikeOf = (cause: Cause): Alike | null =>
    isOpen && !hasSucceeded(cause, standing.subject)
      ? (alike.find((one) => one.cause === cause.id) ?? null)
      : null;
  return causes
    .filter(({ id }) => !known.has(id))
    .map(
      (cause): Candidate => ({
        cause,
        symptom: open.find(({ symptom }) => cause.symptoms.includes(symptom.id as never)) ?? null,
        isSupported: hitsOf(standing.subject, cause.id).some(({ sign }) => supports(cause, sign)),
        alike: alikeOf(cause),
        reported: reported.get(cause.id) ?? 0,
      }),
    )
    .filter((one) => one.symptom !== null || one.alike !== null)
    .toSorted((a, b) => scoreOf(b) - scoreOf(a))
    .map((candidate) => possible(candidate, standing.subject, lines, observations));
}

function supports(cause: Cause, sign: string): boolean {
  const { weight, isBackground } = cause.signs[sign] ?? {};
  if (isBackground === true) return false;
  return weight !== undefined && weight !== 'withdraws' && weight !== 'clears';
}

function lineOf(line: TroubledLine, { documents }: Pick<Observations, 'documents'>): EvidenceLine {
  const locator = locatorAt(documents[line.document]?.locator ?? '', line.line);
  return { source: line.source, locator, excerpt: excerptOf(line.text), time: null };
}

function proofOf(
  { cause, symptom, alike }: Candidate,
  subject: Subject,
  lines: readonly TroubledLine[],
  observations: Pick<Observations, 'documents'>,
): readonly EvidenceLine[] {
  const own = hitsOf(subject, cause.id).filter(({ sign }) => supports(cause, sign));
  if (own.length > 0) return own.slice(0, 2).map(({ last }) => evidenceLine(last));
  if (symptom !== null) return symptom.proof.slice(0, 2).map(evidenceLine);
  const line = alike === null ? undefined : lines[alike.line];
  return line === undefined ? [] : [lineOf(line, observations)];
}

function possible(
  candidate: Candidate,
  subject: Subject,
  lines: readonly TroubledLine[],
  observations: Pick<Observations, 'documents'>,
): Finding {
  const { cause, symptom } = candidate;
  const summary =
    symptom === null
      ? `Lines like these belong to this cause: ${cause.title}. They do not prove it.`
      : `The evidence shows ${symptom.symptom.title}; ${cause.title} would explain it, but this evidence does not decide.`;
  return {
    cause: cause.id,
    stage: cause.stage,
    role: 'root',
    explainedBy: null,
    confidence: 'possible',
    summary,
    evidence: proofOf(candidate, subject, lines, observations),
    remedy: [],
    decide: filledStep(cause.decide, subject),
  };
}
