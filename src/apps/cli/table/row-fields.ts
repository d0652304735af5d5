import type { RollCallDocument, RollCallRow } from '../../../diagnosis/roll-call/document.ts';
import { nearest } from '../../../evidence/nearest.ts';
import { JsonPathError, type Path, type PathStep, type TemplatePiece } from './json-path-tree.ts';

/** Fields of a row, and what is in those that hold more; a row has no others. */
const FIELDS: Readonly<Record<keyof RollCallRow, readonly string[]>> = {
  name: [],
  instanceId: [],
  node: [],
  group: ['kind', 'name'],
  instanceType: [],
  zone: [],
  image: [],
  launchedAt: [],
  stage: [],
  verdict: [],
  headline: ['cause', 'stage', 'confidence', 'subject'],
  risks: [],
  note: [],
};

const ROW_FIELDS = Object.entries(FIELDS).flatMap(([field, inner]) =>
  inner.length === 0 ? [`.${field}`] : inner.map((name) => `.${field}.${name}`),
);

const DOCUMENT: Readonly<Record<keyof RollCallDocument, true>> = {
  apiVersion: true,
  kind: true,
  catalogueVersion: true,
  rows: true,
  shared: true,
  gaps: true,
  cluster: true,
  notObservable: true,
  losses: true,
};

const DOCUMENT_FIELDS = Object.keys(DOCUMENT).map((field) => `.${field}`);

/** What the table's columns and kubectl's lists call what is here called otherwise. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['.age', '.launchedAt'],
  ['.launched', '.launchedAt'],
  ['.instance', '.instanceId'],
  ['.type', '.instanceType'],
  ['.cause', '.headline.cause'],
  ['.metadata.name', '.name'],
  ['.metadata.creationtimestamp', '.launchedAt'],
  ['.items', '.rows'],
]);

/** Where in a roll call a path stands; null where its fields are not told here. */
type Place = 'document' | 'rows' | 'row' | null;

/** The fields with which a path goes on, up to the first step that is no plain field. */
function fieldsFrom(path: Path): readonly string[] {
  const fields: string[] = [];
  for (const step of path) {
    if (step.kind !== 'field') break;
    fields.push(step.name);
  }
  return fields;
}

function isRowField([field, inner, ...deeper]: readonly string[]): boolean {
  if (field === undefined) return true;
  const known = Object.entries(FIELDS).find(([name]) => name === field);
  if (known === undefined) return false;
  return inner === undefined || (known[1].includes(inner) && deeper.length === 0);
}

function unknownField(
  option: string,
  place: string,
  asked: string,
  known: readonly string[],
): never {
  const close = OTHER_NAMES.get(asked.toLowerCase()) ?? nearest(asked, known);
  const hint = close === null || !known.includes(close) ? '.' : `; did you mean ${close}?`;
  const words = `${option}: ${place} has no field ${JSON.stringify(asked)}${hint}`;
  throw new JsonPathError(`${words} Fields are ${known.join(', ')}`);
}

/**
 * Accepts a path that starts at a row.
 *
 * @param option what the path was given to, for the message
 * @throws JsonPathError when no row has such a field
 */
export function mustBeOfRow(path: Path, option: string): void {
  const fields = fieldsFrom(path);
  if (!isRowField(fields)) unknownField(option, 'a row', `.${fields.join('.')}`, ROW_FIELDS);
}

function afterDocument(path: Path): Place {
  const [step] = path;
  if (step?.kind !== 'field') return null;
  if (!Object.hasOwn(DOCUMENT, step.name))
    unknownField('-o jsonpath', 'a roll call', `.${step.name}`, DOCUMENT_FIELDS);
  return step.name === 'rows' ? 'rows' : null;
}

/** A list has no fields: each row of it has. */
function afterRows(step: PathStep): Place {
  if (step.kind === 'field')
    throw new JsonPathError(
      `-o jsonpath: .rows is a list; did you mean .rows[*].${step.name} or .rows[0].${step.name}?`,
    );
  if (step.kind === 'filter')
    for (const side of [step.filter.left, step.filter.right]) mustBeOfRow(side, '-o jsonpath');
  return ['wildcard', 'index', 'slice', 'filter'].includes(step.kind) ? 'row' : null;
}

function placeAfter(path: Path, from: Place): Place {
  let place = from;
  for (const [index, step] of path.entries()) {
    if (place === null) return null;
    if (place === 'document') place = afterDocument(path.slice(index));
    else if (place === 'rows') place = afterRows(step);
    else {
      mustBeOfRow(path.slice(index), '-o jsonpath');
      return null;
    }
  }
  return place;
}

/**
 * Accepts a template that asks for nothing which a roll call has not: unlike an object of
 * Kubernetes it always has the same fields, so that an unknown one is a mistake.
 *
 * @throws JsonPathError with the field that was most likely meant
 */
export function mustBeOfDocument(
  pieces: readonly TemplatePiece[],
  place: 'document' | 'row' | null = 'document',
): void {
  for (const piece of pieces) {
    if (piece.kind === 'text') continue;
    const after = placeAfter(piece.path, place);
    if (piece.kind === 'range') mustBeOfDocument(piece.body, after === 'row' ? 'row' : null);
  }
}
