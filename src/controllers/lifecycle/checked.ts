import { isObject, type Json } from '../../evidence/json.ts';

/** A stored value that is not of the form that this release writes. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';

  /** @param path where in the document: `nodes[3].uid` */
  constructor(path: string, expected: string) {
    super(`${path === '' ? 'the document' : path} is not ${expected}`);
  }
}

/**
 * Takes a value of unknown form for what it should be.
 *
 * @throws MalformedError where it is not
 */
export type Checked<T> = (value: Json | undefined, path: string) => T;

const TEXT_LENGTH_MAX = 4000;

export const text: Checked<string> = (value, path) => {
  if (typeof value !== 'string' || value.length > TEXT_LENGTH_MAX)
    throw new MalformedError(path, `a text of at most ${TEXT_LENGTH_MAX} characters`);
  return value;
};

export const amount: Checked<number> = (value, path) => {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new MalformedError(path, 'a number');
  return value;
};

export const flag: Checked<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw new MalformedError(path, 'true or false');
  return value;
};

export function orNull<T>(of: Checked<T>): Checked<T | null> {
  return (value, path) => (value === null ? null : of(value, path));
}

export function oneOf<const T extends string>(known: readonly T[]): Checked<T> {
  return (value, path) => {
    const found = known.find((one) => one === value);
    if (found === undefined) throw new MalformedError(path, `one of ${known.join(', ')}`);
    return found;
  };
}

export function listOf<T>(of: Checked<T>, lengthMax: number): Checked<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value) || value.length > lengthMax)
      throw new MalformedError(path, `a list of at most ${lengthMax}`);
    return (value as readonly Json[]).map((item, index) => of(item, `${path}[${index}]`));
  };
}

type Members<T> = { readonly [K in keyof T]: Checked<T[K]> };

/** An object with these members; others, which a later release may have, are left out. */
export function objectOf<T>(members: Members<T>): Checked<T> {
  const names = Object.keys(members) as (keyof T & string)[];
  return (value, path) => {
    if (!isObject(value)) throw new MalformedError(path, 'an object');
    const entries = names.map((name) => {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      return [name, members[name](given, path === '' ? name : `${path}.${name}`)];
    });
    return Object.fromEntries(entries) as T;
  };
}
