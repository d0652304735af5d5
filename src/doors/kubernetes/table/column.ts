import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from '../../../evidence/json.ts';
import { ageOf } from './age.ts';

export type Cell = (object: JsonObject, nowMs: number) => Json;

/** One column of a Table. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  /** Above 0 only with `-o wide`. */
  readonly priority: number;
  readonly description: string;
  readonly cell: Cell;
}

/** `Name/name`, `Desired:integer`, `IP*1`: a name, its type, its format and its priority. */
const HEAD = /^([^:*]+?)(?::(\w+))?(?:\*(\d+))?$/;

function columnOf(head: string, cell: Cell): Column {
  const [, full = '', type = 'string', priority = '0'] = HEAD.exec(head) ?? [];
  const [name = '', format = ''] = full.split('/');
  return { name, type, format, priority: Number(priority), description: '', cell };
}

/** Columns from their heads, parted by `|`, and a cell for each. */
export function columns(heads: string, ...cells: readonly Cell[]): readonly Column[] {
  return heads.split(' | ').map((head, index) => columnOf(head, cells[index] ?? empty));
}

const empty: Cell = () => '';

/** What is printed where there is nothing. */
export const NONE = '<none>';
const UNSET = '<unset>';
const UNKNOWN = '<unknown>';

/** Text at a path, or another one when there is none. */
export function text(path: string, otherwise = ''): Cell {
  return (object) => textAt(object, path) || otherwise;
}

export const orNone = (path: string): Cell => text(path, NONE);
export const orUnset = (path: string): Cell => text(path, UNSET);
export const orUnknown = (path: string): Cell => text(path, UNKNOWN);

/** A whole number at a path, 0 when there is none. */
export function count(path: string): Cell {
  return (object) => numberAt(object, path);
}

export function numberAt(object: Json | undefined, path: string): number {
  const value = at(object, path);
  return typeof value === 'number' ? value : 0;
}

/** True or false at a path. */
export function flag(path: string, otherwise = false): Cell {
  return (object) => {
    const value = at(object, path);
    return typeof value === 'boolean' ? value : otherwise;
  };
}

/** How many entries the list at a path has. */
export function length(path: string): Cell {
  return (object) => listAt(object, path).length;
}

/** Time since the stamp at a path. */
export function since(path: string): Cell {
  return (object, nowMs) => ageOf(textAt(object, path), nowMs);
}

export const name: Cell = text('metadata.name');
export const age: Cell = since('metadata.creationTimestamp');
export const created: Cell = text('metadata.creationTimestamp');

/** The objects of a list at a path. */
export function objectsAt(object: Json | undefined, path: string): readonly JsonObject[] {
  return listAt(object, path).filter(isObject);
}

/** `a=b,c=d`, sorted by key. */
export function pairs(value: Json | undefined, otherwise = NONE): string {
  if (!isObject(value)) return otherwise;
  const entries = Object.entries(value)
    .map(([key, entry]) => `${key}=${typeof entry === 'string' ? entry : ''}`)
    .toSorted();
  return entries.length === 0 ? otherwise : entries.join(',');
}

export function joined(values: readonly (string | null)[], separator = ','): string {
  return values.filter((value) => value !== null && value !== '').join(separator);
}

/** Names of the entries of a list. */
export function namesAt(path: string, key = 'name'): Cell {
  return (object) => joined(objectsAt(object, path).map((one) => textAt(one, key)));
}

const OPERATORS = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
]);

function requirement(expression: JsonObject): string {
  const key = textAt(expression, 'key') ?? '';
  const operator = textAt(expression, 'operator') ?? '';
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  const values = listAt(expression, 'values').map(String).toSorted();
  return `${key} ${OPERATORS.get(operator) ?? operator} (${values.join(',')})`;
}

/** A label selector as text; `<none>` when it selects everything. */
export function selector(path: string): Cell {
  return (object) => {
    const labels = pairs(at(object, `${path}.matchLabels`), '');
    const rest = objectsAt(object, `${path}.matchExpressions`).map(requirement);
    return joined([labels, ...rest]) || NONE;
  };
}
