import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparable } from './commands.ts';

const FOLDER = '/tmp/rollcall-kubectl';

function shown(out: string): string {
  return comparable({ code: 0, out, err: '' }, FOLDER);
}

test('names drawn by chance are alike, also where they look like an age', () => {
  for (const drawn of ['x7k2p', '2d47s', '4444m', '5h54s'])
    assert.equal(shown(`  kube-api-access-${drawn}:`), 'exit 0\n TOKEN:');
});

test('ages are alike, times too, and what was said is not', () => {
  assert.equal(shown('web-1   Running   3m12s'), 'exit 0\nweb-1 Running AGE');
  assert.equal(shown('since 2026-11-22T13:15:19.5Z'), 'exit 0\nsince TIME');
  assert.notEqual(shown('web-1   Running   1s'), shown('web-1   Pending   1s'));
});

test('leaves out what the real server reports about its service', () => {
  const own =
    'AGE   Warning   ClusterIPNotAllocated   service/kubernetes   Cluster IP [IPv4]: 10.96.0.1';
  const [started, head] = ['1s   Normal   Started   pod/web-1', 'LAST SEEN   TYPE   REASON'];
  assert.equal(shown(`${head}\n${own}\n${started}\n`), shown(`${head}\n${started}\n`));
  assert.equal(shown(`${head}\n${started}\n${own}\n`), shown(`${head}\n${started}\n`));
});
