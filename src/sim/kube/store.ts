import type { KubeObject } from './contract.ts';
import { at, isObject, type JsonObject } from '../../evidence/json.ts';
import { wordOf } from './word.ts';

/** One write: before is null when the object came, after when it went. */
export interface Change {
  readonly revision: number;
  readonly atMs: number;
  readonly key: string;
  readonly before: KubeObject | null;
  readonly after: KubeObject | null;
  /** What watchers are shown; of what went, its last state with the version of its deletion. */
  readonly shown: KubeObject;
}

export type ChangeListener = (change: Change) => void;

/** `namespace/name`, or the name alone where there is no namespace. */
export function keyOf(namespace: string | null, name: string): string {
  return namespace === null || namespace === '' ? name : `${namespace}/${name}`;
}

export function metadataOf(object: KubeObject): JsonObject {
  const metadata = object['metadata'];
  return isObject(metadata) ? metadata : {};
}

/** The watch cache keeps at least this many changes of a kind, however old (its lower bound). */
const CHANGES_MIN = 100;
/** Spent places at the head of the list are given back at this number. */
const SPENT_MAX = 4096;

/** All objects of one kind, in the order of their keys, and their latest changes. */
export class Table {
  readonly name: string;
  readonly listeners = new Set<ChangeListener>();
  readonly #objects = new Map<string, KubeObject>();
  readonly #byNamespace = new Map<string, Set<string>>();
  readonly #byNode: Map<string, Set<string>> | null;
  #sorted: readonly string[] | null = null;
  #changes: Change[] = [];
  #head = 0;
  #forgotten = 0;

  constructor(name: string) {
    this.name = name;
    this.#byNode = name === '/pods' ? new Map() : null;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): KubeObject | null {
    return this.#objects.get(key) ?? null;
  }

