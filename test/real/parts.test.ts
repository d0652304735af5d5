import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { missing, partPath } from './parts.ts';

test('a part that is missing is named with the command that builds it', (t) => {
  const empty = mkdtempSync(join(tmpdir(), 'rollcall-parts-'));
  t.after(() => rmSync(empty, { recursive: true }));
  process.env['ROLLCALL_REAL_PARTS'] = empty;
  process.env['KUBEBUILDER_ASSETS'] = '';
  assert.equal(
    missing('kube-apiserver', 'etcd'),
    'kube-apiserver is not built; run: npm run real-parts',
  );
  assert.equal(missing('moto'), 'moto is not built; run: npm run real-parts');
  assert.equal(
    missing('1.37.0'),
    'aws-cloud-controller-manager-1.37.0 is not built; run: npm run real-parts',
  );
  assert.throws(() => partPath('etcd'), /^Error: etcd is not built; run: npm run real-parts$/);
  assert.equal(missing(), false);
});
