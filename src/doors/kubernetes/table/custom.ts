import type { Json, JsonObject } from '../../../evidence/json.ts';
import { isObject, textAt } from '../../../evidence/json.ts';
import { ageOf } from './age.ts';
import { type Cell, type Column, columns, name, numberAt } from './column.ts';

/** One step of a path: a key, an index, or entries by the text of one of their fields. */
type Step =
  | { readonly is: 'key'; readonly key: string }
  | { readonly is: 'index'; readonly index: number }
  | { readonly is: 'all' }
  | { readonly is: 'where'; readonly field: string; readonly value: string };

const STEP =
  /\.([\w-]+(?:\\\.[\w-]+)*)|\['([^']+)'\]|\[(\d+)\]|\[(\*)\]|\[\?\(@\.([\w-]+)\s*==\s*["']([^"']*)["']\)\]/gy;
const STEPS_MAX = 32;
const PATH_CHARS_MAX = 1024;

function stepOf(match: RegExpExecArray): Step {
  const [, key, quoted, index, star, field, value] = match;
  if (key !== undefined || quoted !== undefined)
    return { is: 'key', key: (key ?? quoted ?? '').replaceAll('\\.', '.') };
  if (index !== undefined) return { is: 'index', index: Number(index) };
  if (star !== undefined) return { is: 'all' };
  return { is: 'where', field: field ?? '', value: value ?? '' };
}

/** The simple paths that printer columns have; null for one that is not of these forms. */
export function stepsOf(path: string): readonly Step[] | null {
  if (path.length > PATH_CHARS_MAX) return null;
  const steps: Step[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (match === null || steps.length >= STEPS_MAX) return null;
    steps.push(stepOf(match));
  }
  return steps;
}

function follow(value: Json, step: Step): readonly Json[] {
  if (step.is === 'key')
    return isObject(value) && Object.hasOwn(value, step.key) ? [value[step.key] as Json] : [];
  if (!Array.isArray(value)) return [];
  const list = value as readonly Json[];
  if (step.is === 'all') return list;
  if (step.is === 'index') return step.index in list ? [list[step.index] as Json] : [];
  return list.filter((one) => textAt(one, step.field) === step.value);
}

function valueAt(object: JsonObject, steps: readonly Step[]): Json | undefined {
  let found: readonly Json[] = [object];
  for (const step of steps) found = found.flatMap((value) => follow(value, step));
  return found[0];
}

function shown(value: Json | undefined, type: string, nowMs: number): Json {
  if (value === undefined || value === null) return type === 'date' ? '<unknown>' : null;
  if (type === 'date') return ageOf(typeof value === 'string' ? value : null, nowMs);
  if (type === 'integer' || type === 'number') return typeof value === 'number' ? value : null;
  if (type === 'boolean') return typeof value === 'boolean' ? value : null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function cellOf(column: JsonObject): Cell {
  const steps = stepsOf(textAt(column, 'jsonPath') ?? '');
  const type = textAt(column, 'type') ?? 'string';
  return (object, nowMs) => (steps === null ? null : shown(valueAt(object, steps), type, nowMs));
}

/** `additionalPrinterColumns` of a version; the name comes first. */
export function customColumns(own: readonly JsonObject[]): readonly Column[] {
  const named = columns('Name/name', name);
  const rest = own.map((column) => ({
    name: textAt(column, 'name') ?? '',
    type: textAt(column, 'type') ?? 'string',
    format: textAt(column, 'format') ?? '',
    priority: numberAt(column, 'priority'),
    description: textAt(column, 'description') ?? '',
    cell: cellOf(column),
  }));
  return [...named, ...rest];
}
