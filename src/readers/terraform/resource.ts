import type { Change } from '../../evidence/planned.ts';
import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { Module } from './module.ts';

/** A resource or a data source as it will be. */
export interface Resource {
  readonly address: string;
  readonly type: string;
  readonly isLookedUp: boolean;
  /** `[0]` or `["blue"]`; empty for a single one. */
  readonly index: string;
  readonly module: Module;
  readonly values: JsonObject;
  /** True at every value that is known after apply. */
  readonly unknown: Json;
  readonly change: Change;
  /** Its own block of the configuration; undefined in a state. */
  readonly configuration: JsonObject | undefined;
}

/** True where a value, or a part of it, is known after apply. */
export function isUnknownIn(value: Json | undefined, depth = 8): boolean {
  if (value === true) return true;
  if (depth === 0 || typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((entry: Json) => isUnknownIn(entry, depth - 1));
}

/** A text that the plan shows; null when it is not set, undefined when it is known after apply. */
export function textOf({ values, unknown }: Resource, name: string): string | null | undefined {
  return isUnknownIn(at(unknown, name)) ? undefined : textAt(values, name);
}

/** The first block of this name, which Terraform shows as a list. */
export function blockOf({ values }: Resource, name: string): Json | undefined {
  return listAt(values, name)[0];
}

/** A number or flag as it is shown, null when it is not set. */
export function valueAt(value: Json | undefined, path: string): Json {
  return at(value, path) ?? null;
}

/** Texts of a list that is known. */
export function textsOf(value: Json | undefined, path: string): readonly string[] {
  return listAt(value, path).filter((entry) => typeof entry === 'string');
}

/** The expression behind an attribute or block, undefined when it is not in the configuration. */
export function expressionOf(resource: Resource, name: string): Json | undefined {
  return at(resource.configuration, `expressions.${name}`);
}

/** What an address of this resource is behind its module. */
export function indexText(index: Json | undefined): string {
  if (typeof index === 'number') return `[${index}]`;
  return typeof index === 'string' ? `[${JSON.stringify(index)}]` : '';
}

const TAG_FIELDS = new Set(['tags', 'tags_all']);

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** Tags of a group by which its machines are known as nodes; the others are like any other tag. */
function nodeTags(value: Json | undefined): readonly Json[] {
  return listAt(value, 'tag').filter((tag) =>
    /kubernetes\.io|k8s\.io|eks:/.test(textAt(tag, 'key') ?? ''),
  );
}

/** True when nothing but tags is otherwise than before. */
function isOfTagsOnly(change: Json | undefined): boolean {
  const [before, after, unknown] = ['before', 'after', 'after_unknown'].map((key) =>
    at(change, key),
  );
  if (!isObject(before) || !isObject(after)) return false;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  if (isObject(unknown))
    for (const [name, value] of Object.entries(unknown)) if (isUnknownIn(value)) names.add(name);
  return [...names].every(
    (name) =>
      TAG_FIELDS.has(name) ||
      (name === 'tag' && isSame(nodeTags(before), nodeTags(after))) ||
      (isSame(before[name], after[name]) && !isUnknownIn(at(unknown, name))),
  );
}

/** What the actions of a change come to. */
export function changeOf(change: Json | undefined): Change {
  const actions = listAt(change, 'actions');
  if (actions.includes('create')) return 'create';
  if (actions.includes('update')) return isOfTagsOnly(change) ? 'keep' : 'change';
  return actions.length === 0 ? 'exists' : 'keep';
}
