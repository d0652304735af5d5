import { type JsonObject, textAt } from '../../evidence/json.ts';
import { isOlder } from './versions.ts';

/**
 * Something that happened to an object, or that a new listing shows to have happened; one that is
 * `forgotten` is there, and made room for newer ones.
 */
export interface ReflectorChange<T> {
  readonly type: 'added' | 'updated' | 'deleted' | 'forgotten';
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /** What is now; of an object that is deleted or forgotten, what was last known. */
  readonly value: T;
  /** What was before, null for an added object. */
  readonly previous: T | null;
}

export interface StoredObject<T> {
  readonly uid: string;
  readonly version: string;
  readonly value: T;
}

export type StoredObjects<T> = Map<string, StoredObject<T>>;

/** `namespace/name`, or the name alone; null for an object without one. */
export function keyOf(object: JsonObject): string | null {
  const name = textAt(object, 'metadata.name') ?? '';
  const namespace = textAt(object, 'metadata.namespace') ?? '';
  if (name === '') return null;
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Objects by key; every change tells what it does. */
export class ReflectorStore<T> {
  readonly #most: number;
  #objects: StoredObjects<T> = new Map();
  #isDoubted = false;

  /** @param most objects that are held: of more, the newest */
  constructor(most: number | null = null) {
    this.#most = most ?? Number.POSITIVE_INFINITY;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key)?.value;
  }

  /** True for exactly this version of exactly this object. */
  holds(key: string, uid: string, version: string): boolean {
    const found = this.#objects.get(key);
    return found?.uid === uid && found.version === version;
  }

  /** What it holds of exactly the version that a listing brings, which need not be read again. */
  unchanged(key: string, { metadata }: JsonObject): StoredObject<T> | null {
    const [uid, version] = [textAt(metadata, 'uid'), textAt(metadata, 'resourceVersion')];
    const isHeld = !this.#isDoubted && this.holds(key, uid ?? '', version ?? '');
    return isHeld ? (this.#objects.get(key) ?? null) : null;
  }

  /** Until the next listing: where history went back, one version may be of two states. */
  doubt(): void {
    this.#isDoubted = true;
  }

  /** True while it has a later version of exactly this object. */
  isAhead(key: string, uid: string, version: string): boolean {
    const found = this.#objects.get(key);
    return found?.uid === uid && isOlder(version, found.version);
  }

  *values(): IterableIterator<T> {
    for (const { value } of this.#objects.values()) yield value;
  }

  *entries(): IterableIterator<readonly [string, T]> {
    for (const [key, { value }] of this.#objects) yield [key, value];
  }

  /** An object of another uid under the same name is another object. */
  set(key: string, next: StoredObject<T>): readonly ReflectorChange<T>[] {
    const old = this.#objects.get(key);
    // What is written last stands last, so that the first is the oldest.
    if (Number.isFinite(this.#most)) this.#objects.delete(key);
    this.#objects.set(key, next);
    return [...this.#forgetOldest(), ...difference(key, old, next)];
  }

  delete(key: string): readonly ReflectorChange<T>[] {
    const old = this.#objects.get(key);
    this.#objects.delete(key);
    return difference(key, old, undefined);
  }

  /** Takes a whole listing; what it lacks is told as deleted. */
  replace(objects: StoredObjects<T>): readonly ReflectorChange<T>[] {
    const before = this.#objects;
    this.#isDoubted = false;
    const kept = this.#newest(objects);
    this.#objects = kept;
    const gone = [...before].filter(([key]) => !kept.has(key));
    return [
      ...gone.flatMap(([key, old]) =>
        objects.has(key) ? [forgotten(key, old)] : difference(key, old, undefined),
      ),
      ...[...kept].flatMap(([key, next]) => difference(key, before.get(key), next)),
    ];
  }

  #newest(objects: StoredObjects<T>): StoredObjects<T> {
    if (objects.size <= this.#most) return objects;
    return new Map([...objects].toSorted(byVersion).slice(-this.#most));
  }

  #forgetOldest(): readonly ReflectorChange<T>[] {
    const [oldest] = this.#objects.size > this.#most ? this.#objects : [];
    if (oldest === undefined) return [];
    this.#objects.delete(oldest[0]);
    return [forgotten(...oldest)];
  }
}

type Entry = readonly [key: string, object: StoredObject<unknown>];

function byVersion([, { version: one }]: Entry, [, { version: other }]: Entry): number {
  return isOlder(one, other) ? -1 : isOlder(other, one) ? 1 : 0;
}

function forgotten<T>(key: string, { value }: StoredObject<T>): ReflectorChange<T> {
  return { type: 'forgotten', key, value, previous: value };
}

function difference<T>(
  key: string,
  old: StoredObject<T> | undefined,
  next: StoredObject<T> | undefined,
): readonly ReflectorChange<T>[] {
  const deleted = (gone: StoredObject<T>): ReflectorChange<T> => ({
    type: 'deleted',
    key,
    value: gone.value,
    previous: gone.value,
  });
  if (next === undefined) return old === undefined ? [] : [deleted(old)];
  const added: ReflectorChange<T> = { type: 'added', key, value: next.value, previous: null };
  if (old === undefined) return [added];
  if (old.uid !== next.uid) return [deleted(old), added];
  if (old.version === next.version) return [];
  return [{ type: 'updated', key, value: next.value, previous: old.value }];
}
