/** What is played around aws-auth, and what came of it. */
import type { KubeApi } from '../../../src/ports/kube-api.ts';
import type { Recorder } from '../../../src/ports/recorder.ts';
import type { KubeWrites } from '../../../src/ports/kube-writes.ts';
import type { PortFailure } from '../../../src/ports/port-error.ts';
import type { LogLine } from '../../../src/sim/kernel/kernel.ts';
import { randomStream } from '../../../src/sim/kernel/random.ts';
import { type Call, DEEDS_OF, type Fate } from '../../../src/sim/programs/call.ts';

const MINUTE_MS = 60_000;

/** What people and their tools do with aws-auth. */
export const MOVES = ['overwrite', 'delete', 'break', 'remap', 'add', 'replace'] as const;
export type Move = (typeof MOVES)[number];

export interface PlannedMove {
  readonly atMs: number;
  readonly move: Move;
}

export interface AuthPorts {
  readonly api: KubeApi;
  readonly writes: KubeWrites;
  readonly recorder: Recorder;
  /** Of this program, ms of its own time. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** A mistake between the keeper and its ports. */
export type AuthPortBug = (ports: AuthPorts) => Partial<AuthPorts>;

export interface Refusal {
  readonly failure: PortFailure;
  readonly atMs: number;
  readonly lastsMs: number;
}

export interface AuthPlan {
  readonly seed: number;
  readonly replicas: number;
  readonly isDryRun: boolean;
  readonly moves: readonly PlannedMove[];
  readonly refusals: readonly Refusal[];
  /** While this lasts nobody but people may read aws-auth; null for never. */
  readonly denied: Omit<Refusal, 'failure'> | null;
  /** Asked of each call in the chaos. */
  readonly fate: Fate;
  readonly wholeMs: number;
  /** True where nothing keeps a mapping that machines miss from being put back. */
  readonly restores: boolean;
  readonly bug: AuthPortBug | null;
  readonly onLine?: (line: LogLine) => void;
}

export interface Violation {
  readonly rule: string;
  readonly what: string;
}

export interface AuthResult {
  readonly violations: readonly Violation[];
  readonly evaluations: ReadonlyMap<string, number>;
  readonly restorations: number;
  /** All calls but those of the Lease. */
  readonly calls: readonly Call[];
}

/** One overwriting, and nothing that goes wrong. */
export function quietAuth(change: Partial<AuthPlan> = {}): AuthPlan {
  return {
    seed: 1,
    replicas: 2,
    isDryRun: false,
    moves: [{ atMs: 5 * MINUTE_MS, move: 'overwrite' }],
    refusals: [],
    denied: null,
    fate: () => null,
    wholeMs: 15 * MINUTE_MS,
    restores: true,
    bug: null,
    ...change,
  };
}

/** The run of a seed. */
export function authOfSeed(seed: number, change: Partial<AuthPlan> = {}): AuthPlan {
  const random = randomStream(seed, 'auth/run');
  const at = (): number => Math.round(random.between(2, 100) * MINUTE_MS);
  const moves = Array.from({ length: 2 + random.below(8) }, () => ({
    atMs: at(),
    move: random.pick([...MOVES, 'overwrite', 'add'] as const),
  }));
  const refusals = Array.from({ length: random.below(3) }, () => ({
    failure: random.pick(['denied', 'unavailable', 'throttled'] as const),
    atMs: at(),
    lastsMs: Math.round(random.between(1, 8) * MINUTE_MS),
  }));
  const weight = random.chance(0.4) ? 0 : random.next();
  const ways = randomStream(seed, 'auth/calls');
  const fate: Fate = ({ kind, what }) => {
    const share = /leases/.test(what) ? 0.002 : kind === 'write' || kind === 'append' ? 0.3 : 0.03;
    return ways.chance(weight * share) ? ways.pick(DEEDS_OF[kind]) : null;
  };
  return {
    ...quietAuth(),
    seed,
    replicas: random.chance(0.6) ? 2 : 1,
    isDryRun: random.chance(0.06),
    moves: moves.toSorted((one, other) => one.atMs - other.atMs),
    refusals,
    denied: random.chance(0.3) ? { atMs: at(), lastsMs: 10 * MINUTE_MS } : null,
    fate,
    wholeMs: 120 * MINUTE_MS,
    restores: false,
    ...change,
  };
}
