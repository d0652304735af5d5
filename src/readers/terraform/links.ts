import { isObject, type Json, listAt, textAt } from '../../evidence/json.ts';
import { type Directory, originsOf } from './references.ts';
import { isUnknownIn, type Resource, textOf } from './resource.ts';

/** An id or name by which a resource is known: the one it has, else its address. */
export function nameBy(resource: Resource, attribute: string): string {
  return textOf(resource, attribute) ?? resource.address;
}

/** The values of an attribute that names other resources. */
export interface Links {
  readonly names: readonly string[];
  /** False where it may name others too, or where only one of these may be meant. */
  readonly isExact: boolean;
}

/** Which resources an attribute may name, and by which of their attributes it does. */
export interface Target {
  readonly types: readonly string[];
  readonly by: string | ((resource: Resource) => string);
}

function namedBy(resource: Resource, { by }: Target): string {
  return typeof by === 'string' ? nameBy(resource, by) : by(resource);
}

/** Every text within a value of whatever depth, in order. */
function textsWithin(value: Json | undefined, field: string): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value))
    return (value as readonly Json[]).flatMap((one) => textsWithin(one, field));
  if (!isObject(value)) return [];
  return field === '' ? [] : textsWithin(value[field], '');
}

/**
 * What an attribute of texts names: its texts, and for those that are known after apply the
 * resources that they come from.
 *
 * @param field of the block, for an attribute inside of a block
 */
export function linksOf(
  directory: Directory,
  resource: Resource,
  name: string,
  target: Target,
  field = '',
): Links {
  const known = textsWithin(resource.values[name], field).filter((text) => text !== '');
  const unknown = isObject(resource.unknown) ? resource.unknown[name] : undefined;
  const isOpen = Array.isArray(unknown) && field !== '' ? isOpenIn(unknown, field) : unknown;
  if (!isUnknownIn(isOpen)) return { names: known, isExact: true };
  const { resources, isExact, chosen } = originsOf(directory, resource, name);
  const isWanted = ({ type }: Resource): boolean => target.types.includes(type);
  const [only, ...more] = chosen.filter(isWanted);
  if (!isExact && known.length === 0 && only !== undefined && more.length === 0)
    return { names: [namedBy(only, target)], isExact: true };
  const own = resources.filter(isWanted);
  const names = own.map((one) => namedBy(one, target));
  return { names: [...new Set([...known, ...names])], isExact: isExact && own.length > 0 };
}

function isOpenIn(blocks: readonly Json[], field: string): Json {
  return blocks.some((block) => (isObject(block) ? isUnknownIn(block[field]) : block === true));
}

/** The one resource that an attribute names; null when it is not set, undefined when unknown. */
export function linkOf(
  directory: Directory,
  resource: Resource,
  name: string,
  target: Target,
  field = '',
): string | null | undefined {
  const { names, isExact } = linksOf(directory, resource, name, target, field);
  if (names.length === 1 && isExact) return names[0];
  return names.length === 0 && isExact ? null : undefined;
}

/** Tags as AWS lists them. */
export function tagsOf({ values }: Pick<Resource, 'values'>): readonly Json[] {
  const { tags_all: all, tags } = values;
  const given = isObject(all) ? all : tags;
  if (!isObject(given)) return [];
  return Object.entries(given).map(([key, value]) => ({ Key: key, Value: value }));
}

/** Tags of an Auto Scaling group that its machines get too. */
export function groupTagsOf({ values }: Resource): readonly Json[] {
  return listAt(values, 'tag').map((tag) => ({
    Key: textAt(tag, 'key'),
    Value: textAt(tag, 'value'),
  }));
}
