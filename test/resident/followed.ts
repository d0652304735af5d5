/** Follows the lists of a simulated world, as a resident does. */
import assert from 'node:assert/strict';
import { settle } from '../../src/adapters/system/settle.ts';
import { overTripwires } from '../../src/adapters/system/tripwires.ts';
import { createFeeds, type Feeds } from '../../src/collection/resident/feeds.ts';
import { askAwsOnce, askDetailsOnce } from '../../src/collection/resident/rounds.ts';
import {
  createResidentStore,
  type Moment,
  NO_ROUND,
  type ResidentStore,
} from '../../src/collection/resident/store.ts';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { awsPort } from '../../src/sim/aws/port.ts';
import type { SimulatedCluster } from '../../src/sim/cluster/simulated-cluster.ts';
import { FAULT_IDS, FAULTS } from '../../src/sim/faults/faults.ts';
import { kubePort } from '../../src/sim/kube/port.ts';
import { run, type RunOptions } from '../../src/sim/run/run.ts';
import { planInjections } from '../../src/sim/swarm/plan.ts';
import { drawSwarm } from '../../src/sim/swarm/swarm.ts';
import { shareOf } from '../share.ts';

const WISHES = { nodes: 4, hours: 0.7, faults: 'all' } as const;
/** Worlds in which what was asked of machines depended on which answer came first. */
const ORDERED_SEEDS = [743, 749];

/** `ROLLCALL_RESIDENT_SEEDS=600-659` runs other ones. */
function seedsOf(range: string | undefined): readonly number[] {
  const [from = 501, to = 506] = (range ?? '').split('-').filter(Boolean).map(Number);
  const drawn = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return range === undefined ? [...drawn, ...ORDERED_SEEDS] : drawn;
}

export const SEEDS = shareOf(seedsOf(process.env['ROLLCALL_RESIDENT_SEEDS']), 3);

/** Runs a world to its end. A look that throws ends the world instead of the test. */
export async function runSeed(
  seed: number,
  parts: Pick<RunOptions, 'look' | 'begin'>,
): Promise<void> {
  const swarm = drawSwarm(seed, WISHES, FAULT_IDS);
  const injections = planInjections(swarm, WISHES, FAULTS);
  const { violations } = await overTripwires(async () =>
    run({ swarm, injections, settle, ...parts }),
  );
  assert.deepEqual(
    violations.filter(({ rule }) => rule === 'thrown'),
    [],
  );
}

/** A clock that stands still while the world is looked at. */
function still(nowMs: number): Clock {
  return {
    nowMs: () => nowMs,
    monotonicMs: () => 0,
    sleep: async (durationMs) => {
      if (durationMs > 10_000) await Promise.withResolvers<void>().promise;
    },
  };
}

export interface Followed {
  readonly store: ResidentStore;
  readonly feeds: Feeds;
}

/** Follows the lists of a world from its beginning. */
export function followFrom(simulated: SimulatedCluster, world: AbortSignal): Followed {
  const { kernel, api, admin } = simulated;
  const clock = kernel.clock();
  const kube = kubePort({ server: api, user: admin.user, clock });
  const random = kernel.random('resident');
  const store = createResidentStore();
  const feeds = createFeeds({ kube, clock, random, store, onNews: () => undefined });
  kernel.spawn('rollcall/resident', async () => feeds.run(world));
  return { store, feeds };
}

/** What the store knows, with AWS and the machines asked at this moment. */
export async function knownNow(
  { kernel, cloud, api, admin, setting }: SimulatedCluster,
  followed: Followed,
) {
  const { store, feeds } = followed;
  const nowMs = kernel.nowMs();
  const clock = still(nowMs);
  const kube = kubePort({ server: api, user: admin.user, clock });
  const aws = awsPort({ cloud, identity: admin.identity, clock, pauseMs: 0 });
  const { signal } = new AbortController();
  const { name } = setting.cluster;
  feeds.settle();
  store.setDetails(NO_ROUND);
  const round = await askAwsOnce({ aws, clock }, store, name, signal);
  store.setAws(round);
  const moment: Moment = { nowMs, cluster: round.cluster, skewMs: kube.skewMs(), refusals: [] };
  const known = (): Observations => store.observations(moment);
  const rough = known();
  const document = await diagnoseObservations(rough);
  store.setDetails(await askDetailsOnce({ kube, aws, clock }, document, rough, signal));
  return known();
}
