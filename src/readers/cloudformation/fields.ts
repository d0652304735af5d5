import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { type Given, isOpen, unknownOf } from './given.ts';

/** How a property is written as an attribute of the same resource in Terraform. */
export type Field =
  | string
  | { readonly as: string; readonly turn: (given: Given) => Given }
  | { readonly as: string; readonly block: Fields };

/** Properties by their names in CloudFormation. */
export interface Fields {
  readonly [property: string]: Field;
}

/** A property whose objects are blocks in Terraform, which shows one as a list of one. */
export function block(as: string, fields: Fields): Field {
  return { as, block: fields };
}

function turned(turn: (value: Json) => Json): (as: string) => Field {
  return (as) => ({
    as,
    turn: (given) =>
      isOpen(given.unknown)
        ? unknownOf(given.references)
        : { ...given, value: turn(given.value ?? null) },
  });
}

/** CloudFormation takes numbers as texts too. */
export const number = turned((value) =>
  typeof value === 'string' && /^-?\d{1,12}$/.test(value) ? Number(value) : value,
);

/** Flags are texts as often as not. */
export const flag = turned((value) =>
  value === 'true' || value === 'True'
    ? true
    : value === 'false' || value === 'False'
      ? false
      : value,
);

/** Numbers and flags that Terraform writes as texts. */
export const text = turned((value) =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
);

/** A document that Terraform writes as a text. */
export const json = turned((value) => (isObject(value) ? JSON.stringify(value) : value));

/** A list of which there is one. */
export function first(as: string): Field {
  return {
    as,
    turn: ({ value, unknown, references }) => ({
      value: Array.isArray(value) ? ((value as readonly Json[])[0] ?? null) : (value ?? null),
      unknown: Array.isArray(unknown) ? ((unknown as readonly Json[])[0] ?? false) : unknown,
      references,
    }),
  };
}

/** Pairs of `Key` and `Value`; a key that only the stack will know makes tags that nobody knows. */
export function tags(as: string): Field {
  return {
    as,
    turn: (given) => {
      const entries = Array.isArray(given.value) ? (given.value as readonly Json[]) : [];
      const named = entries.flatMap((entry) => {
        const key = textAt(entry, 'Key');
        return key === null ? [] : [[key, at(entry, 'Value') ?? null] as const];
      });
      return { ...given, value: Object.fromEntries(named), unknown: false };
    },
  };
}

/** Attributes as a plan of Terraform shows them. */
export interface Attributes {
  readonly values: JsonObject;
  readonly unknown: JsonObject;
  readonly expressions: JsonObject;
}

/** What the properties of a resource are in Terraform. */
export function attributesOf(
  fields: Fields,
  properties: readonly (readonly [string, Given])[],
): Attributes {
  const values: [string, Json][] = [];
  const unknown: [string, Json][] = [];
  const expressions: [string, Json][] = [];
  for (const [property, given] of properties) {
    const field = Object.hasOwn(fields, property) ? fields[property] : undefined;
    if (field === undefined || given.value === undefined) continue;
    const name = attributeName(field);
    const made = fieldOf(field, given);
    values.push([name, made.value ?? null]);
    if (isOpen(made.unknown)) unknown.push([name, made.unknown]);
    expressions.push([name, { references: [...given.references], ...askedIn(field, given) }]);
  }
  return {
    values: Object.fromEntries(values),
    unknown: Object.fromEntries(unknown),
    expressions: Object.fromEntries(expressions),
  };
}

/** What a block sets, of which only the stack will know the value too. */
function askedIn(field: Field, { value, unknown }: Given): JsonObject {
  if (typeof field === 'string' || !('block' in field)) return {};
  const own = [...keysOf(value ?? null), ...keysOf(unknown)].flatMap((name) => {
    const inner = Object.hasOwn(field.block, name) ? field.block[name] : undefined;
    return inner === undefined ? [] : [[attributeName(inner), {}] as const];
  });
  return Object.fromEntries(own);
}

export function attributeName(field: Field): string {
  return typeof field === 'string' ? field : field.as;
}

function fieldOf(field: Field, given: Given): Given {
  if (typeof field === 'string') return given;
  if ('turn' in field) return field.turn(given);
  return given.unknown === true ? given : blocksOf(field.block, given);
}

function blocksOf(fields: Fields, given: Given): Given {
  const items = Array.isArray(given.value)
    ? (given.value as readonly Json[])
    : [given.value ?? null];
  const open = Array.isArray(given.unknown) ? (given.unknown as readonly Json[]) : [given.unknown];
  const blocks = items.map((item, index) => blockOf(fields, item, open[index] ?? false));
  return {
    value: blocks.map(({ values }) => values),
    unknown: blocks.map(({ unknown, isUnknown }) => (isUnknown ? true : unknown)),
    references: given.references,
  };
}

function blockOf(
  fields: Fields,
  item: Json,
  open: Json,
): Attributes & { readonly isUnknown: boolean } {
  const names = new Set([...keysOf(item), ...keysOf(open)]);
  const properties = [...names].map((name): readonly [string, Given] => [
    name,
    { value: at(item, name) ?? null, unknown: at(open, name) ?? false, references: [] },
  ]);
  return { ...attributesOf(fields, properties), isUnknown: open === true };
}

function keysOf(value: Json): readonly string[] {
  return isObject(value) ? Object.keys(value).filter((name) => !name.includes('.')) : [];
}

/** The items of a list as they are written, `Fn::If` with both of what it may be. */
export function itemsOf(properties: Json | undefined, name: string): readonly Json[] {
  return listAt(properties, name).flatMap((item) => {
    const both = listAt({ item }, 'item').length > 0 ? null : at(item, 'Fn::If');
    const choices = Array.isArray(both) ? (both as readonly Json[]).slice(1) : [item];
    return choices.filter((one) => textAt(one, 'Ref') !== 'AWS::NoValue');
  });
}
