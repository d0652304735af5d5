import { createScanning } from '../../adapters/scanning/scanning.ts';
import { ahead } from '../../readers/ahead.ts';
import { candidates, type CauseEntry, causeOf, concerned } from '../../causes/catalogue.ts';
import { CATALOGUE_VERSION, CAUSES } from '../../causes/index.generated.ts';
import { alignClocks } from '../../diagnosis/clocks.ts';
import { diagnose, type DiagnosisInput, examine } from '../../diagnosis/diagnose.ts';
import type { DiagnosisDocument, SubjectReport } from '../../diagnosis/document.ts';
import type { Subject } from '../../diagnosis/subject.ts';
import { assembleSubjects } from '../../diagnosis/subjects.ts';
import type { InputLoss, Observations } from '../../evidence/observations.ts';
import type { LineSource } from '../../evidence/source.ts';
import { createReading } from '../../readers/reading.ts';
import { SIGN_TABLE } from './signs.ts';

/** A document of a pile of evidence, in chunks. */
export interface PileDocument {
  readonly locator: string;
  readonly container: string | null;
  /** What lines are that do not say so themselves; null or absent when nobody knows. */
  readonly source?: LineSource | null;
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Reads every document and returns what all of them said together. */
export async function readPile(
  documents: AsyncIterable<PileDocument> | Iterable<PileDocument>,
  losses: readonly InputLoss[] = [],
): Promise<Observations> {
  const scanning = createScanning(SIGN_TABLE.anchorSet);
  const reading = createReading(SIGN_TABLE, scanning.open);
  try {
    for await (const document of documents) {
      const { locator, container, source } = document;
      const reader = reading.open(locator, container, source ?? undefined);
      for await (const chunk of ahead(document.chunks)) {
        reader.push(chunk);
        await scanning.room();
      }
      reader.end();
      await scanning.settled();
    }
  } finally {
    await scanning.close();
  }
  for (const loss of losses) reading.loss(loss);
  return alignClocks(reading.finish());
}

interface Asked {
  readonly observations: Observations;
  readonly subjects: readonly Subject[];
  readonly asked: DiagnosisInput['asked'];
}

/** The diagnosis of what was read; only causes that may matter are loaded. */
export async function diagnoseObservations(
  observations: Observations,
  asked?: DiagnosisInput['asked'],
): Promise<DiagnosisDocument> {
  const subjects = assembleSubjects(observations);
  const owners = new Set(subjects.flatMap(({ hits }) => hits.map((hit) => hit.owner)));
  const kinds = new Set(observations.facts.map((fact) => fact.kind));
  const direct = concerned(CAUSES, owners, kinds);
  const input = await inputOf({ observations, subjects, asked }, direct);
  const examination = examine(input);
  const document = diagnose(input, examination);
  if (!document.subjects.some(isUnexplained)) return document;
  const wider = await inputOf({ observations, subjects, asked }, [
    ...new Set([...direct, ...candidates(CAUSES, owners)]),
  ]);
  return diagnose(wider, examine(wider, examination));
}

async function inputOf(
  { asked, ...given }: Asked,
  entries: readonly CauseEntry[],
): Promise<DiagnosisInput> {
  const modules = await Promise.all(entries.map((entry) => entry.load()));
  return {
    ...given,
    ...(asked === undefined ? {} : { asked }),
    causes: modules.map(causeOf),
    catalogueVersion: CATALOGUE_VERSION,
  };
}

/** Candidates are worth loading only where something failed and no root says why. */
function isUnexplained(subject: SubjectReport): boolean {
  const roots = subject.findings.filter(
    ({ role, confidence }) => role !== 'contributing' && confidence !== 'possible',
  );
  return subject.verdict === 'not-usable' && roots.length === 0;
}

/** Reads texts held in memory, as tests and examples have them. */
export async function readTexts(
  texts: readonly { readonly name: string; readonly text: string }[],
): Promise<Observations> {
  const encoder = new TextEncoder();
  const documents = texts.map(({ name, text }) => ({
    locator: name,
    container: null,
    chunks: [encoder.encode(text)],
  }));
  return readPile(documents);
}

/** The diagnosis of texts held in memory. */
export async function diagnoseTexts(
  texts: readonly { readonly name: string; readonly text: string }[],
): Promise<DiagnosisDocument> {
  return diagnoseObservations(await readTexts(texts));
}
