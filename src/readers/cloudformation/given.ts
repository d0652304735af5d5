import type { Json, JsonObject } from '../../evidence/json.ts';

/** What a part of a template comes to. */
export interface Given {
  /** What is known of it; undefined where it is left out (`AWS::NoValue`). */
  readonly value: Json | undefined;
  /** True at everything that only the stack will know. */
  readonly unknown: Json;
  /** What it comes from, as Terraform writes references. */
  readonly references: readonly string[];
}

export const LEFT_OUT: Given = { value: undefined, unknown: false, references: [] };

export function known(value: Json): Given {
  return { value, unknown: false, references: [] };
}

/** Something that only the stack will know. */
export function unknownOf(references: readonly string[] = []): Given {
  return { value: null, unknown: true, references };
}

/** True where a part of a value is unknown. */
export function isOpen(unknown: Json): boolean {
  if (unknown === true) return true;
  return typeof unknown === 'object' && unknown !== null && Object.values(unknown).some(isOpen);
}

/** A list of parts; each unknown one keeps its place. */
export function listOf(parts: readonly Given[]): Given {
  const present = parts.filter(({ value }) => value !== undefined);
  return {
    value: present.map(({ value }) => value ?? null),
    unknown: present.some(({ unknown }) => isOpen(unknown))
      ? present.map(({ unknown }) => unknown)
      : false,
    references: present.flatMap(({ references }) => references),
  };
}

/** An object of parts. */
export function objectOf(parts: readonly (readonly [string, Given])[]): Given {
  const present = parts.filter(([, { value }]) => value !== undefined);
  const open = present.filter(([, { unknown }]) => isOpen(unknown));
  return {
    value: Object.fromEntries(
      present
        .filter(([, { unknown }]) => unknown !== true)
        .map(([name, { value }]) => [name, value ?? null]),
    ),
    unknown:
      open.length === 0
        ? false
        : Object.fromEntries(open.map(([name, one]) => [name, one.unknown])),
    references: present.flatMap(([, { references }]) => references),
  };
}

/** A value in a text, as CloudFormation writes it. */
export function scalarText(value: Json | undefined): string {
  return typeof value === 'object' || value === undefined
    ? JSON.stringify(value ?? '')
    : String(value);
}

/** A text made of parts; unknown as a whole where one of them is. */
export function textOfParts(parts: readonly Given[], between: string): Given {
  const references = parts.flatMap((part) => part.references);
  if (parts.some(({ unknown }) => isOpen(unknown))) return unknownOf(references);
  const texts = parts.map(({ value }) => scalarText(value));
  return { value: texts.join(between), unknown: false, references };
}

/** One key and its value, of an object that has no other. */
export function onlyEntry(node: JsonObject): readonly [string, Json] | null {
  const [first, ...more] = Object.entries(node);
  return first === undefined || more.length > 0 ? null : first;
}
