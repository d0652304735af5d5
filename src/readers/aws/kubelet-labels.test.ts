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

for (const [flags, keys] of [
  ['--node-labels=kubernetes.io/role=a', ['kubernetes.io/role']],
  ['--node-labels   k8s.io/role=a', ['k8s.io/role']],
  ['--node-labels "k8s.io/role=a"', ['k8s.io/role']],
  ['--node-labels=k8s.io/a=1,k8s.io/a=2 --node-labels=k8s.io/b=', ['k8s.io/a', 'k8s.io/b']],
  ['--node-labels=kubernetes.io.example/a=1', []],
  ['--node-labels=mykubernetes.io/a=1', []],
  ['--node-labels=A_B.k8s.io/a=1', []],
  ['--node-labels=node.kubernetes.io.k8s.io/a=1', ['node.kubernetes.io.k8s.io/a']],
  ['--node-labels=my.kubernetes.io/hostname=a', ['my.kubernetes.io/hostname']],
  ['--node-labels=kubernetes.io/hostnames=a', ['kubernetes.io/hostnames']],
  ['--node-labels=beta.kubernetes.io/os=a,failure-domain.beta.kubernetes.io/zone=b', []],
  ['--node-label=k8s.io/a=1', []],
] as const)
  test(`${flags} gives ${keys.join(' and ') || 'none'}`, () => {
    assert.deepEqual(reservedLabelsOf(`kubelet ${flags}`), keys);
    assert.deepEqual(reservedLabelsOf(`   # kubelet ${flags}`), []);
  });

test('at most twenty labels are named', () => {
  const labels = Array.from({ length: 30 }, (_, index) => `k8s.io/a${index}=`);
  assert.equal(reservedLabelsOf(`--node-labels=${labels.join(',')}`).length, 20);
});
