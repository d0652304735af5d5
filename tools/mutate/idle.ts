/** Whether anything is under way in this process that could end what a test waits for. */

// As they are before any test: mutants of what replaces timers leave theirs behind.
const { setInterval, clearInterval } = globalThis;

function counted(): ReadonlyMap<string, number> {
  const groups = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
  return new Map([...groups].map(([kind, each]) => [kind, each.length]));
}

/** What keeps the process alive between tests: its channel to the run; null until it is known. */
let before: ReadonlyMap<string, number> | null = null;

/** From here on, what there is now counts as nothing; to be called while no test is under way. */
export function startLooking(): void {
  before ??= counted();
}

const LOOK_EVERY_MS = 100;
/** Two seconds: what a thread unpacks or encrypts is not among what is counted. */
const LOOKS = 20;

/** @returns what ends the looking; `tell` is called once when nothing is under way */
export function whenIdle(tell: () => void): () => void {
  const known = before;
  if (known === null) return () => {};
  let looks = 0;
  const timer = setInterval(() => {
    const isIdle = [...counted()].every(([kind, count]) => count <= (known.get(kind) ?? 0));
    looks = isIdle ? looks + 1 : 0;
    if (looks === LOOKS) tell();
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
