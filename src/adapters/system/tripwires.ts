import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';

type Callable = (...args: never[]) => unknown;

/** A way to the real clock, timers, chance or network. */
interface Wire {
  readonly owner: object;
  readonly key: string;
  /** As a program writes it. */
  readonly name: string;
  readonly instead: string;
}

const CLOCK = 'take the time from the Clock port';
const TIMER = 'wait on the Clock port';
const CHANCE = 'draw from the Random port';
const NETWORK = 'ask through a port';

const moduleOf = createRequire(import.meta.url);
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate'];

function wires(owner: object, keys: readonly string[], prefix: string, instead: string): Wire[] {
  return keys.map((key) => ({ owner, key, name: `${prefix}${key}`, instead }));
}

/** The modules too, as what is imported from them is not read from the global object. */
function allWires(): readonly Wire[] {
  const crypto = moduleOf('node:crypto') as object;
  const drawing = ['randomBytes', 'randomInt', 'randomUUID', 'randomFillSync', 'randomFill'];
  return [
    ...wires(Date, ['now'], 'Date.', CLOCK),
    ...wires(performance, ['now'], 'performance.', CLOCK),
    ...wires(process, ['hrtime'], 'process.', CLOCK),
    ...wires(process.hrtime, ['bigint'], 'process.hrtime.', CLOCK),
    ...wires(globalThis, [...TIMERS, 'queueMicrotask'], '', TIMER),
    ...wires(AbortSignal, ['timeout'], 'AbortSignal.', TIMER),
    ...wires(moduleOf('node:timers') as object, TIMERS, 'node:timers ', TIMER),
    ...wires(moduleOf('node:timers/promises') as object, TIMERS, 'node:timers/promises ', TIMER),
    ...wires(Math, ['random'], 'Math.', CHANCE),
    ...wires(globalThis.crypto, ['randomUUID', 'getRandomValues'], 'crypto.', CHANCE),
    ...wires(crypto, drawing, 'node:crypto ', CHANCE),
    ...wires(globalThis, ['fetch'], '', NETWORK),
  ];
}

/** What one guarded stretch touched. */
interface Stretch {
  first: Error | null;
}

/** Which stretch the running code belongs to, over all that it waits for; none for bystanders. */
const stretches = new AsyncLocalStorage<Stretch>();

/** `observe (src/collection/observe.ts:90:3)`, of the first frame that is not Node's own. */
function callerOf(stack: string): string {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const frame = frames.find((line) => !line.includes('node:')) ?? 'at an unknown place';
  const place = frame.replace(/^\s*at /, '');
  return place.replaceAll(/file:\/\/[^\s):]+/g, (url) => fileURLToPath(url));
}

/**
 * @param wire the function that was called; what called it is to blame
 * @throws Error where the code of a simulated run stands on the wire; others pass
 */
function check({ name, instead }: Pick<Wire, 'name' | 'instead'>, wire: Callable): void {
  const stretch = stretches.getStore();
  if (stretch === undefined) return;
  const trace = { stack: '' };
  Error.captureStackTrace(trace, wire);
  const caller = callerOf(trace.stack);
  const error = new Error(`A simulated run touched ${name} in ${caller}; ${instead}.`);
  stretch.first ??= error;
  throw error;
}

function guardedCall(wire: Wire, real: Callable): Callable {
  const apply = (target: Callable, self: unknown, args: never[]): unknown => {
    check(wire, apply);
    return Reflect.apply(target, self, args);
  };
  return new Proxy(real, { apply });
}

const RealDate = Date;

/** A date made from a number is a value like any other; one made from nothing is the present. */
function guardedDate(): DateConstructor {
  function GuardedDate(...args: readonly unknown[]): unknown {
    const made = new.target as object | undefined;
    if (made === undefined || args.length === 0)
      check({ name: 'Date', instead: CLOCK }, GuardedDate);
    if (made === undefined) return new RealDate().toString();
    return Reflect.construct(RealDate, args, made === GuardedDate ? RealDate : new.target);
  }
  GuardedDate.prototype = RealDate.prototype;
  return Object.setPrototypeOf(GuardedDate, RealDate) as DateConstructor;
}

type Undo = () => void;

function replace(owner: object, key: string, value: unknown): Undo {
  const own = Object.getOwnPropertyDescriptor(owner, key);
  Object.defineProperty(owner, key, { configurable: true, writable: true, value });
  return () => {
    if (own === undefined) Reflect.deleteProperty(owner, key);
    else Object.defineProperty(owner, key, own);
  };
}

function putUp(): Undo {
  const undo = allWires().map((wire) => {
    const real = Reflect.get(wire.owner, wire.key) as Callable;
    return replace(wire.owner, wire.key, guardedCall(wire, real));
  });
  undo.push(replace(globalThis, 'Date', guardedDate()));
  syncBuiltinESMExports();
  return () => {
    for (const takeDown of undo.toReversed()) takeDown();
    syncBuiltinESMExports();
  };
}

let standing = 0;
let takeDown: Undo = () => undefined;

/**
 * Does a task in a world of its own: what touches the machine's clock, timers, chance or network
 * meanwhile, in the task or in anything that it started, throws where it does.
 *
 * @throws the error of the first touch at the end, also when something in between has caught it,
 *   and else what the task throws
 */
export async function overTripwires<T>(task: () => Promise<T>): Promise<T> {
  const stretch: Stretch = { first: null };
  if (standing === 0) takeDown = putUp();
  standing++;
  const [outcome] = await Promise.allSettled([stretches.run(stretch, async () => task())]);
  standing--;
  if (standing === 0) takeDown();
  if (stretch.first !== null) throw stretch.first;
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
