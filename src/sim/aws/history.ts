/** How long a reader may lag behind at most, ms; older versions are forgotten. */
const KEPT_MS = 600_000;

/** So many deletions go by until what is long gone is looked for. */
const PRUNE_EVERY = 64;

interface Version<Value> {
  readonly fromMs: number;
  /** null once it is gone. */
  readonly value: Value | null;
}

/**
 * Things by id with what they were before, so that a reader who lags behind can be shown the past:
 * the APIs of AWS are eventually consistent (EC2 developer guide, "Eventual consistency").
 */
export class History<Value> {
  readonly #versions = new Map<string, readonly Version<Value>[]>();
  #deletions = 0;

  set(id: string, value: Value, atMs: number): void {
    this.#push(id, { fromMs: atMs, value });
  }

  /** Changes what is there; nothing happens to what is not. */
  change(id: string, atMs: number, changed: (value: Value) => Value): void {
    const value = this.get(id);
    if (value !== undefined) this.set(id, changed(value), atMs);
  }

  delete(id: string, atMs: number): void {
    if (this.get(id) === undefined) return;
    this.#push(id, { fromMs: atMs, value: null });
    this.#deletions++;
    if (this.#deletions % PRUNE_EVERY === 0) this.#prune(atMs);
  }

  /** As it truly is. */
  get(id: string): Value | undefined {
    return this.#versions.get(id)?.at(-1)?.value ?? undefined;
  }

  /** As it was at a moment. */
  at(id: string, atMs: number): Value | undefined {
    return versionAt(this.#versions.get(id) ?? [], atMs)?.value ?? undefined;
  }

  values(): readonly Value[] {
    return this.valuesAt(Infinity);
  }

  valuesAt(atMs: number): readonly Value[] {
    const found: Value[] = [];
    for (const versions of this.#versions.values()) {
      const value = versionAt(versions, atMs)?.value;
      if (value !== undefined && value !== null) found.push(value);
    }
    return found;
  }

  ids(): readonly string[] {
    return [...this.#versions.keys()].filter((id) => this.get(id) !== undefined);
  }

  /** Forgets what is gone for longer than any reader lags behind. */
  #prune(nowMs: number): void {
    for (const [id, versions] of this.#versions) {
      const last = versions.at(-1);
      if (last?.value === null && last.fromMs < nowMs - KEPT_MS) this.#versions.delete(id);
    }
  }

  #push(id: string, version: Version<Value>): void {
    const before = this.#versions.get(id) ?? [];
    const oldest = before.findLastIndex(({ fromMs }) => fromMs <= version.fromMs - KEPT_MS);
    const kept = oldest > 0 ? before.slice(oldest) : before;
    const last = kept.at(-1);
    const isSameMoment = last?.fromMs === version.fromMs;
    this.#versions.set(id, [...(isSameMoment ? kept.slice(0, -1) : kept), version]);
  }
}

function versionAt<Value>(
  versions: readonly Version<Value>[],
  atMs: number,
): Version<Value> | undefined {
  const last = versions.at(-1);
  return last !== undefined && last.fromMs <= atMs
    ? last
    : versions.findLast(({ fromMs }) => fromMs <= atMs);
}
