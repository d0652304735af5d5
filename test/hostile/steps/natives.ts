/**
 * What the methods of the language itself look at, counted in characters and elements: a loop whose
 * body calls one of them over and over is as slow as one that somebody wrote out.
 */

/** @returns how much a call looked at or copied */
type Cost = (self: unknown, given: readonly unknown[], result: unknown) => number;
type Method = (this: unknown, ...given: unknown[]) => unknown;

export type Count = (steps: number) => void;

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  if ('length' in value && typeof value.length === 'number') return value.length;
  return 'byteLength' in value && typeof value.byteLength === 'number' ? value.byteLength : 1;
}

const ofSelf: Cost = (self) => sizeOf(self);
const ofResult: Cost = (_, __, result) => sizeOf(result);
const ofFirst: Cost = (_, [first]) => sizeOf(first);
const ofBoth: Cost = (self, _, result) => sizeOf(self) + sizeOf(result);

function startOf(given: unknown, size: number): number {
  if (typeof given !== 'number') return 0;
  return given < 0 ? Math.max(0, size + given) : Math.min(given, size);
}

/** Up to where it was found, else to the end. */
const ofSearch: Cost = (self, [, from], result) => {
  const size = sizeOf(self);
  const start = startOf(from, size);
  return typeof result === 'number' && result >= 0 ? result - start + 1 : size - start + 1;
};

const ofSearchBack: Cost = (self, [, from], result) => {
  const start = typeof from === 'number' ? Math.min(from, sizeOf(self)) : sizeOf(self);
  return typeof result === 'number' && result >= 0 ? start - result + 1 : start + 1;
};

const ofIncludes: Cost = (self, [wanted, from], result) => {
  const where =
    result !== true
      ? -1
      : typeof self === 'string'
        ? self.indexOf(String(wanted), startOf(from, self.length))
        : -1;
  return ofSearch(self, [wanted, from], where);
};

const ofTrim: Cost = (self, _, result) => sizeOf(self) - sizeOf(result) + 1;
/** What stands behind a place is moved. */
const ofSplice: Cost = (self, [from]) => sizeOf(self) - startOf(from, sizeOf(self)) + 1;

const OF_TEXT: Readonly<Record<string, Cost>> = {
  at: () => 1,
  concat: ofResult,
  endsWith: ofFirst,
  includes: ofIncludes,
  indexOf: ofSearch,
  lastIndexOf: ofSearchBack,
  localeCompare: ofFirst,
  normalize: ofSelf,
  padEnd: ofResult,
  padStart: ofResult,
  repeat: ofResult,
  replace: ofResult,
  replaceAll: ofBoth,
  slice: ofResult,
  split: ofSelf,
  startsWith: ofFirst,
  substring: ofResult,
  toLowerCase: ofSelf,
  toUpperCase: ofSelf,
  trim: ofTrim,
  trimEnd: ofTrim,
  trimStart: ofTrim,
};

const OF_LIST: Readonly<Record<string, Cost>> = {
  concat: ofResult,
  entries: () => 1,
  fill: ofSelf,
  filter: ofSelf,
  forEach: ofSelf,
  flat: ofBoth,
  flatMap: ofBoth,
  includes: ofSelf,
  indexOf: ofSearch,
  join: ofBoth,
  lastIndexOf: ofSearchBack,
  map: ofSelf,
  push: (_, given) => given.length,
  reduce: ofSelf,
  reverse: ofSelf,
  shift: ofSelf,
  slice: ofResult,
  sort: ofSelf,
  splice: ofSplice,
  toReversed: ofSelf,
  toSorted: ofSelf,
  unshift: ofSelf,
  with: ofSelf,
};

const OF_BYTES: Readonly<Record<string, Cost>> = {
  copyWithin: (self, [, from, to]) =>
    startOf(to ?? sizeOf(self), sizeOf(self)) - startOf(from, sizeOf(self)) + 1,
  fill: (self, [, from, to]) =>
    startOf(to ?? sizeOf(self), sizeOf(self)) - startOf(from, sizeOf(self)) + 1,
  indexOf: ofSearch,
  lastIndexOf: ofSearchBack,
  map: ofSelf,
  reduce: ofSelf,
  set: ofFirst,
  slice: ofResult,
  subarray: () => 1,
};

const OF_OBJECT: Readonly<Record<string, Cost>> = {
  assign: ofResult,
  entries: ofResult,
  fromEntries: ofFirst,
  keys: ofResult,
  values: ofResult,
};

/** Puts another method in the place of one, which is handed over. */
export function replaceMethod<T>(owner: object, name: string, make: (original: T) => T): void {
  const value = make(Reflect.get(owner, name) as T);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
}

function wrap(owner: object, costs: Readonly<Record<string, Cost>>, count: Count): void {
  for (const [name, cost] of Object.entries(costs)) {
    replaceMethod<Method>(
      owner,
      name,
      (original) =>
        function counted(this: unknown, ...given) {
          const result = Reflect.apply(original, this, given);
          count(cost(this, given, result) + 1);
          return result;
        },
    );
  }
}

/** Methods that may end before the end: each call back is counted. */
function wrapCalls(count: Count): void {
  for (const name of ['every', 'find', 'findIndex', 'findLast', 'some'])
    replaceMethod<Method>(
      Array.prototype,
      name,
      (original) =>
        function counted(this: unknown, ...[call, ...rest]) {
          const countedCall = (...given: readonly unknown[]): unknown => {
            count(1);
            return (call as Method)(...given);
          };
          return Reflect.apply(original, this, [countedCall, ...rest]);
        },
    );
}

/** Each turn of a loop over a list, a map or a text, spreading one out included. */
function wrapTurns(count: Count): void {
  for (const made of [[].values(), new Map().values(), new Set().values(), ''[Symbol.iterator]()]) {
    const owner = Object.getPrototypeOf(made) as object;
    wrap(owner, { next: () => 0 }, count);
  }
}

/** Lets every call of a native method be counted, in this process, from now on. */
export function countNatives(count: Count): void {
  const bytes = Object.getPrototypeOf(Uint8Array.prototype) as object;
  wrap(String.prototype, OF_TEXT, count);
  wrap(Array.prototype, OF_LIST, count);
  wrap(bytes, OF_BYTES, count);
  wrap(Object, OF_OBJECT, count);
  wrap(Array, { from: ofResult }, count);
  wrap(Object.getPrototypeOf(Uint8Array) as object, { from: ofResult }, count);
  wrap(JSON, { parse: ofFirst, stringify: ofResult }, count);
  wrap(TextDecoder.prototype, { decode: ofFirst }, count);
  wrap(TextEncoder.prototype, { encode: ofFirst }, count);
  wrap(globalThis, { atob: ofFirst, btoa: ofFirst }, count);
  wrapCalls(count);
  wrapTurns(count);
}
