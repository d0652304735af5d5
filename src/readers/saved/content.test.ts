import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../evidence/json.ts';
import { EVIDENCE_VERSION as apiVersion } from '../evidence-version.ts';
import { compileSigns } from '../sign-table.ts';
import { type Clean, savedContent } from './content.ts';

const NO_SIGNS = compileSigns([]);
const asItIs: Clean = (kept) => kept;

function saved(content: Json | string, clean?: Clean): { saved: Json | string; left: object } {
  const left = new Map<string, number>();
  return { saved: savedContent(content, NO_SIGNS, left, clean), left: Object.fromEntries(left) };
}

describe('what is saved of a document', () => {
  test('an object of Kubernetes keeps what causes read of its kind', () => {
    const lease = { apiVersion: 'v1', kind: 'Lease', spec: { renewTime: 'now', other: 'planted' } };
    assert.deepEqual(saved(lease).saved, { ...lease, spec: { renewTime: 'now' } });
  });

  test('a list keeps that of each item; a kind that only ends like one is an object', () => {
    const item = { spec: { renewTime: 'now', other: 'planted' } };
    const list = { apiVersion: 'v1', kind: 'LeaseList', items: [item] };
    assert.deepEqual(saved(list).saved, { ...list, items: [{ spec: { renewTime: 'now' } }] });
    const allowList = { apiVersion: 'v1', kind: 'AllowList', items: 'planted' };
    assert.deepEqual(saved(allowList).saved, { apiVersion: 'v1', kind: 'AllowList' });
    const lease = { apiVersion: 'v1', kind: 'Lease', items: [{ spec: 'planted' }], spec: {} };
    assert.deepEqual(saved(lease).saved, { apiVersion: 'v1', kind: 'Lease', spec: {} });
  });

  test('an answer of AWS keeps its call and what causes read of it', () => {
    const answer = { Vpcs: [{ VpcId: 'vpc-1', other: 'planted' }] };
    const call = { apiVersion, kind: 'AwsAnswer', call: 'ec2:DescribeVpcs', input: {}, answer };
    assert.deepEqual(saved(call).saved, { ...call, answer: { Vpcs: [{ VpcId: 'vpc-1' }] } });
    const { answer: _, ...none } = call;
    assert.deepEqual(saved(none).saved, { ...none, answer: {} });
  });

  test('of user data only its facts are saved, of the instance that the answer or the call names', () => {
    const UserData = { Value: btoa('#!/bin/sh\nPASSPHRASE=planted\n') };
    for (const [answer, input, instanceId] of [
      [{ InstanceId: 'i-1', UserData }, { InstanceId: 'i-2' }, 'i-1'],
      [{ UserData }, { InstanceId: 'i-2' }, 'i-2'],
      [{ UserData }, {}, ''],
    ] as const) {
      const call = { apiVersion, kind: 'AwsAnswer', call: 'c', input, answer };
      const { saved: value, left } = saved(call);
      const { kind, given } = value as {
        kind: string;
        given: { instanceId: string; form: string };
      };
      assert.deepEqual([kind, given.instanceId, given.form], ['UserData', instanceId, 'script']);
      assert.deepEqual(left, { 'lines of user data': 2 });
      assert.ok(!JSON.stringify(value).includes('planted'));
    }
  });

  test('other documents of ours, and what is not an object of Kubernetes, stay whole', () => {
    for (const content of [
      { apiVersion, kind: 'Collection', at: '2026-11-24T00:00:00Z', asked: ['node-1'] },
      { kind: 'Lease', spec: { other: 'stays' } },
      { apiVersion: 'v1', spec: { other: 'stays' } },
      ['a', 'b'],
      'a line',
    ])
      assert.deepEqual(saved(content), { saved: content, left: {} });
  });
});

describe('secrets in what is kept', () => {
  test('are taken out of texts, of names and of values, and counted', () => {
    const secret = 'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY';
    const line = saved(`export ${secret}`);
    assert.ok(!JSON.stringify(line.saved).includes('wJalr'), JSON.stringify(line.saved));
    assert.deepEqual(line.left, { 'secrets in texts': 1 });
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { labels: { a: secret, [secret]: 'b' } },
    };
    const { saved: value, left } = saved(node);
    assert.ok(!JSON.stringify(value).includes('wJalr'), JSON.stringify(value));
    assert.deepEqual(left, { 'secrets in texts': 2 });
  });

  test('another cleaner may be given, which sees what is kept alone', () => {
    const node = { apiVersion: 'v1', kind: 'Node', data: 'planted' };
    assert.deepEqual(saved(node, asItIs).saved, { apiVersion: 'v1', kind: 'Node' });
    assert.deepEqual(saved('a', () => '‹redacted› ‹redacted›').left, { 'secrets in texts': 2 });
  });
});
