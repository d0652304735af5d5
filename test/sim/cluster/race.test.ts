import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { textAt } from '../../../src/evidence/json.ts';
import { drawFirstSeen } from '../../../src/sim/cluster/first-seen.ts';
import { ADMIN, buildCluster } from '../../../src/sim/cluster/simulated-cluster.ts';
import { raceChart } from '../../../tools/race-chart.ts';
import { type Field, raceIn, rateOf, settingOf, type Tally } from '../../../tools/race-field.ts';
import { intervalOf, percent } from '../../../tools/race-figures.ts';
import { chartPanels, type Measured, racePage } from '../../../tools/race-page.ts';

const FIELD: Field = { bootS: 5, size: 3, controller: '1.34', askedBy: 'id' };
const SEEDS = 60;

describe('the race between EC2 and the join', () => {
  test('is lost more often by machines that boot fast', () => {
    const [fast, slow] = [5, 60].map((bootS) => rateOf({ ...FIELD, bootS }, SEEDS)) as [
      Tally,
      Tally,
    ];
    assert.equal(fast.machines, slow.machines);
    assert.ok(fast.lost > slow.lost, `${fast.lost} of fast ones, ${slow.lost} of slow ones`);
    assert.ok(fast.lost >= 5);
  });

  test('is lost more often where few machines join at once', () => {
    const few = rateOf(FIELD, SEEDS);
    const many = rateOf({ ...FIELD, size: 90 }, SEEDS);
    assert.equal(few.machines, many.machines);
    const shareOf = ({ lost, early }: Tally): number => lost / early;
    assert.ok(shareOf(few) > shareOf(many), JSON.stringify({ few, many }));
  });

  test('by name is lost with 1.37 and 1.29, and never with 1.34', () => {
    const lostWith = (controller: Field['controller']): number =>
      rateOf({ ...FIELD, controller, askedBy: 'name' }, 15).lost;
    assert.ok(lostWith('1.37') > 0);
    assert.ok(lostWith('1.29') > 0);
    assert.equal(lostWith('1.34'), 0);
  });

  test('ends the same way whenever it is run again', () => {
    const seeds = [1, 2, 3, 4, 5, 6];
    const play = (): readonly Tally[] => seeds.map((seed) => raceIn(FIELD, seed));
    assert.deepEqual(play(), play());
  });
});

describe('a machine of such a world', () => {
  test('goes by the whole name by which EC2 knows it', () => {
    const simulated = buildCluster({ setting: settingOf({ ...FIELD, bootS: 30 }), seed: 1 });
    const { kernel, cloud, world } = simulated;
    const endMs = kernel.nowMs() + 120_000;
    while (kernel.nowMs() < endMs && kernel.step());
    const names = world
      .client(ADMIN)
      .list('Node')
      .map((node) => textAt(node, 'metadata.name'));
    for (const machine of ['workers-0', 'workers-1', 'workers-2'])
      assert.ok(
        names.includes(cloud.instance(simulated.instanceOf(machine) ?? '')?.privateDnsName ?? null),
      );
  });
});

describe('when EC2 shows a new instance', () => {
  const drawn = Array.from({ length: 4000 }, (_, seed) => drawFirstSeen(seed, 'workers-0'));
  const shareAbove = (limitMs: number): number =>
    drawn.filter(({ recordMs }) => recordMs > limitMs).length / drawn.length;

  test('is within a second for half of them and after a minute for one in a hundred', () => {
    assert.ok(Math.abs(shareAbove(1000) - 0.5) < 0.03);
    assert.ok(shareAbove(60_000) > 0.004 && shareAbove(60_000) < 0.018);
  });

  test('its name never comes before it, nor after ten minutes', () => {
    for (const { recordMs, nameMs } of drawn) assert.ok(nameMs >= recordMs && nameMs <= 600_000);
  });

  test('hangs on the seed and the machine', () => {
    assert.deepEqual(drawFirstSeen(7, 'workers-1'), drawFirstSeen(7, 'workers-1'));
    assert.notDeepEqual(drawFirstSeen(7, 'workers-1'), drawFirstSeen(7, 'workers-2'));
    assert.notDeepEqual(drawFirstSeen(7, 'workers-1'), drawFirstSeen(8, 'workers-1'));
  });
});

function measuredWith(one: Pick<Field, 'size' | 'askedBy'>): readonly Measured[] {
  return [5, 60].map((bootS) => ({
    field: { ...FIELD, ...one, bootS },
    tally: { machines: 100, early: 8, lost: bootS === 5 ? 6 : 1 },
  }));
}

describe('the figures of the race', () => {
  test('have the interval of Wilson', () => {
    const { low, high } = intervalOf(10, 100);
    assert.ok(Math.abs(low - 0.0552) < 0.0005 && Math.abs(high - 0.1744) < 0.0005);
    assert.equal(intervalOf(0, 100).low, 0);
    assert.ok(intervalOf(0, 100).high > 0.03);
    assert.deepEqual(intervalOf(0, 0), { low: 0, high: 1 });
  });

  test('read as whole numbers where they are', () => {
    assert.equal(percent(0.02), '2 %');
    assert.equal(percent(0.0153), '1.5 %');
  });

  test('are drawn with a frame for each size and a line for each way of asking', () => {
    const measured = [3, 30].flatMap((size) => [
      ...measuredWith({ size, askedBy: 'id' }),
      ...measuredWith({ size, askedBy: 'name' }),
    ]);
    const svg = raceChart(chartPanels(measured));
    assert.equal(svg.match(/<polyline /g)?.length, 4);
    assert.equal(svg.match(/machines join at once/g)?.length, 2);
    assert.match(svg, /prefers-color-scheme:dark/);
    const page = racePage(measured, 'node tools/race.ts --seeds 34');
    assert.match(
      page,
      /\| 3 \| controller 1\.34, kubelet told its providerID \| 6\.0 % \(2\.8 to 12\.5\) \|/,
    );
    assert.match(page, /`node tools\/race\.ts --seeds 34`/);
  });
});
