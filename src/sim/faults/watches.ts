import type { PortFailure } from '../../ports/port-error.ts';
import type { RandomStream } from '../kernel/random.ts';
import type { MarkId } from '../marks/marks.ts';
import type { Fault, FaultScene } from './contract.ts';
import { MINUTE_MS } from './shapes.ts';
import { nothing } from './targets.ts';
import type { LineState, Twist } from './wire.ts';

/** A kind that is watched, by chance; null while nothing is. */
function anyFollowed({ looking }: FaultScene, random: RandomStream): string | null {
  const kinds = looking.wire.followed();
  return kinds.length === 0 ? null : random.pick(kinds);
}

/** Watches that are open now; the next one is well. */
function struckWatch(
  id: string,
  state: Exclude<LineState, 'well'>,
  what: string,
  marks: readonly MarkId[] = [],
): Fault {
  return {
    id,
    perHour: 4,
    lastsMs: 0,
    inject(stage, random) {
      const plural = anyFollowed(stage, random);
      if (plural === null || stage.looking.wire.strike(plural, state) === 0) return null;
      return { what: `the watch of ${plural} ${what}`, truths: [], marks, undo: nothing };
    },
  };
}

function twistedWatch(id: string, twist: Twist, what: string): Fault {
  return {
    id,
    perHour: 3,
    lastsMs: 4 * MINUTE_MS,
    inject(stage, random) {
      const plural = anyFollowed(stage, random);
      if (plural === null) return null;
      const undo = stage.looking.wire.twist(plural, twist);
      return { what: `watches of ${plural} ${what}`, truths: [], undo };
    },
  };
}

function lateWatch(id: string, lagsMs: readonly number[], plurals: readonly string[]): Fault {
  return {
    id,
    perHour: 2,
    lastsMs: 5 * MINUTE_MS,
    inject({ looking }, random) {
      const lagMs = random.pick(lagsMs);
      const plural = random.pick(plurals);
      if (!looking.wire.followed().includes(plural)) return null;
      const what = `events of ${plural} come ${lagMs / 1000} s late`;
      return { what, truths: [], undo: looking.wire.delay(plural, lagMs) };
    },
  };
}

/** The next connection is to one of several API servers that has not yet heard of the latest. */
const serverBehind: Fault = {
  id: 'F10',
  perHour: 2,
  lastsMs: 3 * MINUTE_MS,
  inject(stage, random) {
    const plural = anyFollowed(stage, random);
    if (plural === null) return null;
    const { wire } = stage.looking;
    const lagMs = random.pick([1_000, 4_000, 15_000]);
    wire.strike(plural, 'torn');
    const what = `the next watch of ${plural} is at an API server that is ${lagMs / 1000} s behind`;
    return { what, truths: [], undo: wire.delay(plural, lagMs) };
  },
};

/** The API server turns the watchers of Rollcall away for a while, and nobody else. */
function turnedAway(id: string, failure: PortFailure, what: string): Fault {
  return {
    id,
    perHour: 1,
    lastsMs: 4 * MINUTE_MS,
    inject: ({ looking }) => ({ what, truths: [], undo: looking.wire.refuse(failure) }),
  };
}

/** Faults of watches, which the watchers of Rollcall meet. */
export const WATCH_FAULTS: readonly Fault[] = [
  serverBehind,
  turnedAway('F16', 'throttled', 'the watchers of Rollcall are starved with 429'),
  struckWatch('F17', 'dead', 'is dead without a word', ['watch-dead']),
  twistedWatch('F18', 'losing', 'lose events'),
  twistedWatch('F19', 'repeating', 'bring old events again'),
  lateWatch('F20', [2_000, 5_000, 10_000], ['nodes']),
  twistedWatch('F21', 'without-bookmarks', 'have no bookmarks'),
  struckWatch('F22', 'expired', 'ends with 410 at its next event', ['watch-expired']),
  lateWatch('F24', [20_000, 40_000], ['nodes', 'pods']),
  struckWatch('F25', 'torn', 'breaks off in its next line'),
];
