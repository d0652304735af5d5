import assert from 'node:assert/strict';
import test from 'node:test';
import { reservedLabelsOf } from './kubelet-labels.ts';

const script = (flags: string): string =>
  `#!/bin/bash\n/etc/eks/bootstrap.sh lab --kubelet-extra-args '${flags}'\n`;

test('labels that kubelets refuse to give themselves are named', () => {
  const flags = '--node-labels=node-role.kubernetes.io/worker=,team=a,x.k8s.io/y=1 --v=2';
  assert.deepEqual(reservedLabelsOf(script(flags)), [
    'node-role.kubernetes.io/worker',
    'x.k8s.io/y',
  ]);
});

test('accepts labels of their domains, of others and well-known ones', () => {
  const labels = [
    'node.kubernetes.io/lifecycle=spot',
    'a.kubelet.kubernetes.io/b=c',
    'topology.kubernetes.io/zone=eu-west-1a',
    'kubernetes.io/os=linux',
    'eks.amazonaws.com/nodegroup=a',
    'plain=1',
  ];
  assert.deepEqual(reservedLabelsOf(script(`--node-labels=${labels.join(',')}`)), []);
});

test('ignores incomplete label keys', () => {
  for (const name of ['${ROLE}', '', 'a+b', '-a', 'a'.repeat(64)])
    assert.deepEqual(
      reservedLabelsOf(script(`--node-labels=node-role.kubernetes.io/${name}=a`)),
      [],
    );
});

test('a comment gives no label', () => {
  const text = '#!/bin/bash\n# --node-labels=node-role.kubernetes.io/worker=\n';
  assert.deepEqual(reservedLabelsOf(text), []);
});
