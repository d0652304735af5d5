import { isObject, type Json, type JsonObject } from './json.ts';
import type { Extent } from './observations.ts';
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

/** What is found out on the way. */
interface Reading {
  isCut: boolean;
}

function projectFields(
  fields: Fields,
  value: JsonObject,
  isOfWhole: boolean,
  reading: Reading,
): unknown {
  const members = membersOf(fields);
  const isWhole =
    isOfWhole &&
    members.every((one) => !one.isAlways || (valueIn(value, one.name) ?? null) !== null);
  if (!isWhole) reading.isCut = true;
  const kept: Record<string, unknown> = {};
  for (const { name, shape, mayBeHidden } of members) {
    const given = valueIn(value, name) ?? null;
    if (given !== null) kept[name] = taken(shape, given, isWhole, reading);
    else if (isWhole && !mayBeHidden) kept[name] = null;
  }
  return kept;
}

function taken(shape: Shape, value: Json, isWhole: boolean, reading: Reading): unknown {
  if (isLeaf(shape)) return shape.take(value);
  if (!isItems(shape))
    return isObject(value) ? projectFields(shape, value, isWhole, reading) : undefined;
  if (!Array.isArray(value)) return undefined;
  const items = (value as readonly Json[]).map((item) => taken(shape[0], item, isWhole, reading));
  return items.filter((item) => item !== undefined);
}

/** A projected value, and whether its source showed all of it. */
export interface Projected<T> {
  readonly value: T;
  readonly extent: Extent;
}

/**
 * What a shape keeps of a value, with how much of it the source shows; null for another form.
 *
 * @param isWhole false where it is known that the source shows a part
 */
export function projectFact<const S extends Shape>(
  shape: S,
  given: Json,
  isWhole = true,
): Projected<ValueOf<S>> | null {
  const reading: Reading = { isCut: false };
  const value = taken(shape, given, isWhole, reading);
  if (value === undefined) return null;
  return { value: value as ValueOf<S>, extent: reading.isCut ? 'part' : 'whole' };
}

/**
 * What a shape keeps of a value; undefined for one of another form. A field that is not there is
 * null, or undefined where the source was cut.
 */
export function project<const S extends Shape>(shape: S, value: Json): ValueOf<S> | undefined {
  return projectFact(shape, value)?.value;
}
