import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { labelColumns } from './label-columns.ts';

function keysOf(above: string, ...titles: readonly string[]): readonly string[] {
  return labelColumns(titles, above).map(({ key, isAsked }) => `${key}${isAsked ? '' : '?'}`);
}

describe('columns of labels', () => {
  test('are those that the command asks for', () => {
    assert.deepEqual(keysOf('$ kubectl get nodes -L a.example/team,workload', 'TEAM', 'WORKLOAD'), [
      'a.example/team',
      'workload',
    ]);
    assert.deepEqual(keysOf('kubectl get no -Lteam --label-columns=b/zone', 'TEAM', 'ZONE'), [
      'team',
      'b/zone',
    ]);
  });

  test('are known by title where no command is shown', () => {
    assert.deepEqual(keysOf('', 'NAME', 'ZONE', 'HAS-TRUNK-ATTACHED', 'WORKLOAD'), [
      'topology.kubernetes.io/zone?',
      'vpc.amazonaws.com/has-trunk-attached?',
    ]);
  });

  test('are left out where two have one title', () => {
    assert.deepEqual(keysOf('$ kubectl get nodes -L a/zone,b/zone', 'ZONE', 'ZONE'), []);
    assert.deepEqual(keysOf('$ kubectl get nodes -L a/version', 'VERSION', 'VERSION'), []);
  });
});
