import { candidates, type CauseEntry, causeOf, concerned } from '../causes/catalogue.ts';
import { CATALOGUE_VERSION, CAUSES } from '../causes/index.generated.ts';
import { NO_RESEMBLANCE, type Resemblance } from '../diagnosis/candidates.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import { type DiagnosisInput, examine } from '../diagnosis/examine.ts';
import { createMemory, type Memory } from '../diagnosis/memory.ts';
import type { Alike } from '../diagnosis/likeness/rank-alike.ts';
import type { DiagnosisDocument, SubjectReport } from '../diagnosis/document.ts';
import type { Subject } from '../diagnosis/subject.ts';
import type { Cause } from '../diagnosis/cause.ts';
import { type Assembler, createAssembler } from '../diagnosis/subjects.ts';
import { factsByKind } from '../evidence/fact-values.ts';
import type { Observations } from '../evidence/observations.ts';
import { guideIn, withoutLinesOf } from './guide.ts';
import { readTexts } from './pile.ts';
import { resemblances } from './resemblance.ts';

/** Lists of causes that are remembered: those of one round and of the wider one, for some looks. */
const ASKED_MAX = 20;

/** One look as a judge is given it. */
export interface Look {
  /** Which machines are asked about; all when not given. */
  readonly asked?: DiagnosisInput['asked'];
  /** How old what depends on the time alone may be, ms; 0 when not given. */
  readonly holdsMs?: number;
}

/** Judges one pile after the other of the same cluster, and keeps what still holds. */
export interface Judge {
  judge(observations: Observations, look?: Look): Promise<DiagnosisDocument>;
}

interface Bench {
  readonly assemble: Assembler;
  readonly memory: Memory;
  /** Lists of causes by their ids, so that equal ones are the same. */
  readonly asked: Map<string, readonly Cause[]>;
}

type Given = Pick<DiagnosisInput, 'observations' | 'subjects' | 'asked'>;

/** The diagnosis of what was read; only causes that may matter are loaded. */
export async function diagnoseObservations(
  observations: Observations,
  asked?: DiagnosisInput['asked'],
): Promise<DiagnosisDocument> {
  return createJudge().judge(observations, asked === undefined ? {} : { asked });
}

/** A judge that knows nothing yet. */
export function createJudge(): Judge {
  const bench: Bench = {
    assemble: createAssembler(),
    memory: createMemory(),
    asked: new Map(),
  };
  return { judge: async (observations, look = {}) => judged(bench, observations, look) };
}

async function judged(
  bench: Bench,
  observations: Observations,
  look: Look,
): Promise<DiagnosisDocument> {
  const subjects = bench.assemble(observations);
  bench.memory.look({ observations, subjects }, look.holdsMs);
  const given = {
    observations,
    subjects,
    ...(look.asked === undefined ? {} : { asked: look.asked }),
  };
  const owners = new Set(subjects.flatMap(({ hits }) => hits.map((hit) => hit.owner)));
  const kinds = new Set(factsByKind(observations.facts).keys());
  const direct = concerned(CAUSES, owners, kinds);
  const asked = await causesOf(bench, direct);
  const input = inputOf(bench, given, asked, asked);
  const examination = examine(input);
  const document = diagnose(input, examination);
  const guide = guideIn(document, examination, observations);
  if (guide !== null) return judged(bench, withoutLinesOf(observations, guide), look);
  const alike =
    document.headline === null ? await resemblances(document, subjects, observations) : null;
  if (alike === null && !document.subjects.some(isUnexplained)) return document;
  const likely = new Set([...(alike?.values() ?? [])].flatMap((one) => one.alike.map(nameOf)));
  const wider = await causesOf(bench, [
    ...new Set([
      ...direct,
      ...candidates(CAUSES, owners),
      ...CAUSES.filter(({ id }) => likely.has(id)),
    ]),
  ]);
  const again = inputOf(bench, given, wider, asked);
  const resemblance = (subject: Subject): Resemblance => alike?.get(subject) ?? NO_RESEMBLANCE;
  return diagnose({ ...again, resemblance }, examine(again));
}

function nameOf({ cause }: Alike): string {
  return cause;
}

/** By id; to import a module again costs as much as to ask its cause. */
const LOADED = new Map<string, Cause>();

async function loadedCause(entry: CauseEntry): Promise<Cause> {
  const cause = LOADED.get(entry.id) ?? causeOf(await entry.load());
  LOADED.set(entry.id, cause);
  return cause;
}

/** The causes of these entries, the same list as long as the entries are. */
async function causesOf(bench: Bench, entries: readonly CauseEntry[]): Promise<readonly Cause[]> {
  const key = entries.map(({ id }) => id).join(' ');
  const known = bench.asked.get(key);
  const causes = known ?? (await Promise.all(entries.map(loadedCause)));
  if (bench.asked.size >= ASKED_MAX) bench.asked.clear();
  bench.asked.set(key, causes);
  return causes;
}

function inputOf(
  { memory }: Bench,
  given: Given,
  causes: readonly Cause[],
  asked: readonly Cause[],
): DiagnosisInput {
  return { ...given, causes, concerned: asked, memory, catalogueVersion: CATALOGUE_VERSION };
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
