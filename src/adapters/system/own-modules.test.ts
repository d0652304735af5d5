import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const HOOK = pathToFileURL(join(import.meta.dirname, 'own-modules.ts')).href;

/** What a program prints that finds its own modules and then loads `main.ts`. */
function printedBy(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'own modules %41 '));
  try {
    writeFileSync(
      join(folder, 'start.mjs'),
      `import { findOwnModules } from '${HOOK}'; findOwnModules(); await import('./main.ts');`,
    );
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const program = ['--disable-warning=ExperimentalWarning', join(folder, 'start.mjs')];
    const { stdout, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8' });
    return stdout.trim() === '' ? stderr : stdout.trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('own modules', () => {
  test('are found by relative paths, in folders of any name, beside all others', () => {
    const files = {
      'main.ts': `
        import { sep } from 'node:path';
        import { one } from './one.ts';
        import data from './data.json' with { type: 'json' };
        const { two }: { two: number } = await import('./two.mjs');
        const same = await import('./one.ts');
        console.log(sep, one satisfies number, data, two, same.one === one);`,
      'one.ts': 'export const one: number = 1;',
      'two.mjs': 'export const two = 2;',
      'data.json': '3',
    };
    assert.equal(printedBy(files), '/ 1 3 2 true');
  });

  test('that do not exist are named', () => {
    assert.match(printedBy({ 'main.ts': `import './gone.ts';` }), /ENOENT.*gone\.ts/);
  });
});
