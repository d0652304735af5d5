import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SubjectReport } from '../document.ts';
import { findingOf, reportOf } from '../testing.ts';
import { namesOf, sharedNames } from './known-names.ts';

const line = (excerpt: string) => ({ source: 'kubelet', locator: '', excerpt, time: null });

/** Names that a line of evidence tells. */
function told(excerpt: string, change: Partial<SubjectReport> = {}) {
  const findings = [findingOf('c', 'networked', { evidence: [line(excerpt)] })];
  return namesOf(reportOf('web-1', { findings, ...change }));
}

describe('a name in place of a placeholder', () => {
  for (const [title, excerpt, names] of [
    ['the cluster', 'clusterName: shop-1, x', { cluster: 'shop-1' }],
    ['the cluster in JSON', '"cluster-name": "shop"', { cluster: 'shop' }],
    ['the cluster of a tag', 'kubernetes.io/cluster/shop=owned', { cluster: 'shop' }],
    [
      'the API server',
      'Get "https://a-1.b.example.com:6443/api/v1/nodes"',
      { 'endpoint-name': 'a-1.b.example.com' },
    ],
    [
      'the API server and its region',
      'Get "https://AB.gr7.eu-west-1.eks.amazonaws.com/apis/x"',
      { region: 'eu-west-1', 'endpoint-name': 'AB.gr7.eu-west-1.eks.amazonaws.com' },
    ],
    [
      'the role of a node',
      'arn:aws:sts::1:assumed-role/web_+=,.@-x/i-0123456789abcdef0 is not',
      { 'node-role': 'web_+=,.@-x' },
    ],
    ['nothing', 'https://10.0.0.1/api/v1 mycluster-name x', {}],
  ] as const)
    test(`evidence reports ${title}`, () => assert.deepEqual(told(excerpt), names));

  test('that a controller reports is not a node’s role', () => {
    const excerpt = 'arn:aws:sts::1:assumed-role/web/i-0123456789abcdef0';
    assert.deepEqual(told(excerpt, { kind: 'Cluster', name: 'shop' }), {});
  });

  test('the ladder reports it too', () => {
    const rung = {
      stage: 'networked' as const,
      state: 'passed' as const,
      since: null,
      evidence: [line('clusterName=shop')],
    };
    assert.deepEqual(namesOf(reportOf('web-1', { ladder: [rung] })), { cluster: 'shop' });
  });

  for (const [name, names] of [
    [
      'ip-10-0-1-5.eu-west-1.compute.internal',
      { node: 'ip-10-0-1-5.eu-west-1.compute.internal', region: 'eu-west-1' },
    ],
    ['ip-10-0-1-5.ec2.internal', { node: 'ip-10-0-1-5.ec2.internal', region: 'us-east-1' }],
    [
      'i-0123456789abcdef0.us-gov-west-1.compute.internal',
      {
        node: 'i-0123456789abcdef0.us-gov-west-1.compute.internal',
        instance: 'i-0123456789abcdef0',
        region: 'us-gov-west-1',
      },
    ],
    ['i-0123456789abcdef0', { instance: 'i-0123456789abcdef0' }],
    ['web-1.eu-west-1.compute.internal.example', {}],
    ['web-1', {}],
  ] as const)
    test(`is in the machine’s name ${name}`, () =>
      assert.deepEqual(namesOf(reportOf(name)), names));

  test('is that of the machine’s Node and instance', () => {
    const names = namesOf(reportOf('x', { node: 'node00', instanceId: 'i-1' }));
    assert.deepEqual(names, { node: 'node00', instance: 'i-1' });
  });
});

describe('names of all subjects', () => {
  const shared = (...subjects: readonly SubjectReport[]) =>
    sharedNames({ subjects } as unknown as Parameters<typeof sharedNames>[0]);
  const cluster = { ...reportOf('shop'), kind: 'Cluster' as const };
  const here = { node: 'node00', instanceId: 'i-1' };
  const of = (name: string) => ({
    findings: [findingOf('c', 'networked', { evidence: [line(`clusterName=${name}`)] })],
  });

  test('are those of the only machine', () => {
    assert.deepEqual(shared(reportOf('a', here), cluster), { node: 'node00', instance: 'i-1' });
  });

  test('are of several machines those in which they agree, and no machine', () => {
    assert.deepEqual(shared(reportOf('a', here), reportOf('b')), {});
    const agree = [reportOf('a', { ...here, ...of('shop') }), reportOf('b', of('shop'))];
    assert.deepEqual(shared(...agree), { cluster: 'shop' });
    assert.deepEqual(shared(reportOf('a', of('shop')), reportOf('b', of('other'))), {});
  });
});
