import { createHash } from 'node:crypto';
import type { Injection } from '../../sim/faults/contract.ts';
import { FAULT_IDS, FAULTS } from '../../sim/faults/faults.ts';
import type { Look } from '../../sim/invariants/contract.ts';
import type { Judged } from '../../sim/oracle/judge.ts';
import type { PlantedBug } from '../../sim/planted/contract.ts';
import type { RunResult } from '../../sim/run/log.ts';
import { run } from '../../sim/run/run.ts';
import type { RunCase } from '../../sim/shrink/shrink.ts';
import { planInjections } from '../../sim/swarm/plan.ts';
import { drawSwarm, type Swarm, type Wishes } from '../../sim/swarm/swarm.ts';
import { settle } from '../lab/drive.ts';
import { lookBothWays } from './look.ts';

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
  /** Instead of those that the wishes ask for. */
  readonly injections?: readonly Injection[];
}

/** Runs one seed to its end. */
export async function runSeed(options: SeedOptions): Promise<SeedRun> {
  const { seed, wishes, bug, endsAtViolation = false, onJudged } = options;
  const beganMs = performance.now();
  const swarm = drawSwarm(seed, wishes, FAULT_IDS);
  const injections = options.injections ?? planInjections(swarm, wishes, FAULTS);
  const hash = createHash('sha256');
  const result = await run({
    swarm,
    injections,
    endsAtViolation,
    settle,
    onLine: ({ atMs, actor, what }) => hash.update(`${atMs} ${actor} ${what}\n`),
    async look(request) {
      const said = await lookBothWays(request, { bug, gapShare: swarm.gapShare });
      for (const { printed } of said) for (const text of printed) hash.update(text);
      return said;
    },
    ...(onJudged === undefined ? {} : { onJudged }),
  });
  const wallMs = performance.now() - beganMs;
  return { swarm, injections, result, hash: hash.digest('hex'), wallMs };
}

/** The case of a run, from which it can be shrunk. */
export function caseOf({ swarm, injections }: SeedRun, { hours }: Wishes): RunCase {
  const nodes = swarm.world.groups.reduce((sum, { count }) => sum + count, 0);
  return { seed: swarm.seed, nodes, hours, injections };
}
