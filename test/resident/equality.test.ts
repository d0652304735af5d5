import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { observeCluster } from '../../src/apps/sim/observe-cluster.ts';
import type { CollectedDocument } from '../../src/collection/document.ts';
import { type Followed, followFrom, knownNow, runSeed, SEEDS } from './followed.ts';
import { createKept } from './kept.ts';
import { toldOf } from './told.ts';

describe('a store that gets objects one by one', () => {
  for (const seed of SEEDS)
    test(`says at each look what a fresh look says (seed ${seed})`, async () => {
      const kept = createKept();
      const fresh: object[] = [];
      const resident: object[] = [];
      await runSeed(seed, {
        async look({ stage: { simulated, looking } }) {
          const documents: CollectedDocument[] = [];
          const { observations, nowMs } = await observeCluster(simulated, {
            through: ({ kube, aws }) => ({
              kube: looking.through(kube),
              aws: looking.noting(aws),
            }),
            onDocument: (document) => void documents.push(document),
          });
          fresh.push(await toldOf(observations, nowMs));
          resident.push(await toldOf(kept.take(documents), nowMs));
          return [];
        },
      });
      assert.deepEqual(resident, fresh);
      assert.ok(fresh.length > 0);
      assert.ok(kept.puts() > 0);
    });
});

describe('a store that follows the watches of a cluster', () => {
  for (const seed of SEEDS)
    test(`says at each look what a fresh look says (seed ${seed})`, async () => {
      const fresh: object[] = [];
      const resident: object[] = [];
      const ended = new AbortController();
      let followed: Followed | null = null;
      await runSeed(seed, {
        begin({ simulated }) {
          followed = followFrom(simulated, ended.signal);
        },
        async look({ stage: { simulated } }) {
          assert.ok(followed !== null);
          const { observations, nowMs } = await observeCluster(simulated);
          fresh.push(await toldOf(observations, nowMs));
          resident.push(await toldOf(await knownNow(simulated, followed), nowMs));
          return [];
        },
      }).finally(() => ended.abort());
      assert.deepEqual(resident, fresh);
      assert.ok(fresh.length > 0);
    });
});
