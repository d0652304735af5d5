import { at, isObject, type Json, type JsonObject, textAt } from '../evidence/json.ts';

/**
 * An object with holes for the values of an installation. It is filled here, for `rollcall install`
 * and for manifests, and written with the same holes as a template of the Helm chart.
 */
export type Template = null | boolean | number | string | TemplateList | TemplateFields | Hole;
export type TemplateList = readonly Template[];
export interface TemplateFields {
  readonly [key: string]: Template;
}

/** A question about the values; what Helm takes for false is false here too. */
export type Condition =
  | { readonly test: 'on'; readonly path: string }
  | { readonly test: 'has'; readonly path: string; readonly item: string }
  | { readonly test: 'equals'; readonly path: string; readonly value: string }
  | { readonly test: 'all' | 'any'; readonly of: readonly Condition[] };

/** A value within a text; a joined one is a list with commas. */
export interface TextValue {
  readonly path: string;
  readonly isJoined: boolean;
}
export type TextPiece = string | TextValue;

/** The key of a hole, which no JSON has. */
export const HOLE: unique symbol = Symbol('hole');

export type Hole =
  | { readonly [HOLE]: 'value'; readonly path: string }
  | { readonly [HOLE]: 'text'; readonly pieces: readonly TextPiece[] }
  /** A field or an item of a list that is left out when the condition is false. */
  | { readonly [HOLE]: 'when'; readonly condition: Condition; readonly content: Template }
  /** Items of a list: the prefix and one text of the values each. */
  | { readonly [HOLE]: 'each'; readonly path: string; readonly prefix: string };

/** The namespace of the installation, which is in no file of values. */
export const NAMESPACE_PATH = '@namespace';
export const NAMESPACE: Hole = { [HOLE]: 'value', path: NAMESPACE_PATH };

export function value(path: string): Hole {
  return { [HOLE]: 'value', path };
}

export function text(...pieces: readonly TextPiece[]): Hole {
  return { [HOLE]: 'text', pieces };
}

/** The value at a path as a piece of a text. */
export function piece(path: string): TextValue {
  return { path, isJoined: false };
}

/** The list at a path with commas, as a piece of a text. */
export function joined(path: string): TextValue {
  return { path, isJoined: true };
}

export function when(condition: Condition, content: Template): Hole {
  return { [HOLE]: 'when', condition, content };
}

export function each(path: string, prefix: string): Hole {
  return { [HOLE]: 'each', path, prefix };
}

export function isOn(path: string): Condition {
  return { test: 'on', path };
}

export function hasItem(path: string, item: string): Condition {
  return { test: 'has', path, item };
}

export function isEqualTo(path: string, expected: string): Condition {
  return { test: 'equals', path, value: expected };
}

export function allOf(...of: readonly Condition[]): Condition {
  return { test: 'all', of };
}

export function anyOf(...of: readonly Condition[]): Condition {
  return { test: 'any', of };
}

export function isHole(template: Template): template is Hole {
  return typeof template === 'object' && template !== null && HOLE in template;
}

export function isList(template: Template): template is TemplateList {
  return Array.isArray(template);
}

/** What an installation is filled with: its namespace, and values as the chart takes them. */
export interface Installation {
  readonly namespace: string;
  readonly values: JsonObject;
}

function valueAt({ namespace, values }: Installation, path: string): Json {
  if (path === NAMESPACE_PATH) return namespace;
  const found = at(values, path);
  if (found === undefined) throw new RangeError(`the values have no ${path}`);
  return found;
}

function isTrue(found: Json): boolean {
  if (Array.isArray(found)) return found.length > 0;
  return isObject(found) ? Object.keys(found).length > 0 : Boolean(found);
}

export function holds(condition: Condition, into: Installation): boolean {
  switch (condition.test) {
    case 'on':
      return isTrue(valueAt(into, condition.path));
    case 'has':
      return itemsAt(into, condition.path).includes(condition.item);
    case 'equals':
      return valueAt(into, condition.path) === condition.value;
    case 'all':
      return condition.of.every((one) => holds(one, into));
    default:
      return condition.of.some((one) => holds(one, into));
  }
}

function itemsAt(into: Installation, path: string): readonly string[] {
  const found = valueAt(into, path);
  return Array.isArray(found) ? found.map(String) : [];
}

function pieceText(one: TextPiece, into: Installation): string {
  if (typeof one === 'string') return one;
  if (one.isJoined) return itemsAt(into, one.path).join(',');
  return textAt({ found: valueAt(into, one.path) }, 'found') ?? '';
}

/** None, one or several values in place of a template. */
function filled(template: Template, into: Installation): readonly Json[] {
  if (!isHole(template)) return [filledPlain(template, into)];
  switch (template[HOLE]) {
    case 'value':
      return [valueAt(into, template.path)];
    case 'text':
      return [template.pieces.map((one) => pieceText(one, into)).join('')];
    case 'each':
      return itemsAt(into, template.path).map((item) => `${template.prefix}${item}`);
    default:
      return holds(template.condition, into) ? filled(template.content, into) : [];
  }
}

function filledPlain(template: Exclude<Template, Hole>, into: Installation): Json {
  if (typeof template !== 'object' || template === null) return template;
  if (isList(template)) return template.flatMap((item) => filled(item, into));
  const fields = Object.entries(template);
  return Object.fromEntries(
    fields.flatMap(([key, one]) => filled(one, into).map((found) => [key, found])),
  );
}

/**
 * Fills templates of objects; one whose condition is false is left out.
 *
 * @throws RangeError where the values lack something
 */
export function fillObjects(
  templates: readonly Template[],
  into: Installation,
): readonly JsonObject[] {
  return templates.flatMap((one) => filled(one, into)).filter(isObject);
}
