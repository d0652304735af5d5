import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { kubeletArgumentsOf } from './kubelet-arguments.ts';

describe('flags that user data passes to the kubelet', () => {
  for (const [what, text, flags] of [
    [
      'in the extra arguments of bootstrap.sh, without its own',
      `/etc/eks/bootstrap.sh shop --container-runtime containerd --kubelet-extra-args '--max-pods=20 --node-labels=a=b'`,
      ['max-pods', 'node-labels'],
    ],
    [
      'in the list of a NodeConfig',
      'spec:\n  kubelet:\n    flags:\n      - "--node-labels=a=b"\n',
      ['node-labels'],
    ],
    ['and not in a comment', `# --kubelet-extra-args '--max-pods=20'`, []],
  ] as const)
    test(what, () => {
      const read = kubeletArgumentsOf(text).kubeletFlags;
      assert.deepEqual([...read], [...flags]);
    });

  test('are 50 at most', () => {
    const many = Array.from({ length: 80 }, (_, index) => `--flag-${index}=1`).join(' ');
    assert.equal(kubeletArgumentsOf(`--kubelet-extra-args '${many}'`).kubeletFlags.length, 50);
  });
});

describe('the most pods that user data allows', () => {
  for (const [what, text, count] of [
    ['by the flag', `--kubelet-extra-args '--max-pods=110'`, 110],
    ['by the field of a NodeConfig', '  kubelet:\n    config:\n      maxPods: 29\n', 29],
    ['not by a variable', `--kubelet-extra-args "--max-pods=$MAX"`, null],
    ['not by a comment', '# maxPods: 29', null],
  ] as const)
    test(what, () => assert.equal(kubeletArgumentsOf(text).maxPods, count));
});
