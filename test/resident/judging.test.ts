import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { askAwsOnce } from '../../src/collection/resident/rounds.ts';
import { createJudge, diagnoseObservations } from '../../src/engine/diagnose.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import { awsPort } from '../../src/sim/aws/port.ts';
import type { SimulatedCluster } from '../../src/sim/cluster/simulated-cluster.ts';
import { type Followed, followFrom, knownNow, runSeed, SEEDS } from './followed.ts';

const EVERY_MS = 20_000;
/** AWS is asked again with each third moment. */
const ROUND = 3;

/** What is known of a world every twenty seconds, as watches and rounds of AWS bring it. */
async function note(
  { kernel, cloud, admin, setting }: SimulatedCluster,
  { store, feeds }: Followed,
  moments: Observations[],
  signal: AbortSignal,
): Promise<void> {
  const clock = kernel.clock();
  const aws = awsPort({ cloud, identity: admin.identity, clock, pauseMs: 0 });
  const { name } = setting.cluster;
  for (let number = 0; !signal.aborted; number++) {
    await clock.sleep(EVERY_MS, signal);
    if (number % ROUND === 0) store.setAws(await askAwsOnce({ aws, clock }, store, name, signal));
    feeds.settle();
    const moment = { nowMs: kernel.nowMs(), cluster: name, skewMs: null, refusals: [] };
    moments.push(store.observations(moment));
  }
}

async function momentsOf(seed: number): Promise<readonly Observations[]> {
  const moments: Observations[] = [];
  const ended = new AbortController();
  let followed: Followed | null = null;
  await runSeed(seed, {
    begin({ simulated }) {
      const following = followFrom(simulated, ended.signal);
      followed = following;
      simulated.kernel.spawn('rollcall/noting', async () =>
        note(simulated, following, moments, ended.signal).catch((error: unknown) => {
          if (!ended.signal.aborted) throw error;
        }),
      );
    },
    async look({ stage: { simulated } }) {
      assert.ok(followed !== null);
      moments.push(await knownNow(simulated, followed));
      return [];
    },
  }).finally(() => ended.abort());
  return moments;
}

describe('a judge that remembers', () => {
  for (const seed of SEEDS)
    test(`says at each moment what one says that knows nothing (seed ${seed})`, async () => {
      const moments = await momentsOf(seed);
      assert.ok(moments.length > 40);
      const judge = createJudge();
      for (const [index, moment] of moments.entries()) {
        const [kept, fresh] = [await judge.judge(moment), await diagnoseObservations(moment)];
        // Texts first: they are compared a hundred times as fast.
        if (JSON.stringify(kept) !== JSON.stringify(fresh))
          assert.deepEqual(kept, fresh, `moment ${index}`);
      }
    });
});
