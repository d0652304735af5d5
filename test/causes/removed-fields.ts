import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { readTexts } from '../../src/engine/pile.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import { AWS_SHAPES } from '../../src/evidence/aws/shapes.ts';
import { KUBE_SHAPES } from '../../src/evidence/kube/shapes.ts';
import type { FactRecord, Observations } from '../../src/evidence/observations.ts';
import type { Fields, Leaf, Shape } from '../../src/evidence/shape.ts';
import type { Example } from './example.ts';

/** A field of a fact by the keys and places that lead to it. */
type Path = readonly (string | number)[];

/** A source may show each of these for several things; more of one kind say nothing new. */
const ITEMS_MAX = 2;

const SHAPES: Readonly<Record<string, Shape>> = { ...AWS_SHAPES, ...KUBE_SHAPES };

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isLeaf(shape: Shape): shape is Leaf<unknown> {
  return 'take' in shape && typeof shape.take === 'function';
}

function innerOf(field: Fields[string]): Shape {
  if ('always' in field) return field.always as Shape;
  return 'shown' in field ? (field.shown as Shape) : field;
}

/** Where a value has the fields of its shape; what a leaf is made of no source takes apart. */
function pathsIn(value: unknown, shape: Shape, at: Path): readonly Path[] {
  if (isLeaf(shape)) return [];
  if (Array.isArray(value)) {
    const [item] = shape as readonly [Shape];
    return value
      .slice(0, ITEMS_MAX)
      .flatMap((one: unknown, index) => pathsIn(one, item, [...at, index]));
  }
  if (!isFields(value)) return [];
  return Object.entries(shape as Fields).flatMap(([name, field]) => {
    const entry = value[name] ?? null;
    if (entry === null) return [];
    return [[...at, name], ...pathsIn(entry, innerOf(field), [...at, name])];
  });
}

/** Every field of a projected fact but its identity, which no source leaves out. */
export function fieldsOf({ kind, value }: FactRecord): readonly Path[] {
  const shape = SHAPES[kind];
  return shape === undefined ? [] : pathsIn(value, shape, []);
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

/** Two blanks, empty brackets, a blank before a mark, or nothing behind a colon: a value is missing. */
const GAP = /\S {2,}\S|\(\)|\( | [.,;:)](?: |$)|[ :=]$/;

/** So much of a quoted line tells that a file prints it; further on it may be joined or shortened. */
const BEGINNING_CHARS = 24;

function withoutBlanks(text: string): string {
  return text.replaceAll(/[\s"\\]+/g, '');
}

/** The sentences of the findings which show that a value is missing, apart from what the files print. */
function gapsIn({ subjects }: DiagnosisDocument, { files }: Example): ReadonlySet<string> {
  const printed = files.map((file) => withoutBlanks(file.text));
  const isPrinted = (text: string): boolean =>
    printed.some((all) => all.includes(withoutBlanks(text).slice(0, BEGINNING_CHARS)));
  const said = subjects
    .flatMap((subject) => subject.findings)
    .flatMap(({ cause, summary, evidence, remedy }) =>
      [
        summary,
        ...remedy.map(({ text }) => text),
        ...evidence.map(({ excerpt }) => excerpt),
      ].flatMap((text) => (isPrinted(text) ? [] : `${cause}: ${text}`)),
    );
  return new Set(said.filter((text) => GAP.test(text)));
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
      for (const text of newIn(gapsIn(after, example), gapsIn(before, example)))
        faults.push(`${place}, a value is missing in “${text}”`);
    }
  }
  return faults;
}
