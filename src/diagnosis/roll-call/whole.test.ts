import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Observations } from '../../evidence/observations.ts';
import type { RollCallDocument, RollCallRow } from './document.ts';
import { areRowsWhole, withUnread } from './whole.ts';

type Given = Pick<Observations, 'listings' | 'collection'>;

function given(isListed: boolean, refused: readonly string[]): Given {
  const refusals = refused.map((call) => ({
    call,
    message: '',
    failure: 'denied' as const,
    permission: null,
  }));
  return {
    listings: isListed
      ? [{ kind: 'kube/Node', container: null } as unknown as Observations['listings'][number]]
      : [],
    collection: { atMs: 0, cluster: null, asked: [], refusals, shortened: [] },
  };
}

test('rows are whole where Nodes are listed, and instances where AWS is asked', () => {
  assert.ok(areRowsWhole(given(true, []), true));
  assert.ok(!areRowsWhole(given(false, []), false));
  assert.ok(!areRowsWhole(given(true, ['ec2:DescribeInstances']), true));
  assert.ok(areRowsWhole(given(true, ['ec2:DescribeInstances']), false));
});

function rollCall(names: readonly string[]): RollCallDocument {
  const rows = names.map((name) => ({ name, instanceId: null }) as unknown as RollCallRow);
  return { rows, cluster: [] } as unknown as RollCallDocument;
}

test('machines that could not be read stay as they were', () => {
  const known = withUnread(rollCall(['a', 'b']), rollCall(['b', 'c']));
  assert.deepEqual(
    known.rows.map(({ name }) => name),
    ['b', 'c', 'a'],
  );
});
