import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RollCallRow } from '../../diagnosis/roll-call/document.ts';
import type { JsonObject } from '../../evidence/json.ts';
import { NODE_REPORTS, readReport, reportName, statusOf } from './report.ts';

const ID = 'i-0123456789abcdef0';

const ROW: RollCallRow = {
  name: 'web-1',
  instanceId: ID,
  node: 'ip-10-0-0-1.ec2.internal',
  group: { kind: 'none', name: null },
  instanceType: null,
  zone: null,
  image: null,
  launchedAt: null,
  stage: 'networked',
  verdict: 'not-usable',
  headline: { cause: 'cni-not-ready', stage: 'networked', confidence: 'likely', subject: ID },
  risks: [],
  note: 'two Nodes',
};

describe('the report of a machine', () => {
  test('is a NodeReport of rollcall.dev/v1alpha1, without a namespace', () => {
    assert.deepEqual(NODE_REPORTS, {
      group: 'rollcall.dev',
      version: 'v1alpha1',
      plural: 'nodereports',
      kind: 'NodeReport',
      isNamespaced: false,
    });
  });

  test('is named after its instance, else its Node, else the name of the row', () => {
    assert.equal(reportName(ROW), ID);
    assert.equal(reportName({ ...ROW, instanceId: null }), 'ip-10-0-0-1.ec2.internal');
    assert.equal(reportName({ ...ROW, instanceId: null, node: null }), 'web-1');
  });

  const named = (name: string) => reportName({ ...ROW, instanceId: null, node: null, name });

  test('has a name that an object can have', () => {
    for (const name of ['a', '0', 'a.b-c', 'a'.repeat(253)]) assert.equal(named(name), name);
    for (const name of ['', 'A', 'a b', '-a', 'a-', '.a', 'a.', 'a/b', 'a\n', 'a'.repeat(254)])
      assert.equal(named(name), null, name);
    assert.equal(reportName({ ...ROW, instanceId: 'Not A Name' }), 'ip-10-0-0-1.ec2.internal');
  });

  test('has the verdict, stage, cause, confidence and names of its row', () => {
    assert.deepEqual(statusOf(ROW), {
      verdict: 'not-usable',
      stage: 'networked',
      cause: 'cni-not-ready',
      confidence: 'likely',
      node: 'ip-10-0-0-1.ec2.internal',
      instanceId: ID,
      note: 'two Nodes',
    });
  });

  test('has no cause where the row has none, and a bounded note', () => {
    const { cause, confidence, note } = statusOf({ ...ROW, headline: null, note: null });
    assert.deepEqual([cause, confidence, note], [null, null, null]);
    assert.equal(statusOf({ ...ROW, note: 'x'.repeat(1025) }).note, 'x'.repeat(1024));
  });
});

describe('a NodeReport of the cluster', () => {
  const metadata = { name: ID, uid: 'u-1', resourceVersion: '7' };
  const status = {
    verdict: 'usable',
    stage: 'ready',
    cause: 'none',
    confidence: 'certain',
    node: 'n1',
    instanceId: ID,
    note: 'hm',
    since: '2026-03-01T12:00:00Z',
    goneSince: '2026-03-01T13:00:00Z',
  };
  const read = (object: JsonObject) => readReport(object);

  test('is read with its whole status', () => {
    assert.deepEqual(read({ metadata, status }), { ...metadata, status });
  });

  test('has no status before it has a verdict and its time', () => {
    assert.equal(read({ metadata, status: { ...status, verdict: null } })?.status, null);
    assert.equal(read({ metadata, status: { ...status, since: null } })?.status, null);
  });

  for (const key of ['name', 'uid', 'resourceVersion'])
    test(`is not read without its ${key}`, () => {
      assert.equal(read({ metadata: { ...metadata, [key]: null }, status }), null);
    });
});
