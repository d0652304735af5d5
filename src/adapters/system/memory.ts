import { setFlagsFromString } from 'node:v8';

/**
 * Flags of V8 that it reads at every collection. The heap's young part stays at its size, and the
 * old one is collected once it has grown by 30 %: by default it may grow to a multiple of what is
 * in use, which for 20,000 pods is 130 MB more, for a tenth less processor time.
 */
const EARLY = ['--semi-space-growth-factor=1', '--heap-growing-percent=30'] as const;

/** What V8 does by itself, but that the young part reaches its full size at once. */
const LATE = ['--semi-space-growth-factor=16', '--heap-growing-percent=0'] as const;

/** Has garbage collected early, where much is read of which little is kept. */
export function collectEarly(): void {
  for (const flag of EARLY) setFlagsFromString(flag);
}

/**
 * Flags for a program that stays, and keeps little of what it reads: V8 grows its heap in small
 * steps, and marks in steps, without which it gives nothing back while nothing happens. The last
 * compiler costs 7 MB and gains nothing that was measured.
 */
const STAYING = [...EARLY, '--optimize-for-size', '--incremental-marking', '--no-opt'] as const;

/**
 * The young part of the heap grows once, while the program is loaded. Threads that help to collect
 * so little spend more than they save, and waiting for them doubles each pause. A flag that is set
 * while V8 runs brings none of those that it implies, so that each is named.
 */
const LOADING = [
  '--semi-space-growth-factor=8',
  '--single-threaded-gc',
  '--no-parallel-scavenge',
] as const;

/** Loads a program that runs for months, reads much, and is to stay small. */
export async function loadResident<T>(load: () => Promise<T>): Promise<T> {
  for (const flag of LOADING) setFlagsFromString(flag);
  const loaded = await load();
  for (const flag of STAYING) setFlagsFromString(flag);
  return loaded;
}

/**
 * Flags for a program that keeps a roll call, which changes little: V8 grows the heap in half as
 * large steps as those of a look, moves what is left together, and marks in steps, which it needs to
 * give back anything at rest. Of 20,000 pods each alone saves 10 to 20 MB and all of them 90.
 */
const KEEPING = [
  ...EARLY,
  '--heap-growing-percent=15',
  '--optimize-for-size',
  '--incremental-marking',
] as const;

/** Has garbage collected often, where much is kept for as long as the program runs. */
export function collectOften(): void {
  for (const flag of KEEPING) setFlagsFromString(flag);
}

/** Has garbage collected late, where there is little of it and an answer is waited for. */
export function collectLate(): void {
  for (const flag of LATE) setFlagsFromString(flag);
}

/**
 * For programs that mostly wait, on every machine of a cluster: the optimizing compilers touch 5 MB
 * of code and keep more of their own for a tenth of a percent of a core.
 */
const SMALL = [...EARLY, '--optimize-for-size', '--no-opt', '--no-maglev'] as const;

/** Has the program stay small, where it does little and does it rarely. */
export function staySmall(): void {
  for (const flag of SMALL) setFlagsFromString(flag);
}
