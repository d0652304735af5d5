/** Nodes under a former name: what proves that nobody has them any more, and what stays. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DELETED_NODE, HOUR_MS, namedNode, nodeScene, type NodeScene } from './node-scene.ts';
import { fixNames } from '../../../src/controllers/fix/name/fix-name.ts';
import { goneProof } from '../../../src/controllers/fix/name/decide.ts';
import { readStanding } from '../../../src/controllers/fix/name/node-standing.ts';
import type { FixStep } from '../../../src/controllers/fix/fix.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import { PortError } from '../../../src/ports/port-error.ts';

const OLD = 'node00.k8s.internal';
const NEW = 'ip-10-0-1-2.ec2.internal';
const ID = 'i-0123456789abcdef0';
const OTHER_ID = 'i-0fedcba9876543210';
const PROVIDER = `aws:///us-west-2a/${ID}`;

interface Laid {
  readonly old?: JsonObject;
  readonly current?: JsonObject | null;
  readonly renewedMs?: number | null;
}

/** A machine that has a new name, with what its Nodes say; and one other machine. */
function renamed({ old = {}, current = {}, renewedMs = 0 }: Laid = {}): NodeScene {
  const at = nodeScene();
  at.layNode(OLD, { providerID: PROVIDER, ready: 'Unknown', ...old });
  if (current !== null) at.layNode(NEW, { providerID: PROVIDER, createdMs: 60_000, ...current });
  at.layNode('other', { providerID: `aws:///us-west-2a/${OTHER_ID}` });
  if (renewedMs !== null) at.renew(OLD, renewedMs);
  at.instances({ [ID]: 'running', [OTHER_ID]: 'running' });
  return at;
}

interface Asked {
  readonly nowAs?: string | null;
  readonly uid?: string;
  readonly most?: number;
  readonly isDryRun?: boolean;
}

async function fixed(at: NodeScene, asked: Asked = {}): Promise<FixStep> {
  const { nowAs = NEW, uid = at.uidOf(OLD), most = 20, isDryRun = false } = asked;
  const repair = { kind: 'delete-node', name: OLD, uid, nowAs, says: 'it was renamed' } as const;
  const targets = [{ cause: 'old-name-node-left-behind', repair }];
  const [step] = await fixNames({ id: 'name-1', isDryRun, targets, most }, at.tools(isDryRun));
  assert.ok(step !== undefined);
  return step;
}

describe('a Node under a former name', () => {
  test('is deleted where both Nodes have one instance id', async () => {
    const at = renamed();
    at.layPod('cart-1', { node: OLD });
    const step = await fixed(at);
    assert.equal(step.outcome, 'written', step.why);
    assert.match(step.why, /both have instance i-0123456789abcdef0\. It is gone/);
    assert.deepEqual(step.diff, [
      `- Node ${OLD} of ${PROVIDER}, whose Lease was last renewed 60 minutes ago`,
      `- Pod shop/cart-1 of ReplicaSet cart on ${OLD}`,
    ]);
    assert.deepEqual(at.nodeNames(), [NEW, 'other']);
    assert.equal(at.notes[0]?.['kind'], DELETED_NODE);
  });

  test('is deleted where both Nodes have one system UUID and no providerID', async () => {
    const own = { providerID: null, systemUUID: 'ec2-1', machineID: 'm' };
    assert.equal((await fixed(renamed({ old: own, current: own }))).outcome, 'written');
  });

  test('is shown in a dry run, and stays', async () => {
    const at = renamed();
    assert.equal((await fixed(at, { isDryRun: true })).outcome, 'would-write');
    assert.deepEqual([at.nodeNames().includes(OLD), at.notes], [true, []]);
  });

  test('that nobody has a Lease of is deleted as well', async () => {
    assert.equal((await fixed(renamed({ renewedMs: null }))).outcome, 'written');
  });

  test('that changed meanwhile is judged again', async () => {
    const at = renamed();
    at.before.push(() => at.layNode(OLD, { providerID: PROVIDER, ready: 'True' }));
    const step = await fixed(at);
    assert.equal(step.outcome, 'refused');
    assert.match(step.why, /It is Ready by now\./);
    assert.ok(at.nodeNames().includes(OLD));
  });

  test('whose deletion got no answer is looked for', async () => {
    const at = renamed();
    at.writes.loseNext(new PortError({ failure: 'unclear', message: 'no answer' }));
    const step = await fixed(at);
    assert.equal(step.outcome, 'written', step.why);
    assert.ok(!at.nodeNames().includes(OLD));
  });
});

