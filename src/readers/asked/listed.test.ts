import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listPrinted } from './listed.ts';

describe('a list of one object', () => {
  test('is a row an item', () => {
    const taints = '{range .spec.taints[*]}{.key}={.value}:{.effect}{"\\n"}{end}';
    assert.deepEqual(listPrinted(taints, ['a/b=:NoSchedule', 'c=d:NoExecute', '$ exit']), {
      path: '.spec.taints',
      items: [
        { key: 'a/b', effect: 'NoSchedule' },
        { key: 'c', value: 'd', effect: 'NoExecute' },
      ],
    });
    const tabs = '{range .status.conditions[*]}- {.type}{"\\t"}{.status}{"\\n"}{end}{"\\n"}';
    assert.deepEqual(listPrinted(tabs, ['- Ready\tFalse'])?.items, [
      { type: 'Ready', status: 'False' },
    ]);
  });

  test('is words of a member', () => {
    assert.deepEqual(listPrinted('{.spec.taints[*].key}', ['a/b c']), {
      path: '.spec.taints',
      items: [{ key: 'a/b' }, { key: 'c' }],
    });
    assert.deepEqual(listPrinted('{.spec.taints[*].key}', [])?.items, []);
  });

  test('is not read from templates that leave open where a value ends', () => {
    for (const template of [
      '{range .spec.taints[*]}{.key}{.effect}{"\\n"}{end}',
      '{range .items[*]}{.metadata.name}{"\\n"}{end}',
      '{range .spec.taints[*]}{.key} {end}',
      '{.spec.taints[0].key}',
    ])
      assert.equal(listPrinted(template, ['a']), null, template);
  });
});
