import { faultOf } from '../faults/faults.ts';
import {
  type Injected,
  type Injection,
  injectionName,
  type FaultScene,
} from '../faults/contract.ts';
import type { Marks } from '../marks/marks.ts';
import type { Truths } from '../oracle/truths.ts';
import type { HappenedFault } from './log.ts';

/** Puts the planned faults into the world, takes them back, and ends them all as the calm begins. */
export interface Chaos {
  readonly happened: () => readonly HappenedFault[];
  /** Names of faults that are on. */
  readonly active: () => readonly string[];
  /** Instance ids of machines that cannot work because of a fault that is on. */
  readonly struck: () => ReadonlySet<string>;
  readonly isCalm: () => boolean;
}

interface Active {
  readonly name: string;
  readonly breaks: readonly string[];
  readonly end: () => void;
}

export interface ChaosOptions {
  readonly truths: Truths;
  readonly marks: Marks;
  /** After the beginning, ms. */
  readonly chaosMs: number;
}

export function startChaos(
  stage: FaultScene,
  injections: readonly Injection[],
  { truths, marks, chaosMs }: ChaosOptions,
): Chaos {
  const { kernel } = stage.simulated;
  const startMs = kernel.nowMs();
  const happened: HappenedFault[] = [];
  const active = new Map<string, Active>();
  let isCalm = false;
  for (const injection of injections)
    kernel.after(injection.atMs, () =>
      inject(stage, injection, { startMs, happened, active, truths, marks }),
    );
  kernel.after(chaosMs, () => {
    for (const { end } of active.values()) end();
    isCalm = true;
    kernel.log('chaos', 'calm');
  });
  return {
    happened: () => happened,
    active: () => [...active.keys()],
    struck: () => new Set([...active.values()].flatMap(({ breaks }) => breaks)),
    isCalm: () => isCalm,
  };
}

interface Book {
  readonly startMs: number;
  readonly happened: HappenedFault[];
  readonly active: Map<string, Active>;
  readonly truths: Truths;
  readonly marks: Marks;
}

function markInjected({ active, marks }: Book, { marks: own = [], breaks = [] }: Injected): void {
  for (const mark of own) marks.reach(mark);
  const struck = new Set([...active.values()].flatMap((one) => one.breaks));
  if (breaks.some((id) => struck.has(id))) marks.reach('two-faults-on-one-machine');
}

function inject(stage: FaultScene, injection: Injection, book: Book): void {
  const { kernel } = stage.simulated;
  const name = injectionName(injection);
  const injected = faultOf(injection.fault)?.inject(stage, kernel.random(`fault/${name}`)) ?? null;
  if (injected === null) return;
  kernel.log('chaos', `${name} ${injected.what}`);
  const place = book.happened.length;
  const atMs = kernel.nowMs() - book.startMs;
  book.happened.push({ name, atMs, endedMs: null, what: injected.what });
  markInjected(book, injected);
  for (const truth of injected.truths)
    book.truths.add({ ...truth, of: name, fromMs: kernel.nowMs(), untilMs: truth.endsMs ?? null });
  const end = (): void => {
    if (!book.active.delete(name)) return;
    injected.undo();
    book.truths.end(name, kernel.nowMs());
    kernel.log('chaos', `${name} ends`);
    const endedMs = kernel.nowMs() - book.startMs;
    book.happened[place] = { name, atMs, endedMs, what: injected.what };
  };
  book.active.set(name, { name, breaks: injected.breaks ?? [], end });
  kernel.after(injection.lastsMs, end);
}
