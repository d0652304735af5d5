import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FactRecord, Observations } from '../../evidence/observations.ts';
import { kubeadmEndpoints } from './kubeadm-status.ts';

function seen(ClusterStatus: string | null, namespace = 'kube-system'): Observations {
  const entries = ClusterStatus === null ? {} : { ClusterStatus };
  const identity = { kind: 'ConfigMap', namespace, name: 'kubeadm-config', uid: null };
  const fact: FactRecord = {
    kind: 'kube/ConfigMap',
    value: { ...identity, labels: {}, annotations: {}, data: entries },
    by: 'test',
    extent: 'whole' as const,
    locator: 'test',
    moment: { when: null, at: { document: 0, line: 1 }, isState: true },
    about: [],
  };
  const nothing = { documents: [], hits: [], links: [], listings: [], losses: [], troubled: [] };
  return { ...nothing, facts: [fact], collection: null };
}

const STATUS = `apiEndpoints:
  ip-10-0-0-1:
    advertiseAddress: 10.0.0.1
    bindPort: 6443
  node-b.internal: {advertiseAddress: 10.0.0.2}
apiVersion: kubeadm.k8s.io/v1beta2
kind: ClusterStatus
`;

test('the control planes of ClusterStatus are named', () => {
  assert.deepEqual(kubeadmEndpoints(seen(STATUS)), ['ip-10-0-0-1', 'node-b.internal']);
});

const NOTHING: readonly (readonly [string, Observations])[] = [
  ['a ConfigMap of another namespace', seen(STATUS, 'default')],
  ['a release that keeps none', seen(null)],
  ['no endpoints', seen('apiEndpoints: []\n')],
  ['broken YAML', seen('apiEndpoints: {a: [')],
  ['a text over the limit', seen(`${STATUS}#${'x'.repeat(64 * 1024)}`)],
];

for (const [title, observations] of NOTHING)
  test(`${title} names none`, () => {
    assert.equal(kubeadmEndpoints(observations), undefined);
  });
