import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runSeed } from '../../../src/apps/sim/one-seed.ts';

interface Fixed {
  readonly seed: number;
  readonly nodes: number;
  readonly hours: number;
  readonly faults: readonly string[];
  /** What was taken for a failing. */
  readonly of: string;
}

/** Machines that were well and were once called not usable, each shrunk to what it takes. */
const ALARMS: readonly Fixed[] = [
  {
    seed: 224,
    nodes: 4,
    hours: 0.05,
    faults: [],
    of: 'sandboxes that wait for the first addresses, on a node of half a minute',
  },
  {
    seed: 146,
    nodes: 4,
    hours: 0.05,
    faults: [],
    of: 'such sandboxes on two machines, with gaps in what was collected',
  },
  {
    seed: 501,
    nodes: 4,
    hours: 0.05,
    faults: [],
    of: 'such sandboxes beside pods that run, with nothing missing',
  },
  {
    seed: 82,
    nodes: 4,
    hours: 0.46,
    faults: ['F68.1', 'F38.1'],
    of: 'pods that move to a machine all at once when a Node is deleted',
  },
  {
    seed: 137,
    nodes: 4,
    hours: 0.4,
    faults: ['F38.1', 'F39.1'],
    of: 'pods that move so to a machine whose agent of kiam has just come back',
  },
  {
    seed: 316,
    nodes: 4,
    hours: 0.5,
    faults: ['F52.1', 'F47.1'],
    of: 'a machine without any address for a pod, which the oracle took for well',
  },
  {
    seed: 40,
    nodes: 4,
    hours: 0.4,
    faults: ['F36.1'],
    of: 'a Node that was deleted, and initialised again after a reboot',
  },
  {
    seed: 3,
    nodes: 3,
    hours: 0.498,
    faults: ['F38.1', 'F38.2'],
    of: 'pods that find no slot on it, as the other machines have lost their Nodes',
  },
  {
    seed: 477,
    nodes: 4,
    hours: 0.549,
    faults: ['F41.2', 'F51.1', 'F69.2', 'F74.1', 'F54.1', 'F14.1', 'F49.1', 'F67.1'],
    of: 'the same, where nothing that was collected says whose the machines are',
  },
];

