import {
  checkBuckets,
  checkDeclaration,
  type HistogramDeclaration,
  type MetricDeclaration,
  type MetricType,
} from './declaration.ts';
import { type Labels, metricHead, sampleLine, sampleValue } from './exposition.ts';
import { LabelSets } from './label-sets.ts';

export interface Counter {
  /** @throws RangeError for less than zero, and for what is no number */
  add(labels?: Labels, by?: number): void;
}

export interface Gauge {
  set(value: number, labels?: Labels): void;
  /** Forgets all series, before what is left of them is set again. */
  clear(): void;
}

export interface Histogram {
  /** @throws RangeError for what is no number */
  observe(value: number, labels?: Labels): void;
}

interface Metric {
  readonly head: string;
  readonly samples: () => string;
}

interface Tally {
  value: number;
}

interface Distribution {
  /** By bucket, not cumulative; the last one is above all bounds. */
  readonly counts: number[];
  sum: number;
}

const OVERFLOW: MetricDeclaration = {
  name: 'rollcall_metrics_other_total',
  help: 'Observations that were counted as "other", because their label values are not told apart.',
  labels: { metric: { valuesMax: 200 } },
};

/** The metrics of this program, each with a bound on its series. */
export class MetricsRegistry {
  readonly #metrics = new Map<string, Metric>();
  readonly #collectors: (() => void)[] = [];
  readonly #overflow: Counter = this.counter(OVERFLOW);

  /** @throws RangeError for a name that is taken or against the conventions */
  counter(declared: MetricDeclaration): Counter {
    const sets = this.#declare<Tally>(declared, 'counter', () => ({ value: 0 }), tallyLines);
    sets.fill();
    return {
      add(labels = {}, by = 1) {
        if (!(by >= 0)) throw new RangeError(`${declared.name}: a counter only rises`);
        sets.at(labels).value += by;
      },
    };
  }

  /** @throws RangeError for a name that is taken or against the conventions */
  gauge(declared: MetricDeclaration): Gauge {
    const sets = this.#declare<Tally>(declared, 'gauge', () => ({ value: 0 }), tallyLines);
    return {
      set(value, labels = {}) {
        sets.at(labels).value = value;
      },
      clear: () => sets.clear(),
    };
  }

  /** @throws RangeError for a name that is taken or against the conventions, and for bad buckets */
  histogram(declared: HistogramDeclaration): Histogram {
    checkBuckets(declared);
    const { buckets, name } = declared;
    const create = (): Distribution => ({ counts: Array(buckets.length + 1).fill(0), sum: 0 });
    const lines: Lines<Distribution> = (_, labels, state) =>
      distributionLines(declared, labels, state);
    const sets = this.#declare(declared, 'histogram', create, lines);
    return {
      observe(value, labels = {}) {
        if (Number.isNaN(value)) throw new RangeError(`${name}: not a number`);
        const found = buckets.findIndex((bound) => value <= bound);
        const state = sets.at(labels);
        const index = found < 0 ? buckets.length : found;
        state.counts[index] = (state.counts[index] ?? 0) + 1;
        state.sum += value;
      },
    };
  }

  /** Sets gauges just before they are read. */
  beforeReading(collect: () => void): void {
    this.#collectors.push(collect);
  }

  /** All metrics in the text format, in the order of their declaration. */
  text(): string {
    for (const collect of this.#collectors) collect();
    return [...this.#metrics.values()].map(({ head, samples }) => head + samples()).join('');
  }

  #declare<T>(
    declared: MetricDeclaration,
    type: MetricType,
    create: () => T,
    lines: Lines<T>,
  ): LabelSets<T> {
    checkDeclaration(declared, type);
    const { name, help } = declared;
    if (this.#metrics.has(name)) throw new RangeError(`${name}: declared twice`);
    const onOverflow = (): void => {
      if (name !== OVERFLOW.name) this.#overflow.add({ metric: name });
    };
    const sets = new LabelSets(declared, create, onOverflow);
    const samples = (): string =>
      sets
        .entries()
        .map(({ labels, state }) => lines(name, labels, state))
        .join('');
    this.#metrics.set(name, { head: metricHead(name, help, type), samples });
    return sets;
  }
}

type Lines<T> = (name: string, labels: Labels, state: T) => string;

function tallyLines(name: string, labels: Labels, { value }: Tally): string {
  return sampleLine(name, labels, value);
}

function distributionLines(
  { name, buckets }: HistogramDeclaration,
  labels: Labels,
  { counts, sum }: Distribution,
): string {
  let count = 0;
  const lines = [...buckets, Infinity].map((bound, index) => {
    count += counts[index] ?? 0;
    return sampleLine(`${name}_bucket`, { ...labels, le: sampleValue(bound) }, count);
  });
  lines.push(sampleLine(`${name}_sum`, labels, sum), sampleLine(`${name}_count`, labels, count));
  return lines.join('');
}
