/** The switch that instrumented sources ask at every mutant: which is on, and which were reached. */

interface Counts {
  static: Record<string, number>;
  perTest: Record<string, Record<string, number>>;
}

interface Switch {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: Counts;
}

const SWITCH: Switch = {};

/** Before any instrumented source is loaded: they look it up once. */
export function installSwitch(): void {
  SWITCH.mutantCoverage = { static: {}, perTest: {} };
  Object.assign(globalThis, { __stryker__: SWITCH });
}

/** A mutant that is asked for more often than that has made a loop without end, and throws. */
export function turnOn(mutant: string, hitsMax: number): void {
  SWITCH.activeMutant = mutant;
  SWITCH.hitCount = 0;
  SWITCH.hitLimit = hitsMax;
}

export function turnOff(): void {
  SWITCH.activeMutant = undefined;
  SWITCH.hitCount = undefined;
}

/** @param who a test or suite, or null while modules are loaded */
export function countFor(who: string | null): void {
  SWITCH.currentTestId = who ?? undefined;
}

/** @returns how often each mutant was reached since `who` began */
export function takeCounts(who: string): Readonly<Record<string, number>> {
  const counts = SWITCH.mutantCoverage?.perTest[who] ?? {};
  if (SWITCH.mutantCoverage !== undefined) SWITCH.mutantCoverage.perTest[who] = {};
  return counts;
}

/** Mutants that were reached while modules were loaded. */
export function reachedInLoading(): readonly string[] {
  return Object.keys(SWITCH.mutantCoverage?.static ?? {});
}
