import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { readTexts } from '../../src/engine/pile.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import type { FactRecord, Observations } from '../../src/evidence/observations.ts';
import type { Example } from './example.ts';

/** A field of a fact by the keys and places that lead to it. */
type Path = readonly (string | number)[];

/** A source may show each of these for several things; more of one kind say nothing new. */
const ITEMS_MAX = 2;
/** What an object of Kubernetes is known by, which no source leaves out. */
const IDENTITY = new Set(['kind', 'namespace', 'name', 'uid', 'labels', 'annotations']);

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pathsIn(value: unknown, at: Path): readonly Path[] {
  if (Array.isArray(value))
    return value.slice(0, ITEMS_MAX).flatMap((item, index) => pathsIn(item, [...at, index]));
  if (!isFields(value)) return [];
  return Object.entries(value)
    .filter(([, entry]) => entry !== undefined && entry !== null)
    .flatMap(([name, entry]) => [[...at, name], ...pathsIn(entry, [...at, name])]);
}

/** Every field of a projected fact. Nodes, which tables show too, have no fields of this kind. */
export function fieldsOf({ kind, value }: FactRecord): readonly Path[] {
  if (!/^(?:aws\/(?!user-data)|kube\/[A-Z])/.test(kind) || kind === 'kube/Node') return [];
  const all = pathsIn(value, []);
  return kind.startsWith('kube/') ? all.filter(([first]) => !IDENTITY.has(String(first))) : all;
}

function without(value: unknown, [first, ...rest]: Path): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (index === first ? without(item, rest) : item));
  if (!isFields(value) || first === undefined) return value;
  const entry = rest.length === 0 ? undefined : without(value[first], rest);
  return { ...value, [first]: entry };
}

/** The observations as if the source had not shown one field. */
export function withoutField(
  observations: Observations,
  fact: FactRecord,
  path: Path,
): Observations {
  const cut = { ...fact, value: without(fact.value, path), extent: 'part' } as FactRecord;
  return { ...observations, facts: observations.facts.map((one) => (one === fact ? cut : one)) };
}

function namedIn({ subjects }: DiagnosisDocument): ReadonlySet<string> {
  const findings = subjects.flatMap((subject) => subject.findings);
  return new Set(findings.flatMap((one) => (one.confidence === 'possible' ? [] : one.cause)));
}

function usableIn({ subjects }: DiagnosisDocument): ReadonlySet<string> {
  return new Set(subjects.flatMap(({ verdict, name }) => (verdict === 'usable' ? name : [])));
}

function newIn(after: ReadonlySet<string>, before: ReadonlySet<string>): readonly string[] {
  return [...after].filter((one) => !before.has(one));
}

/** What is said of an example once a field is unknown that was not said of the whole; sentences. */
export async function faultsWithoutFields(example: Example): Promise<readonly string[]> {
  const observations = await readTexts(example.files);
  const before = await diagnoseObservations(observations);
  const faults: string[] = [];
  for (const fact of observations.facts) {
    for (const path of fieldsOf(fact)) {
      const after = await diagnoseObservations(withoutField(observations, fact, path));
      const place = `without ${fact.kind} ${path.join('.')}`;
      for (const cause of newIn(namedIn(after), namedIn(before)))
        faults.push(`${place}, ${cause} is named`);
      for (const name of newIn(usableIn(after), usableIn(before)))
        faults.push(`${place}, ${name} is called usable`);
    }
  }
  return faults;
}
