import { candidates, type CauseEntry, causeOf, concerned } from '../causes/catalogue.ts';
import { CATALOGUE_VERSION, CAUSES } from '../causes/index.generated.ts';
import { NO_RESEMBLANCE, type Resemblance } from '../diagnosis/candidates.ts';
import { diagnose, type DiagnosisInput, examine } from '../diagnosis/diagnose.ts';
import type { Alike } from '../diagnosis/likeness/rank-alike.ts';
import type { DiagnosisDocument, SubjectReport } from '../diagnosis/document.ts';
import type { Subject } from '../diagnosis/subject.ts';
import { assembleSubjects } from '../diagnosis/subjects.ts';
import type { Observations } from '../evidence/observations.ts';
import { readTexts } from './pile.ts';
import { resemblances } from './resemblance.ts';

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
  const alike =
    document.headline === null ? await resemblances(document, subjects, observations) : null;
  if (alike === null && !document.subjects.some(isUnexplained)) return document;
  const likely = new Set([...(alike?.values() ?? [])].flatMap((one) => one.alike.map(nameOf)));
  const wider = await inputOf({ observations, subjects, asked }, [
    ...new Set([
      ...direct,
      ...candidates(CAUSES, owners),
      ...CAUSES.filter(({ id }) => likely.has(id)),
    ]),
  ]);
  const resemblance = (subject: Subject): Resemblance => alike?.get(subject) ?? NO_RESEMBLANCE;
  return diagnose({ ...wider, resemblance }, examine(wider, examination));
}

function nameOf({ cause }: Alike): string {
  return cause;
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

/** The diagnosis of texts held in memory. */
export async function diagnoseTexts(
  texts: readonly { readonly name: string; readonly text: string }[],
): Promise<DiagnosisDocument> {
  return diagnoseObservations(await readTexts(texts));
}
