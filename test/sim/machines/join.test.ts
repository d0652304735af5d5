import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shareButInCi, tellShare } from '../../share.ts';
import { drawWorld, isLost, type Joined, type JoinWorld, playWorld } from './join-worlds.ts';

const SEEDS = Array.from({ length: 2000 }, (_, at) => at + 1);
const OF = 100;

async function ours(world: JoinWorld): Promise<Joined> {
  const found = (await playWorld(world)).find(({ by }) => by === 'rollcall');
  assert.ok(found !== undefined);
  return found;
}

const CALM: JoinWorld = {
  seed: 3,
  cloudController: '1.34',
  podNetworkMs: 10_000,
  bootMs: 5000,
  hiddenMs: 0,
  deletedAtS: null,
  rebootAtS: null,
  throttled: 0,
};

describe('rollcall join in the simulator', () => {
  test('an instance that EC2 lists late is a node with it, and none without', async () => {
    const joined = await playWorld({ ...CALM, podNetworkMs: 30_000, hiddenMs: 90_000 });
    assert.deepEqual(
      joined.map(({ by, isNode, joins }) => [by, isNode, joins]),
      [
        ['user-data', false, 1],
        ['loop', true, joined[1]?.joins ?? 0],
        ['rollcall', true, 1],
      ],
    );
  });

  test('it runs COMMAND once where nothing is in the way', async () => {
    const { isNode, joins, untrue } = await ours(CALM);
    assert.deepEqual([isNode, joins, untrue], [true, 1, []]);
  });

  test('a Node that somebody deletes while it has to stay comes back', async () => {
    const { isNode, joins, saidAtS } = await ours({ ...CALM, deletedAtS: 40 });
    assert.deepEqual([isNode, joins], [true, 1]);
    assert.ok(saidAtS !== null && saidAtS > 60);
  });

  test('where the cloud controller pauses for longer than the time of a join, it says so', async () => {
    const { saidAtS, gaveUpAtS, untrue, isUninitialized } = await ours(drawWorld(121_628));
    assert.deepEqual([saidAtS, untrue, isUninitialized], [null, [], true]);
    assert.ok(gaveUpAtS !== null && gaveUpAtS > 900);
  });

  const seeds = shareButInCi(SEEDS, OF);
  for (const seed of seeds)
    test(`world ${seed}: what it says is true, and no node is lost that could be kept`, async () => {
      const world = drawWorld(seed);
      const joined = await ours(world);
      assert.deepEqual(joined.untrue, [], JSON.stringify(world));
      assert.equal(isLost(joined, world), false, JSON.stringify({ world, joined }));
      const isEnded = joined.saidAtS !== null || joined.gaveUpAtS !== null;
      assert.ok(isEnded, JSON.stringify({ world, joined }));
    });
  tellShare('worlds of joins', seeds.length, SEEDS.length);
});
