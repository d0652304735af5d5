/** Which network interfaces may be deleted: each proof alone keeps one (I-20, I-21). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decide } from '../../../src/controllers/eni-janitor/decide.ts';
import type { EniRules, EniScan, EniVerdict } from '../../../src/controllers/eni-janitor/facts.ts';
import { looseInterfaceOf } from '../../../src/controllers/eni-janitor/loose-interface.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import { CLUSTER, ENI, INSTANCE, leakedItem } from './interfaces.ts';

const MINUTE_MS = 60_000;
const NOW_MS = Date.parse('2026-11-22T12:00:00Z');
const OLD = '2026-11-22T11:00:00Z';
const RULES: EniRules = { ageMs: 30 * MINUTE_MS, apartMs: 5 * MINUTE_MS, most: 2 };
const SEEN = new Map([[ENI, 0]]);

function scanOf(items: readonly JsonObject[], more: Partial<EniScan> = {}): EniScan {
  return {
    nowMs: NOW_MS,
    monotonicMs: RULES.apartMs,
    cluster: CLUSTER,
    interfaces: items.map(looseInterfaceOf).filter((one) => one !== null),
    instances: new Map(),
    nodeInstances: new Set(),
    ...more,
  };
}

function verdictOf(
  item: JsonObject,
  more: Partial<EniScan> = {},
  sights: ReadonlyMap<string, number> = SEEN,
): EniVerdict | undefined {
  return decide(scanOf([item], more), sights, RULES).judged[0]?.verdict;
}

const OTHER = 'i-0fedcba9876543210';
const CREATED = 'node.k8s.amazonaws.com/createdAt';

const ITEMS: readonly (readonly [string, JsonObject, EniVerdict])[] = [
  ['with all proof goes', leakedItem(OLD), 'delete'],
  ['of a CNI before 1.20 goes', leakedItem(OLD, { 'eks:eni:owner': null }), 'delete'],
  [
    'with the older tag of the cluster goes',
    leakedItem(OLD, {
      'cluster.k8s.amazonaws.com/name': null,
      [`kubernetes.io/cluster/${CLUSTER}`]: 'owned',
    }),
    'delete',
  ],
  [
    'without a tag of a cluster stays',
    leakedItem(OLD, { 'cluster.k8s.amazonaws.com/name': null }),
    'unproven',
  ],
  [
    'of another cluster stays',
    leakedItem(OLD, { 'cluster.k8s.amazonaws.com/name': 'other' }),
    'kept',
  ],
  ['of two clusters stays', leakedItem(OLD, { 'kubernetes.io/cluster/other': 'owned' }), 'kept'],
  [
    'of another creator stays',
    leakedItem(OLD, { 'eks:eni:owner': 'eks-vpc-resource-controller' }),
    'unproven',
  ],
  [
    'with another instance in its tag stays',
    leakedItem(OLD, { 'node.k8s.amazonaws.com/instance_id': OTHER }),
    'unproven',
  ],
  ['with another description stays', leakedItem(OLD, {}, { Description: 'mine' }), 'unproven'],
  [
    'that is not to be managed stays',
    leakedItem(OLD, { 'node.k8s.amazonaws.com/no_manage': 'true' }),
    'kept',
  ],
  ['that is used stays', leakedItem(OLD, {}, { Status: 'in-use' }), 'kept'],
  ['without a status stays', leakedItem(OLD, {}, { Status: null }), 'kept'],
  [
    'with an attachment stays',
    leakedItem(OLD, {}, { Attachment: { InstanceId: INSTANCE, Status: 'detaching' } }),
    'kept',
  ],
  ['that is young stays', leakedItem('2026-11-22T11:31:00Z'), 'kept'],
  ['from the future stays', leakedItem('2027-11-22T11:31:00Z'), 'kept'],
  ['without a time stays', leakedItem(OLD, { [CREATED]: null }), 'unproven'],
];

describe('an interface', () => {
  for (const [title, item, verdict] of ITEMS)
    test(title, () => assert.equal(verdictOf(item), verdict));

  for (const time of ['', 'yesterday', '2026', '0', '2026-11-22', '2026-13-45T00:00:00Z', '1e3'])
    test(`with the time ${JSON.stringify(time)} stays`, () => {
      assert.equal(verdictOf(leakedItem(time)), 'unproven');
    });

  test('of an instance that EC2 still lists stays', () => {
    for (const state of ['running', 'stopped', 'pending', 'shutting-down', ''])
      assert.equal(verdictOf(leakedItem(OLD), { instances: new Map([[INSTANCE, state]]) }), 'kept');
    const ended = new Map([[INSTANCE, 'terminated']]);
    assert.equal(verdictOf(leakedItem(OLD), { instances: ended }), 'delete');
  });

  test('of an instance that a Node names stays', () => {
    assert.equal(verdictOf(leakedItem(OLD), { nodeInstances: new Set([INSTANCE]) }), 'kept');
  });

  test('needs two looks that are apart', () => {
    assert.equal(verdictOf(leakedItem(OLD), {}, new Map()), 'seen-once');
    const close = { monotonicMs: RULES.apartMs - 1 };
    assert.equal(verdictOf(leakedItem(OLD), close), 'seen-once');
  });

  test('that was used in between begins again', () => {
    const used = decide(scanOf([leakedItem(OLD, {}, { Status: 'in-use' })]), SEEN, RULES);
    assert.equal(verdictOf(leakedItem(OLD), {}, used.sights), 'seen-once');
    const unlisted = decide(scanOf([]), SEEN, RULES);
    assert.equal(verdictOf(leakedItem(OLD), {}, unlisted.sights), 'seen-once');
  });
});

test('the budget is not exceeded', () => {
  const items = ['a', 'b', 'c'].map((letter) => ({
    ...leakedItem(OLD),
    NetworkInterfaceId: `eni-${letter}`,
  }));
  const sights = new Map(items.map((one) => [one.NetworkInterfaceId, 0]));
  const { judged } = decide(scanOf(items), sights, RULES);
  assert.deepEqual(
    judged.map(({ verdict }) => verdict),
    ['delete', 'delete', 'over-budget'],
  );
});
