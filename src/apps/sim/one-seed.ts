import { createHash } from 'node:crypto';
import { systemClock } from '../../adapters/system/clock.ts';
import type { Injection } from '../../sim/faults/contract.ts';
import { FAULT_IDS, FAULTS } from '../../sim/faults/faults.ts';
import type { Look } from '../../sim/invariants/contract.ts';
import type { Judged } from '../../sim/oracle/judge.ts';
import type { PlantedBug } from '../../sim/planted/contract.ts';
import type { RunResult } from '../../sim/run/log.ts';
import type { RunCase } from '../../sim/shrink/shrink.ts';
import { planInjections } from '../../sim/swarm/plan.ts';
import { drawSwarm, type Swarm, type Wishes } from '../../sim/swarm/swarm.ts';
import { follow } from './follow.ts';
import { guardedRun } from './guarded-run.ts';
import { lookEveryWay } from './look.ts';
import { twinDifferences } from './twin.ts';

/** A run of one seed with what it took. */
export interface SeedRun {
  readonly swarm: Swarm;
  readonly injections: readonly Injection[];
  readonly result: RunResult;
  /** SHA-256 of every line that was logged and every word that Rollcall said. */
  readonly hash: string;
  readonly wallMs: number;
}

export interface SeedOptions {
  readonly seed: number;
  readonly wishes: Wishes;
  readonly bug: PlantedBug | null;
  readonly endsAtViolation?: boolean;
  readonly onJudged?: (judged: Judged, look: Look) => void;
  /** Lets it happen again without faults, and compares the ends. */
  readonly isTwinned?: boolean;
  /** Instead of those that the wishes ask for. */
  readonly injections?: readonly Injection[];
}

/** Runs one seed to its end, and then its twin where that is asked for. */
export async function runSeed(options: SeedOptions): Promise<SeedRun> {
  const beganMs = systemClock.monotonicMs();
  const { run, last } = await runToEnd(options);
  if (options.isTwinned !== true) return run;
  const twin = await runToEnd({ ...options, injections: [], onJudged: () => undefined });
  const differences = twinDifferences(
    { result: run.result, last },
    { result: twin.run.result, last: twin.last },
  );
  const violations = [...run.result.violations, ...differences];
  const wallMs = systemClock.monotonicMs() - beganMs;
  return { ...run, result: { ...run.result, violations }, wallMs };
}

/** A mistake that remembers does so within one run. */
function begun(bug: PlantedBug | null): PlantedBug | null {
  const document = bug?.remembering?.();
  return bug === null || document === undefined ? bug : { ...bug, document };
}

interface Ended {
  readonly run: SeedRun;
  /** The last look over the APIs; null where the run ended before it. */
  readonly last: Look | null;
}

async function runToEnd(options: SeedOptions): Promise<Ended> {
  const { seed, wishes, endsAtViolation = false, onJudged } = options;
  const bug = begun(options.bug);
  const beganMs = systemClock.monotonicMs();
  const swarm = drawSwarm(seed, wishes, FAULT_IDS);
  const injections = options.injections ?? planInjections(swarm, wishes, FAULTS);
  const hash = createHash('sha256');
  let last: Look | null = null;
  const ended = new AbortController();
  const result = await guardedRun({
    swarm,
    injections,
    endsAtViolation,
    bug,
    begin: (stage) => follow(stage, bug, ended.signal),
    onLine: ({ atMs, actor, what }) => hash.update(`${atMs} ${actor} ${what}\n`),
    async look(request) {
      const said = await lookEveryWay(request, { bug, gapShare: swarm.gapShare });
      for (const { printed } of said) for (const text of printed) hash.update(text);
      return said;
    },
    onJudged(judged, look) {
      if (look.isLast && look.way === 'live') last = look;
      onJudged?.(judged, look);
    },
  }).finally(() => ended.abort());
  const wallMs = systemClock.monotonicMs() - beganMs;
  return { run: { swarm, injections, result, hash: hash.digest('hex'), wallMs }, last };
}

/** The case of a run, from which it can be shrunk. */
export function caseOf({ swarm, injections }: SeedRun, { hours }: Wishes): RunCase {
  const nodes = swarm.world.groups.reduce((sum, { count }) => sum + count, 0);
  return { seed: swarm.seed, nodes, hours, injections };
}
