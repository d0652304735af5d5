import type { Json } from './json.ts';

/**
 * A field as a source tells it: a value, null when the source was whole and does not have it,
 * undefined when the source was cut, or is of a version without it.
 */
export type Told<T> = T | null | undefined;

/** How one value is taken out of JSON; undefined for a value of another form. */
export interface Leaf<T> {
  readonly take: (value: Json) => T | undefined;
}

/** What is kept of a value: a leaf, each item of a list alike, or the named fields of an object. */
export type Shape = Leaf<unknown> | readonly [Shape] | Fields;

export interface Fields {
  readonly [field: string]: Shape | Always | Shown;
}

/** A field that every whole answer has: without it, the rest that is missing is unknown too. */
export interface Always<S = unknown> {
  readonly always: S;
}

/** A field that a source may leave out as a whole, such as `status` in a manifest. */
export interface Shown<S = unknown> {
  readonly shown: S;
}

export function always<const S extends Shape>(shape: S): Always<S> {
  return { always: shape };
}

export function shown<const S extends Shape>(shape: S): Shown<S> {
  return { shown: shape };
}

/** The type of what a shape keeps. */
export type ValueOf<S> =
  S extends Leaf<infer T>
    ? T
    : S extends readonly [infer Item]
      ? readonly ValueOf<Item>[]
      : S extends object
        ? FieldsOf<S>
        : never;

/** The type of an object of which the named fields are kept. */
export type FieldsOf<F> = {
  readonly [K in keyof F]: F[K] extends Always<infer S> | Shown<infer S>
    ? ValueOf<S> | undefined
    : Told<ValueOf<F[K]>>;
};

/** A text; numbers and booleans as they are printed. */
export const text: Leaf<string> = {
  take: (value) => {
    if (typeof value === 'string') return value;
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  },
};

const SAID: Readonly<Record<string, boolean>> = { true: true, false: false };

/** True or false, as itself or as a word. */
export const flag: Leaf<boolean> = {
  take: (value) => {
    if (typeof value === 'boolean') return value;
    return typeof value === 'string' ? SAID[value.toLowerCase()] : undefined;
  },
};

/** A number, as itself or in digits. */
export const amount: Leaf<number> = {
  take: (value) => {
    const isTold = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
    const given = isTold ? Number(value) : Number.NaN;
    return Number.isFinite(given) ? given : undefined;
  },
};

/** Texts by name, such as labels; entries of any other form are left out. */
export const texts: Leaf<Readonly<Record<string, string>>> = {
  take: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value).filter(([, entry]) => typeof entry === 'string');
    return Object.fromEntries(entries) as Readonly<Record<string, string>>;
  },
};

/** Amounts by name, such as `allocatable`, as they are printed. */
export const quantities: Leaf<Readonly<Record<string, string>>> = {
  take: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value).map(([name, entry]) => [name, text.take(entry)]);
    return Object.fromEntries(entries.filter(([, entry]) => entry !== undefined)) as Readonly<
      Record<string, string>
    >;
  },
};

/** The names of an object's fields, of which the values are not read. */
export const keys: Leaf<readonly string[]> = {
  take: (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.keys(value)
      : undefined,
};

/** True for anything that is there, of which nothing is read but that. */
export const presence: Leaf<true> = { take: () => true };
