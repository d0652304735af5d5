/** What a test run amounts to, folded from the events of `node:test`. No clock, no output. */

export interface Failure {
  readonly name: string;
  /** `path:line` of the test, or the file when the file itself did not load. */
  readonly where: string;
  readonly error: unknown;
  /** What the file printed, when the file and not one of its tests failed. */
  readonly output: string;
}

export interface Skip {
  readonly name: string;
  readonly where: string;
  readonly reason: string;
}

export interface Tally {
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skips: readonly Skip[];
  /** What tests measured, line by line. */
  readonly measures: readonly string[];
}

/** The part of a `node:test` event that is read here; every member is missing in some events. */
export interface TestEvent {
  readonly type: string;
  readonly data: {
    readonly name?: string;
    readonly file?: string;
    readonly entryFile?: string;
    readonly line?: number;
    readonly testId?: number;
    readonly parentId?: number | undefined;
    readonly skip?: string | boolean;
    readonly todo?: string | boolean;
    readonly message?: string;
    readonly details?: {
      readonly type?: string;
      readonly error?: { readonly failureType?: string; readonly cause?: unknown };
    };
  };
}

type Body = TestEvent['data'];

/** Collects events and answers with the tally once the run is over. */
export interface Collector {
  readonly take: (event: TestEvent) => void;
  /** @param files every file that was asked for; one that ran no test is a failure. */
  readonly tally: (files: readonly string[]) => Tally;
}

interface State {
  passed: number;
  readonly failures: Failure[];
  readonly skips: Skip[];
  readonly measures: string[];
  readonly names: Map<string, { readonly name: string; readonly parent: number }>;
  readonly output: Map<string, string>;
  readonly ranIn: Set<string>;
  readonly finished: Set<string>;
}

const OUTPUT_MAX = 20_000;

export function collector(): Collector {
  const state: State = {
    passed: 0,
    failures: [],
    skips: [],
    measures: [],
    names: new Map(),
    output: new Map(),
    ranIn: new Set(),
    finished: new Set(),
  };
  return {
    take: (event) => take(state, event),
    tally: (files) => ({
      passed: state.passed,
      skips: state.skips,
      measures: state.measures,
      failures: [...state.failures, ...silent(state, files)],
    }),
  };
}

function take(state: State, { type, data }: TestEvent): void {
  if (type === 'test:start') remember(state, data);
  if (type === 'test:stdout' || type === 'test:stderr') keepOutput(state, data);
  if (type === 'test:summary' && data.entryFile !== undefined) state.finished.add(data.entryFile);
  if (type === 'test:pass') pass(state, data);
  if (type === 'test:fail') fail(state, data);
  // The runner sums up by diagnostics of no file.
  if (type === 'test:diagnostic' && data.file !== undefined)
    state.measures.push(data.message ?? '');
}

function remember(state: State, data: Body): void {
  const { name, testId, parentId } = data;
  if (name !== undefined && testId !== undefined)
    state.names.set(key(data, testId), { name, parent: parentId ?? 0 });
}

function key(data: Body, id: number): string {
  return `${entry(data)} ${id}`;
}

function entry(data: Body): string {
  return data.entryFile ?? data.file ?? '';
}

function keepOutput(state: State, data: Body): void {
  const before = state.output.get(entry(data)) ?? '';
  state.output.set(entry(data), (before + (data.message ?? '')).slice(-OUTPUT_MAX));
}

/** The runner reports a process as a test named by its path; only what ran inside it counts. */
function isFile(data: Body): boolean {
  return data.entryFile === undefined && data.name === data.file;
}

function pass(state: State, data: Body): void {
  if (isFile(data)) return;
  seen(state, data);
  const reason = data.skip ?? data.todo ?? false;
  if (reason !== false) state.skips.push(skip(state, data, reason));
  else if (data.details?.type !== 'suite') state.passed += 1;
}

function skip(state: State, data: Body, reason: string | true): Skip {
  return {
    name: path(state, data),
    where: where(data),
    reason: reason === true ? '' : reason,
  };
}

function fail(state: State, data: Body): void {
  seen(state, data);
  const error = data.details?.error;
  // The failing child is reported by itself.
  if (error?.failureType === 'subtestsFailed') return;
  state.failures.push({
    name: path(state, data),
    where: where(data),
    error: error?.cause ?? error ?? 'no error was reported',
    output: isFile(data) ? (state.output.get(entry(data)) ?? '') : '',
  });
}

function seen(state: State, data: Body): void {
  if (data.file !== undefined) state.ranIn.add(data.file);
  state.ranIn.add(entry(data));
  if (isFile(data)) state.finished.add(entry(data));
}

function where(data: Body): string {
  return `${data.file ?? ''}:${data.line ?? 1}`;
}

const NESTING_MAX = 20;

function path(state: State, data: Body): string {
  const names = [data.name ?? ''];
  let parent = data.parentId ?? 0;
  for (let depth = 0; depth < NESTING_MAX && parent !== 0; depth++) {
    const above = state.names.get(key(data, parent));
    if (above === undefined) break;
    names.unshift(above.name);
    parent = above.parent;
  }
  return names.join(' › ');
}

/** A file that loads nothing, or leaves by `process.exit`, is a pass to the runner and not to us. */
function silent(state: State, files: readonly string[]): readonly Failure[] {
  const why = (file: string): string | null => {
    if (!state.ranIn.has(file)) return 'it ran no test; add one or remove the file';
    const isOwn = [...state.names.keys()].some((name) => name.startsWith(`${file} `));
    if (isOwn && !state.finished.has(file)) return 'its process ended before its tests did';
    return null;
  };
  return files.flatMap((file) => {
    const error = why(file);
    if (error === null) return [];
    return [{ name: file, where: file, error, output: state.output.get(file) ?? '' }];
  });
}

/** The last line of a run. */
export function totals({ passed, failures, skips }: Tally): string {
  const line = `${passed} passed, ${failures.length} failed`;
  return skips.length === 0 ? line : `${line}, ${skips.length} skipped`;
}