  /** Keys in the order in which a list has them. */
  keys(namespace: string | null, nodeName: string | null = null): readonly string[] {
    if (nodeName !== null && this.#byNode !== null) return sortedSet(this.#byNode.get(nodeName));
    if (namespace !== null) return sortedSet(this.#byNamespace.get(namespace));
    this.#sorted ??= [...this.#objects.keys()].toSorted();
    return this.#sorted;
  }

  /** The newest revision after which not every change is known any more. */
  get forgottenRevision(): number {
    return this.#forgotten;
  }

  /** Changes after a revision, oldest first. */
  changesAfter(revision: number): readonly Change[] {
    let from = this.#changes.length;
    while (from > this.#head && (this.#changes[from - 1]?.revision ?? 0) > revision) from--;
    return this.#changes.slice(from);
  }

  /** The revision as of a moment, or the oldest one since which every change is known. */
  revisionAt(ms: number): number {
    let from = this.#changes.length;
    while (from > this.#head && (this.#changes[from - 1]?.atMs ?? 0) > ms) from--;
    const last = from === this.#head ? this.#forgotten : this.#changes[from - 1]?.revision;
    return last ?? this.#forgotten;
  }

  /** Objects as they were at a revision, by their keys in no order; its changes must be known. */
  stateAt(revision: number): ReadonlyMap<string, KubeObject> {
    const state = new Map(this.#objects);
    for (const { key, before } of this.changesAfter(revision).toReversed())
      if (before === null) state.delete(key);
      else state.set(key, before);
    return state;
  }

  /**
   * Goes back to a revision, as if what came after it had never been.
   *
   * @returns what that changes, as changes
   */
  rewind(revision: number, atMs: number): readonly Change[] {
    const undone = this.changesAfter(revision);
    const then = this.stateAt(revision);
    const changes = [...new Set(undone.map(({ key }) => key))].flatMap((key): readonly Change[] => {
      const [before, after] = [this.get(key), then.get(key) ?? null];
      const shown = after ?? before;
      return shown === null ? [] : [{ revision, atMs, key, before, after, shown }];
    });
    const kept = this.#changes.slice(this.#head, this.#changes.length - undone.length);
    for (const change of changes) this.apply(change, Number.POSITIVE_INFINITY);
    this.#changes = kept;
    this.#head = 0;
    return changes;
  }

  /** Forgets all changes, as a compaction of etcd and a cold cache do. */
  forget(revision: number): void {
    this.#changes = [];
    this.#head = 0;
    this.#forgotten = revision;
  }

  apply(change: Change, keptMs: number): void {
    const { key, before, after } = change;
    if (after === null) this.#objects.delete(key);
    else this.#objects.set(key, after);
    if (before === null || after === null) this.#place(key, before ?? after, after !== null);
    this.#indexNode(key, before, after);
    this.#changes.push(change);
    this.#trim(change.atMs - keptMs);
  }

  #place(key: string, object: KubeObject | null, isThere: boolean): void {
    this.#sorted = null;
    const slash = key.indexOf('/');
    if (slash < 0 || object === null) return;
    mark(this.#byNamespace, key.slice(0, slash), key, isThere);
  }

  #indexNode(key: string, before: KubeObject | null, after: KubeObject | null): void {
    if (this.#byNode === null) return;
    const [was, is] = [nodeOf(before), nodeOf(after)];
    if (was === is) return;
    if (was !== null) mark(this.#byNode, was, key, false);
    if (is !== null) mark(this.#byNode, is, key, true);
  }

  #trim(oldestMs: number): void {
    const changes = this.#changes;
    while (changes.length - this.#head > CHANGES_MIN) {
      const oldest = changes[this.#head] as Change;
      if (oldest.atMs >= oldestMs) break;
      this.#forgotten = oldest.revision;
      this.#head++;
    }
    if (this.#head < SPENT_MAX) return;
    this.#changes = changes.slice(this.#head);
    this.#head = 0;
  }
}

function nodeOf(pod: KubeObject | null): string | null {
  const name = pod === null ? undefined : at(pod, 'spec.nodeName');
  return typeof name === 'string' ? name : null;
}

function sortedSet(keys: ReadonlySet<string> | undefined): readonly string[] {
  return keys === undefined ? [] : [...keys].toSorted();
}

function mark(index: Map<string, Set<string>>, place: string, key: string, isThere: boolean): void {
  const keys = index.get(place);
  if (isThere) {
    if (keys === undefined) index.set(place, new Set([key]));
    else keys.add(key);
    return;
  }
  keys?.delete(key);
  if (keys?.size === 0) index.delete(place);
}

/** How long etcd keeps revisions: the API server compacts every five minutes. */
export const COMPACTION_MS = 300_000;

/** Everything that is stored, under one version that only grows. */
export class Store {
  readonly #tables = new Map<string, Table>();
  readonly #nowMs: () => number;
  readonly #untold: (readonly [Table, Change])[] = [];
  #isTelling = false;
  #revision = 1;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get revision(): number {
    return this.#revision;
  }

  table(name: string): Table {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const table = new Table(name);
    this.#tables.set(name, table);
    return table;
  }

  tables(): readonly Table[] {
    return [...this.#tables.values()];
  }

  /**
   * Writes an object, null to remove it; answers it with its version.
   *
   * @param last what a removed object is shown as, its stored state when not given
   */
  write(table: Table, key: string, object: KubeObject | null, last?: KubeObject): KubeObject {
    const before = table.get(key);
    const revision = ++this.#revision;
    const shown = versioned(object ?? last ?? before ?? {}, revision);
    const after = object === null ? null : shown;
    const change = { revision, atMs: this.#nowMs(), key, before, after, shown };
    table.apply(change, COMPACTION_MS);
    if (table.listeners.size > 0) this.#tell(table, change);
    return shown;
  }

  /** The revision as of a moment, or the oldest one since which every change is known. */
  revisionAt(ms: number): number {
    return Math.max(1, ...this.tables().map((table) => table.revisionAt(ms)));
  }

  /**
   * Goes back to what was at a revision, under that revision, as etcd does that is restored from a
   * backup. Who listens is told of the difference, as by a list made anew.
   */
  restore(revision: number): void {
    const changes = this.tables().map(
      (table) => [table, table.rewind(revision, this.#nowMs())] as const,
    );
    this.#revision = revision;
    for (const [table, all] of changes) for (const change of all) this.#tell(table, change);
  }

  /** As if this many other writes had happened. */
  skip(revisions: number): void {
    this.#revision += revisions;
  }

  /** A listener that writes is told of its own change after all have heard this one. */
  #tell(table: Table, change: Change): void {
    this.#untold.push([table, change]);
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift())
        for (const listener of next[0].listeners) listener(next[1]);
    } finally {
      this.#isTelling = false;
    }
  }
}

function versioned(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...metadataOf(object), resourceVersion: wordOf(revision) } };
}
