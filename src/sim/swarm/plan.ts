import { type Fault, type Injection, injectionName } from '../faults/contract.ts';
import { randomStream } from '../kernel/random.ts';
import type { Swarm, Wishes } from './swarm.ts';

const HOUR_MS = 3_600_000;
/** Deviation of the logarithm of how long a fault lasts. */
const LASTS_SIGMA = 0.6;

/**
 * The faults of a run in the order of time. Each class has its own series of chance at its full
 * rate, which its weight thins out, so that leaving one out never moves another one, and each can
 * be asked for by its name.
 */
export function planInjections(
  swarm: Swarm,
  { faults }: Pick<Wishes, 'faults'>,
  known: readonly Fault[],
): readonly Injection[] {
  return known
    .flatMap((fault) => occasionsOf(swarm, fault).filter(chooser(swarm, faults)))
    .map(({ injection }) => injection)
    .toSorted((one, other) => one.atMs - other.atMs);
}

interface Drawn {
  readonly injection: Injection;
  /** Uniform in [0, 1); below the weight it happens. */
  readonly lot: number;
}

function occasionsOf({ seed, chaosMs }: Swarm, { id, perHour, lastsMs }: Fault): readonly Drawn[] {
  const random = randomStream(seed, `plan/${id}`);
  const drawn: Drawn[] = [];
  let atMs = random.exponential(HOUR_MS / perHour);
  while (atMs < chaosMs) {
    const lasts = Math.round(random.lognormal(lastsMs, LASTS_SIGMA));
    const ordinal = drawn.length + 1;
    const injection = { fault: id, ordinal, atMs: Math.round(atMs), lastsMs: lasts };
    drawn.push({ injection, lot: random.next() });
    atMs += random.exponential(HOUR_MS / perHour);
  }
  return drawn;
}

function chooser({ weights }: Swarm, faults: Wishes['faults']): (drawn: Drawn) => boolean {
  if (faults === 'all') return ({ injection, lot }) => lot < (weights.get(injection.fault) ?? 0);
  const wanted = new Set(faults);
  return ({ injection }) => wanted.has(injection.fault) || wanted.has(injectionName(injection));
}
