/** Each row of docs/gate-compatibility.md names the test that shows it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../../..');
const PAGE = readFileSync(join(ROOT, 'docs/gate-compatibility.md'), 'utf8');
const FOLDERS = ['test/controllers/gate', 'test/real'];

function sources(): string {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.test.ts') && name !== 'compatibility-page.test.ts')
      .map((name) => join(ROOT, folder, name)),
  );
  return paths.map((path) => readFileSync(path, 'utf8')).join('\n');
}

/** Rows of tables whose last column is a test. */
function rows(): readonly (readonly string[])[] {
  const lines = PAGE.split('\n').filter((line) => line.startsWith('| '));
  const cells = lines.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return cells.filter((row) => row.length === 3 && row[2] !== 'test');
}

test('every surface point names a test that exists', () => {
  const text = sources();
  const missing = rows().filter((row) => {
    const name = /^`([^`]+)`$/.exec(row[2] ?? '')?.[1];
    return name === undefined || !text.includes(`'${name}'`);
  });
  assert.deepEqual(missing, []);
  assert.ok(rows().length > 45);
});

test('both programs have a table', () => {
  for (const name of ['nidhogg', 'NodeReadinessRule'])
    assert.match(PAGE, new RegExp(`^## ${name}$`, 'm'));
});
