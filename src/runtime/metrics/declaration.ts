/** The values that a label may have, or how many different ones are told apart. */
export type LabelValues = readonly string[] | { readonly valuesMax: number };

export interface MetricDeclaration {
  /** As Prometheus names things: the unit last, counters with `_total`. */
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  /** By label name. */
  readonly labels?: Readonly<Record<string, LabelValues>>;
  /** True for a name that dashboards for another program know, whatever the conventions say. */
  readonly isForeign?: true;
  /** Most series, the one for everything else not counted; 200 when not given. */
  readonly seriesMax?: number;
}

export interface HistogramDeclaration extends MetricDeclaration {
  /** Upper bounds, rising, without infinity. */
  readonly buckets: readonly number[];
}

export type MetricType = 'counter' | 'gauge' | 'histogram';

export const SERIES_MAX = 200;
/** What a value is called that is one too many, or that was not declared. */
export const OTHER = 'other';

const NAME = /^[a-z][a-z0-9_]*$/;
const UNIT = /_(?:seconds|bytes|ratio)$/;
/** A series for each of these would grow with the cluster. */
const SINGLE = new Set(
  'node machine instance instance_id host hostname pod container uid name ip address key id'.split(
    ' ',
  ),
);

/** @throws RangeError for a declaration against Prometheus' conventions or without a bound */
export function checkDeclaration(declared: MetricDeclaration, type: MetricType): void {
  const isFree = declared.isForeign === true && NAME.test(declared.name);
  const why = (isFree ? null : nameTrouble(declared.name, type)) ?? labelTrouble(declared);
  if (why !== null) throw new RangeError(`${declared.name}: ${why}`);
}

function nameTrouble(name: string, type: MetricType): string | null {
  if (!NAME.test(name)) return 'a metric is named in small letters, digits and underscores';
  if (type === 'counter' && !name.endsWith('_total')) return 'a counter ends in _total';
  if (type !== 'counter' && name.endsWith('_total')) return 'only a counter ends in _total';
  if (/_(?:bucket|sum|count)$/.test(name)) return 'this end belongs to the series of a histogram';
  if (type === 'histogram' && !UNIT.test(name)) return 'a histogram ends in its base unit';
  return /_(?:ms|milliseconds|minutes|hours|kb|mb|percent)(?:_total)?$/.test(name)
    ? 'a metric is in base units: seconds, bytes, ratio'
    : null;
}

function labelTrouble({ labels = {} }: MetricDeclaration): string | null {
  for (const label of Object.keys(labels)) {
    if (!NAME.test(label) || label === 'le') return `${label} is no name for a label`;
    if (SINGLE.has(label)) return `a label ${label} would give each of them a series`;
  }
  return null;
}

/** @throws RangeError for bounds that are not finite and rising */
export function checkBuckets({ name, buckets }: HistogramDeclaration): void {
  const isRising = buckets.every(
    (bound, index) => Number.isFinite(bound) && bound > (buckets[index - 1] ?? -Infinity),
  );
  if (buckets.length === 0 || !isRising)
    throw new RangeError(`${name}: buckets rise, and are finite`);
}
