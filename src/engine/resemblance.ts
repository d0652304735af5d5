import type { Resemblance } from '../diagnosis/candidates.ts';
import type { DiagnosisDocument, SubjectReport } from '../diagnosis/document.ts';
import type { LikenessIndex } from '../diagnosis/likeness/likeness-index.ts';
import { type Alike, rankAlike } from '../diagnosis/likeness/rank-alike.ts';
import type { Subject } from '../diagnosis/subject.ts';
import type { Observations, TroubledLine } from '../evidence/observations.ts';
import { PASTE_DOCUMENTS_MAX } from '../readers/troubled.ts';

/** Subjects that are compared; in a fleet the first ones stand for the others. */
const SUBJECTS_MAX = 20;
/** Below this, lines have words in common with a cause as any two lines have. */
const LIKENESS_MIN = 0.2;
/** What stands behind a cause that the lines do resemble may resemble them less. */
const NEXT_LIKENESS_MIN = 0.1;

/** The index is loaded only where nothing was named. */
export async function likenessIndex(): Promise<LikenessIndex> {
  return (await import('../causes/likeness.generated.ts')).LIKENESS;
}

function isNamed({ findings }: SubjectReport): boolean {
  return findings.some(
    ({ role, confidence }) => role !== 'contributing' && confidence !== 'possible',
  );
}

/** The subjects of a document that want a cause: those in trouble, else the one that may be. */
function openSubjects(
  { subjects: reports }: DiagnosisDocument,
  subjects: readonly Subject[],
  isShort: boolean,
): readonly Subject[] {
  if (reports.some(isNamed)) return [];
  const failing = reports.filter(({ verdict }) => verdict === 'not-usable');
  const told = failing.length > 0 ? failing : reports;
  // A whole machine's logs hold odd lines though nothing is wrong; a paste was chosen by a person.
  if (failing.length === 0 && reports.length > 0 && !isShort) return [];
  const isOpen = told.every(({ verdict }) => verdict !== 'usable');
  if (!isOpen || (failing.length === 0 && told.length > 1)) return [];
  const open = subjects.filter(({ kind, name }) =>
    told.some((report) => report.kind === kind && report.name === name),
  );
  return open.length > 0 ? open.slice(0, SUBJECTS_MAX) : subjects.filter(isCluster);
}

/** Few documents of at most so many lines were picked out by a person. */
const PASTE_LINES_MAX = 200;

function isPaste({ documents }: Observations): boolean {
  const lines = documents.reduce((sum, { linesRead }) => sum + linesRead, 0);
  return documents.length <= PASTE_DOCUMENTS_MAX && lines <= PASTE_LINES_MAX;
}

function isCluster({ kind }: Subject): boolean {
  return kind === 'Cluster';
}

/** The lines that may be about a subject: all of a pile with one machine, else those that name it. */
function linesOf(
  subject: Subject,
  subjects: readonly Subject[],
  { troubled, documents }: Observations,
): readonly TroubledLine[] {
  const machines = subjects.filter(({ kind }) => kind === 'Machine');
  if (machines.length < 2) return troubled;
  const names = new Set(subject.names.map(({ value }) => value));
  return troubled.filter(({ about, document }) =>
    about === null
      ? (documents[document]?.machines ?? []).some(({ value }) => names.has(value))
      : names.has(about.value),
  );
}

/**
 * What the lines of each subject that wants a cause resemble; null where no subject wants one.
 *
 * @param document what the signs and facts alone say
 */
export async function resemblances(
  document: DiagnosisDocument,
  subjects: readonly Subject[],
  observations: Observations,
): Promise<ReadonlyMap<Subject, Resemblance> | null> {
  // What Rollcall collected itself decides by its facts, or names the call that would.
  if (observations.collection !== null || observations.troubled.length === 0) return null;
  const open = openSubjects(document, subjects, isPaste(observations));
  if (open.length === 0) return null;
  const index = await likenessIndex();
  return new Map(
    open.map((subject) => {
      const lines = linesOf(subject, subjects, observations);
      const texts = lines.map(({ text }) => text);
      const alike = alikeEnough(rankAlike(index, texts));
      return [subject, { alike, lines, reported: index.reported }];
    }),
  );
}

function alikeEnough(ranked: readonly Alike[]): readonly Alike[] {
  if ((ranked[0]?.likeness ?? 0) < LIKENESS_MIN) return [];
  return ranked.filter(({ likeness }) => likeness >= NEXT_LIKENESS_MIN);
}
