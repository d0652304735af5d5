import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startControlPlane } from './control-plane.ts';
import { kubeTables, writeTables } from './kube-tables.ts';
import { missing } from './parts.ts';

const skip = missing('kube-apiserver', 'etcd');
const IS_WRITING = process.env['ROLLCALL_WRITE_KUBE_TABLES'] === '1';

test('the tables of the simulated API server are those of the real one', {
  skip,
}, async (context) => {
  const plane = await startControlPlane();
  context.after(() => plane.stop());
  const tables = await kubeTables(plane);
  if (IS_WRITING) writeTables(tables);
  for (const { path, text } of tables)
    assert.ok(
      readFileSync(path, 'utf8') === text,
      `${path} is not what this server says; write it: ROLLCALL_WRITE_KUBE_TABLES=1 node --test test/real/kube-tables.test.ts`,
    );
});
