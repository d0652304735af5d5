/** What the run asks its workers, and what they answer. */

export interface WorkerStart {
  readonly root: string;
  /** The instrumented sources, as JSON. */
  readonly sourcesFile: string;
  readonly testFiles: readonly string[];
}

export interface KnownTest {
  readonly file: string;
  readonly name: string;
  readonly ms: number;
}

/** Which tests reach which mutants when none is on. */
export interface Reach {
  readonly tests: readonly KnownTest[];
  readonly failures: readonly string[];
  /** Numbers of tests by mutant. */
  readonly testsByMutant: ReadonlyMap<string, readonly number[]>;
  /** The most often that one test reaches it. */
  readonly hitsByMutant: ReadonlyMap<string, number>;
  /** Reached while modules were loaded. */
  readonly loading: ReadonlySet<string>;
  readonly importers: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface Trial {
  readonly mutant: string;
  readonly file: string;
  readonly tests: readonly number[];
  readonly hitsMax: number;
  /** Processor time that its tests may take. */
  readonly cpuMsMax: number;
  /** The mutant acts while modules are loaded, so that these are loaded again. */
  readonly again: boolean;
}

export type Order =
  | { readonly kind: 'reach' }
  | { readonly kind: 'importers'; readonly importers: Reach['importers'] }
  | { readonly kind: 'trial'; readonly trial: Trial };

/** `disturbed`: the killing test also fails without the mutant, so the worker is of no use now. */
export interface Verdict {
  readonly outcome: 'killed' | 'survived' | 'disturbed';
  readonly by: string | null;
}