/** Causes that were once named and were none of the true ones, each shrunk to what it takes. */
const WRONG: readonly Fixed[] = [
  {
    seed: 627,
    nodes: 4,
    hours: 0.184,
    faults: ['F09.1'],
    of: 'a daemon pod for which a full node has no slot',
  },
  {
    seed: 650,
    nodes: 4,
    hours: 0.7,
    faults: ['F55.1', 'F45.1', 'F38.1', 'F38.2'],
    of: 'an interface that was freed and attached again at a place that is taken',
  },
  {
    seed: 674,
    nodes: 4,
    hours: 0.7,
    faults: ['F12.1'],
    of: 'an agent that stands behind the break of the list of pods',
  },
  {
    seed: 707,
    nodes: 1,
    hours: 0.16,
    faults: ['F13.1'],
    of: 'pods whose word is older than the kubelet’s, after a backup was restored',
  },
  {
    seed: 708,
    nodes: 4,
    hours: 0.107,
    faults: ['F49.1'],
    of: 'the pod of the CNI for which a full node has no slot',
  },
  {
    seed: 766,
    nodes: 4,
    hours: 0.05,
    faults: [],
    of: 'the only pod of the cloud controller, which never became Ready',
  },
  {
    seed: 858,
    nodes: 2,
    hours: 0.7,
    faults: ['F47.1'],
    of: 'a log in an archive whose name alone says whose it is',
  },
  {
    seed: 864,
    nodes: 4,
    hours: 0.7,
    faults: ['F61.1', 'F12.2'],
    of: 'an agent behind the break, while the kubelets are silent',
  },
  {
    seed: 894,
    nodes: 1,
    hours: 0.152,
    faults: ['F36.1'],
    of: 'the CNI that starts once more after a reboot',
  },
  {
    seed: 926,
    nodes: 4,
    hours: 0.149,
    faults: ['F52.1', 'F35.1'],
    of: 'a kubelet that was started before a join had configured it',
  },
  {
    seed: 973,
    nodes: 1,
    hours: 0.258,
    faults: ['F36.1'],
    of: 'the CNI that is late after a reboot',
  },
  {
    seed: 1062,
    nodes: 3,
    hours: 0.7,
    faults: ['F35.3', 'F04.3'],
    of: 'lines that a longer log no longer ends in',
  },
  {
    seed: 1090,
    nodes: 4,
    hours: 0.05,
    faults: [],
    of: 'a Node that the scheduler had not heard of',
  },
  {
    seed: 1498,
    nodes: 1,
    hours: 0.35,
    faults: ['F14.1'],
    of: 'a providerID that became nobody’s',
  },
  {
    seed: 1649,
    nodes: 1,
    hours: 0.7,
    faults: ['F14.1'],
    of: 'the same, of another machine',
  },
  {
    seed: 1659,
    nodes: 1,
    hours: 0.074,
    faults: ['F52.1', 'F35.1'],
    of: 'a kubelet that was started early and waits for EC2',
  },
  {
    seed: 1705,
    nodes: 3,
    hours: 0.05,
    faults: ['F49.1'],
    of: 'a log of one machine beside the Nodes of others',
  },
  {
    seed: 1719,
    nodes: 4,
    hours: 0.7,
    faults: ['F05.3', 'F39.2'],
    of: 'a gate whose pod stands behind the break',
  },
  {
    seed: 1726,
    nodes: 1,
    hours: 0.25,
    faults: ['F51.1', 'F35.2'],
    of: 'a kubelet that was started while EC2 did not show its machine',
  },
  {
    seed: 1767,
    nodes: 3,
    hours: 0.175,
    faults: ['F61.1'],
    of: 'a kubelet that nobody knows while STS is throttled',
  },
  {
    seed: 1795,
    nodes: 4,
    hours: 0.05,
    faults: ['F35.1'],
    of: 'a kubelet that ends again and holds no port meanwhile',
  },
  {
    seed: 1866,
    nodes: 1,
    hours: 0.7,
    faults: ['F45.1', 'F73.1', 'F23.1', 'F17.2'],
    of: 'a deletion that was never told, and made good by a list',
  },
  {
    seed: 1986,
    nodes: 4,
    hours: 0.35,
    faults: ['F12.1'],
    of: 'an agent behind the break on a machine of unknown type',
  },
  {
    seed: 2071,
    nodes: 4,
    hours: 0.35,
    faults: ['F12.1', 'F45.1', 'F72.1'],
    of: 'the same, where a machine stands still',
  },
  {
    seed: 2092,
    nodes: 1,
    hours: 0.7,
    faults: ['F52.1', 'F23.1'],
    of: 'a Node of EKS that was made again while EC2 was throttled',
  },
  {
    seed: 2141,
    nodes: 2,
    hours: 0.7,
    faults: ['F47.1', 'F51.3', 'F51.4', 'F35.2'],
    of: 'a Node of EKS, in a pile without pods',
  },
  {
    seed: 2174,
    nodes: 4,
    hours: 0.175,
    faults: ['F61.1'],
    of: 'the same as of 1767 on another release',
  },
  {
    seed: 2206,
    nodes: 4,
    hours: 0.7,
    faults: ['F47.1', 'F66.1', 'F42.1'],
    of: 'a log in an archive, beside a hanging runtime',
  },
  {
    seed: 2444,
    nodes: 4,
    hours: 0.175,
    faults: ['F13.1'],
    of: 'addresses of pods that a restored backup took off their machine',
  },
  {
    seed: 2632,
    nodes: 2,
    hours: 0.7,
    faults: ['F62.1', 'F51.1'],
    of: 'kubelets that aws-auth does not know for a while',
  },
  {
    seed: 50526,
    nodes: 4,
    hours: 0.7,
    faults: ['F46.1', 'F50.1', 'F65.1'],
    of: 'a full Node beside one whose disk is full and one that is drained',
  },
  {
    seed: 50928,
    nodes: 4,
    hours: 0.175,
    faults: ['F52.1'],
    of: 'a full Node beside machines of which EC2’s answer is missing',
  },
  {
    seed: 62055,
    nodes: 1,
    hours: 0.5,
    faults: ['F54.1'],
    of: 'the only machine of a VPC, whose name EC2 does not show for a while',
  },
  {
    seed: 71013,
    nodes: 12,
    hours: 2,
    faults: ['F41.5', 'F68.1'],
    of: 'a pod of calico that came anew to a node which had been Ready',
  },
  {
    seed: 90812,
    nodes: 1,
    hours: 0.088,
    faults: ['F49.1'],
    of: 'a node for which nobody makes the pods of DaemonSets',
  },
  {
    seed: 90850,
    nodes: 4,
    hours: 0.05,
    faults: ['F51.1'],
    of: 'a young Node whose instance EC2 does not show yet',
  },
  {
    seed: 92304,
    nodes: 3,
    hours: 0.7,
    faults: ['F37.1'],
    of: 'a Node that is back since seconds, with pods to end of before',
  },
  {
    seed: 150917,
    nodes: 1,
    hours: 0.35,
    faults: ['F49.1'],
    of: 'requests to serve that nobody approves either',
  },
  {
    seed: 160939,
    nodes: 4,
    hours: 0.15,
    faults: ['F52.1'],
    of: 'logs of more machines than the scheduler counts',
  },
];

describe('a machine that is well is not called broken for', () => {
  for (const { seed, nodes, hours, faults, of } of ALARMS)
    test(of, async () => {
      const alarms: string[] = [];
      let judged = 0;
      await runSeed({
        seed,
        wishes: { nodes, hours, faults },
        bug: null,
        onJudged({ judgement, subject, named }, { way }) {
          judged++;
          if (judgement === 'alarm' || judgement === 'wrong')
            alarms.push(`${way}: ${subject} ${judgement} ${named.join()}`);
        },
      });
      assert.ok(judged > nodes, `${judged} judgements`);
      assert.deepEqual(alarms, []);
    });
});

test('L-08: a restarted watcher owes nothing of pods that came and went while its watch had ended', async () => {
  const wishes = { nodes: 3, hours: 0.486, faults: ['F49.1', 'F29.1', 'F22.1'] };
  const { result } = await runSeed({ seed: 492, wishes, bug: null });
  assert.deepEqual(
    result.happened.map(({ name }) => name),
    wishes.faults,
  );
  assert.deepEqual(result.violations, []);
});

describe('nothing wrong is named for', () => {
  for (const { seed, nodes, hours, faults, of } of WRONG)
    test(`${of} (seed ${seed})`, async () => {
      const { result } = await runSeed({ seed, wishes: { nodes, hours, faults }, bug: null });
      assert.deepEqual(
        result.happened.map(({ name }) => name),
        faults,
      );
      assert.ok(result.counts.looks > 1);
      assert.deepEqual(result.violations, []);
    });
});
