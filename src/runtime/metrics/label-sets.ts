import { type LabelValues, type MetricDeclaration, OTHER, SERIES_MAX } from './declaration.ts';
import type { Labels } from './exposition.ts';

/** The series of one metric: never more than declared, one for everything else not counted. */
export class LabelSets<T> {
  readonly #names: readonly string[];
  readonly #values: readonly LabelValues[];
  readonly #seriesMax: number;
  readonly #series = new Map<string, { readonly labels: Labels; readonly state: T }>();
  readonly #seen: readonly Set<string>[];
  readonly #create: () => T;
  /** Told once for each observation that had to go to the series for everything else. */
  readonly #onOverflow: () => void;

  constructor(declared: MetricDeclaration, create: () => T, onOverflow: () => void) {
    const labels = Object.entries(declared.labels ?? {});
    this.#names = labels.map(([name]) => name);
    this.#values = labels.map(([, values]) => values);
    this.#seen = labels.map(() => new Set<string>());
    this.#seriesMax = declared.seriesMax ?? SERIES_MAX;
    this.#create = create;
    this.#onOverflow = onOverflow;
  }

  /** @throws RangeError for labels that were not declared, or without one that was */
  at(given: Labels): T {
    this.#check(given);
    const values = this.#names.map((name, index) => this.#known(given[name] ?? '', index));
    const key = JSON.stringify(values);
    const found = this.#series.get(key);
    if (found !== undefined) return this.#counted(values, found.state);
    if (this.#series.size < this.#seriesMax) return this.#counted(values, this.#add(key, values));
    const others = this.#names.map(() => OTHER);
    const otherKey = JSON.stringify(others);
    return this.#counted(others, this.#series.get(otherKey)?.state ?? this.#add(otherKey, others));
  }

  entries(): readonly { readonly labels: Labels; readonly state: T }[] {
    return [...this.#series.values()];
  }

  clear(): void {
    this.#series.clear();
    for (const seen of this.#seen) seen.clear();
  }

  /** Gives every combination of closed values a series, so that the first count is a rise from zero. */
  fill(): void {
    const lists = this.#values.map((values) => (isClosed(values) ? values : null));
    if (lists.includes(null)) return;
    const sets = lists.reduce<readonly (readonly string[])[]>(
      (all, list) => all.flatMap((set) => (list ?? []).map((value) => [...set, value])),
      [[]],
    );
    if (sets.length > this.#seriesMax) return;
    for (const values of sets) this.#add(JSON.stringify(values), values);
  }

  #add(key: string, values: readonly string[]): T {
    const labels = Object.fromEntries(
      this.#names.map((name, index) => [name, values[index] ?? '']),
    );
    const state = this.#create();
    this.#series.set(key, { labels, state });
    return state;
  }

  #check(given: Labels): void {
    const isSame =
      Object.keys(given).length === this.#names.length &&
      this.#names.every((name) => Object.hasOwn(given, name));
    if (!isSame)
      throw new RangeError(
        `the labels are ${this.#names.join(', ')}, not ${Object.keys(given).join(', ')}`,
      );
  }

  #known(value: string, index: number): string {
    const values = this.#values[index] ?? [];
    if (isClosed(values)) return values.includes(value) ? value : OTHER;
    const seen = this.#seen[index];
    if (seen === undefined || seen.has(value)) return value;
    if (seen.size >= values.valuesMax) return OTHER;
    seen.add(value);
    return value;
  }

  #counted(values: readonly string[], state: T): T {
    if (values.includes(OTHER)) this.#onOverflow();
    return state;
  }
}

function isClosed(values: LabelValues): values is readonly string[] {
  return Array.isArray(values);
}
