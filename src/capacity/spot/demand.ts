import type { NetworkMode } from '../mode.ts';

/** What is wanted of all machines together; null is not asked for. */
export interface SpotDemand {
  readonly vcpus: number | null;
  /** Memory that pods can use, GiB. */
  readonly memoryGiB: number | null;
  readonly gpus: number | null;
  /** Pods with an address, those of DaemonSets not counted. */
  readonly pods: number | null;
  /** As in the label `kubernetes.io/arch`; all when empty. */
  readonly architectures: readonly string[];
  /** Names such as `eu-west-1a`; all when empty. */
  readonly zones: readonly string[];
  /** Smallest and largest machine. */
  readonly nodeVcpus: { readonly least: number; readonly most: number };
  /** Pods that every machine runs besides. */
  readonly daemonPods: number;
  readonly mode: NetworkMode;
}

/** Of what shares are taken: the first of these that is asked for. */
export type Measure = 'vcpus' | 'gpus' | 'memoryGiB' | 'pods';

export const MEASURES: readonly Measure[] = ['vcpus', 'gpus', 'memoryGiB', 'pods'];

export const MEASURE_WORDS: Readonly<Record<Measure, string>> = {
  vcpus: 'vCPUs',
  gpus: 'GPUs',
  memoryGiB: 'GiB of memory',
  pods: 'pods',
};

/** One of them. */
export const MEASURE_WORD: Readonly<Record<Measure, string>> = {
  vcpus: 'vCPU',
  gpus: 'GPU',
  memoryGiB: 'GiB',
  pods: 'pod',
};

/** @throws TypeError when nothing is asked for */
export function mainMeasure(demand: SpotDemand): Measure {
  const found = MEASURES.find((measure) => demand[measure] !== null);
  if (found === undefined) throw new TypeError('a demand asks for something');
  return found;
}
