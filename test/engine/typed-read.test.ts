import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineCause } from '../../src/diagnosis/cause.ts';

const BARE = {
  id: 'a',
  stage: 'launched',
  title: 'a',
  scope: 'machine',
  symptoms: [],
  summary: () => '',
  remedy: () => [],
  decide: { text: '', command: null },
  page: { why: '', prevent: '', notThis: '', refs: [] },
} as const;

test('a cause that reads what it did not declare does not compile', () => {
  const cause = defineCause({
    ...BARE,
    needs: ['kube/Node'],
    signs: {
      declared: { in: ['kubelet'], anchors: ['words'], pattern: /words/, weight: 'definite' },
    },
    match(view) {
      view.read('kube/Node');
      view.sign('declared');
      // @ts-expect-error the kind is not among `needs`
      view.read('aws/instance');
      // @ts-expect-error the kind is not among `needs`
      view.list('kube/Pod');
      // @ts-expect-error no sign has this name
      view.sign('undeclared');
      return null;
    },
  });
  assert.deepEqual(cause.needs, ['kube/Node']);
});
