/** Whether anything is under way in this process that could end what a test waits for. */

function counted(): ReadonlyMap<string, number> {
  const groups = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
  return new Map([...groups].map(([kind, each]) => [kind, each.length]));
}

/** What keeps the process alive before any test: its channel to the run, its outputs. */
let before: ReadonlyMap<string, number> = new Map();

/** From here on, what there is now counts as nothing. */
export function startLooking(): void {
  before = counted();
}

const LOOK_EVERY_MS = 30;
/** Work passes from one kind to another between two looks. */
const LOOKS = 3;

/** @returns what ends the looking; `tell` is called once when nothing is under way */
export function whenIdle(tell: () => void): () => void {
  let looks = 0;
  const timer = setInterval(() => {
    const isIdle = [...counted()].every(([kind, count]) => count <= (before.get(kind) ?? 0));
    looks = isIdle ? looks + 1 : 0;
    if (looks === LOOKS) tell();
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