describe('a Node under a former name stays', () => {
  const STAYING: readonly (readonly [string, Laid, RegExp])[] = [
    ['that is Ready', { old: { ready: 'True' } }, /It is Ready by now/],
    ['whose Lease is renewed', { renewedMs: HOUR_MS - 240_000 }, /renewed its Lease/],
    ['whose Lease is of the future', { renewedMs: 2 * HOUR_MS }, /renewed its Lease/],
    [
      'of another instance',
      { current: { providerID: `aws:///us-west-2a/${OTHER_ID}` } },
      /Neither one instance id/,
    ],
    [
      'of a cloned image',
      {
        old: { providerID: null, systemUUID: 'a', machineID: 'm' },
        current: { providerID: null, systemUUID: 'b', machineID: 'm' },
      },
      /Neither one instance id/,
    ],
    [
      'of which nothing is told',
      { old: { providerID: null }, current: { providerID: null } },
      /Neither one instance id/,
    ],
    ['that is the newer one', { old: { createdMs: 120_000 } }, /It is newer than/],
    ['whose other Node is gone', { current: null }, /is gone by now/],
    [
      'whose other Node is silent too',
      { current: { ready: 'Unknown', renewedMs: 0 } },
      /silent|not heard of/,
    ],
    [
      'of the control plane',
      { old: { labels: { 'node-role.kubernetes.io/control-plane': '' } } },
      /etcd member/,
    ],
    [
      'with a finalizer',
      { old: { finalizers: ['karpenter.sh/termination'] } },
      /Its finalizer karpenter/,
    ],
  ];
  for (const [what, laid, why] of STAYING)
    test(what, async () => {
      const at = renamed(laid);
      const step = await fixed(at);
      assert.equal(step.outcome, 'refused');
      assert.match(step.why, why);
      assert.deepEqual([at.nodeNames().includes(OLD), at.notes], [true, []]);
    });
});

describe('a Node under a former name also stays', () => {
  test('with a Pod that nobody makes again', async () => {
    const at = renamed();
    at.layPod('by-hand', { node: OLD, owner: null });
    const step = await fixed(at);
    assert.deepEqual(
      [step.outcome, step.commands],
      ['refused', ['kubectl -n shop delete pod by-hand --force']],
    );
  });

  test('that is another by its name', async () => {
    assert.equal((await fixed(renamed(), { uid: 'former' })).outcome, 'not-needed');
  });

  test('once the budget of the hour is used up', async () => {
    const at = renamed();
    const step = await fixed(at, { most: 0 });
    assert.match(step.why, /The budget of this hour is used up/);
    assert.ok(at.nodeNames().includes(OLD));
  });

  test('where its Lease cannot be read', async () => {
    const at = renamed();
    at.api.failNext('get', new PortError({ failure: 'denied', message: 'not allowed' }));
    assert.equal((await fixed(at)).outcome, 'refused');
    assert.ok(at.nodeNames().includes(OLD));
  });
});

describe('a Node of a machine that is gone', () => {
  test('is deleted where EC2 shows its instance as terminated', async () => {
    const at = renamed({ current: null });
    at.instances({ [ID]: 'terminated' });
    const step = await fixed(at, { nowAs: null });
    assert.equal(step.outcome, 'written', step.why);
  });

  test('is deleted where EC2 shows the machines of others alone', async () => {
    const at = renamed({ current: null });
    at.instances({ [OTHER_ID]: 'running' });
    assert.equal((await fixed(at, { nowAs: null })).outcome, 'written');
  });

  const STAYING: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
    ['whose instance is there', { [ID]: 'stopped' }, /as stopped\./],
    ['where EC2 shows nobody', {}, /it may be another account/],
  ];
  for (const [what, states, why] of STAYING)
    test(`stays ${what}`, async () => {
      const at = renamed({ current: null });
      at.instances(states);
      const step = await fixed(at, { nowAs: null });
      assert.equal(step.outcome, 'refused');
      assert.match(step.why, why);
    });

  test('stays where EC2 does not answer', async () => {
    const at = renamed({ current: null });
    at.aws.refuse('ec2:DescribeInstances', 'denied');
    assert.equal((await fixed(at, { nowAs: null })).outcome, 'refused');
  });

  test('is not proven by another region', () => {
    const stale = readStanding(namedNode(OLD, { providerID: PROVIDER }), null);
    assert.ok(stale !== null);
    const states = new Map([[OTHER_ID, 'running']]);
    const proofIn = (region: string): boolean =>
      goneProof({ stale, region, states, neighbours: [OTHER_ID] }).isGone;
    assert.deepEqual([proofIn('us-west-2'), proofIn('us-east-1')], [true, false]);
  });
});
