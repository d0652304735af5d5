import { isObject, type Json, type JsonObject } from './json.ts';
import type { Always, Fields, Leaf, Shape, Shown, ValueOf } from './shape.ts';

interface Member {
  readonly name: string;
  readonly shape: Shape;
  readonly isAlways: boolean;
  /** True for a field of which a whole source may still say nothing. */
  readonly mayBeHidden: boolean;
}

const MEMBERS = new WeakMap<Fields, readonly Member[]>();

function memberOf([name, entry]: readonly [string, Shape | Always | Shown]): Member {
  if ('always' in entry)
    return { name, shape: entry.always as Shape, isAlways: true, mayBeHidden: true };
  if ('shown' in entry)
    return { name, shape: entry.shown as Shape, isAlways: false, mayBeHidden: true };
  return { name, shape: entry, isAlways: false, mayBeHidden: false };
}

function membersOf(fields: Fields): readonly Member[] {
  const known = MEMBERS.get(fields);
  if (known !== undefined) return known;
  const made = Object.entries(fields).map(memberOf);
  MEMBERS.set(fields, made);
  return made;
}

function isLeaf(shape: Shape): shape is Leaf<unknown> {
  return 'take' in shape && typeof shape.take === 'function';
}

function isItems(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function valueIn(value: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function projectFields(fields: Fields, value: JsonObject, isOfWhole: boolean): unknown {
  const members = membersOf(fields);
  const isWhole =
    isOfWhole &&
    members.every((one) => !one.isAlways || (valueIn(value, one.name) ?? null) !== null);
  const kept: Record<string, unknown> = {};
  for (const { name, shape, mayBeHidden } of members) {
    const given = valueIn(value, name) ?? null;
    if (given !== null) kept[name] = taken(shape, given, isWhole);
    else if (isWhole && !mayBeHidden) kept[name] = null;
  }
  return kept;
}

function taken(shape: Shape, value: Json, isWhole: boolean): unknown {
  if (isLeaf(shape)) return shape.take(value);
  if (!isItems(shape)) return isObject(value) ? projectFields(shape, value, isWhole) : undefined;
  if (!Array.isArray(value)) return undefined;
  const items = (value as readonly Json[]).map((item) => taken(shape[0], item, isWhole));
  return items.filter((item) => item !== undefined);
}

/**
 * What a shape keeps of a value; undefined for one of another form. A field that is not there is
 * null, or undefined where the source was cut.
 */
export function project<const S extends Shape>(shape: S, value: Json): ValueOf<S> | undefined {
  return taken(shape, value, true) as ValueOf<S> | undefined;
}
