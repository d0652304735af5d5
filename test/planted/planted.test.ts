import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AUTH_ERRORS } from './auth-errors.ts';
import { CAPACITY_ERRORS } from './capacity-errors.ts';
import { FIX_ERRORS } from './fix-errors.ts';
import { GATE_ERRORS } from './gate-errors.ts';
import { JANITOR_ERRORS } from './janitor-errors.ts';
import { JOIN_ERRORS } from './join-errors.ts';
import { SLIP_IN_ERRORS } from './slip-in-errors.ts';
import { shareOf, tellShare } from '../share.ts';
import { PLANTED_ERRORS } from './errors.ts';
import { READING_ERRORS } from './reading-errors.ts';

const ROOT = join(import.meta.dirname, '../..');
/** An error that makes its test endless is caught as well. */
const ERROR_TIMEOUT_MS = 120_000;
const ERRORS = [
  ...PLANTED_ERRORS,
  ...READING_ERRORS,
  ...CAPACITY_ERRORS,
  ...GATE_ERRORS,
  ...JOIN_ERRORS,
  ...SLIP_IN_ERRORS,
  ...FIX_ERRORS,
  ...JANITOR_ERRORS,
  ...AUTH_ERRORS,
];
const ERRORS_OF = 8;
/** Hundreds of modules are found anew for each error. */
const FOUND_FAST = join(ROOT, 'tools/tests/own-modules.ts');
const COPIED = ['src', 'test', 'package.json', 'tsconfig.json'];

/** Runs test files in the copy; true when every one of them passes. */
function passes(folder: string, tests: readonly string[]): Promise<boolean> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      // In one process, so that ending it ends the test that a planted error made endless.
      ['--import', FOUND_FAST, '--test', '--test-isolation=none', ...tests],
      { cwd: folder, env, maxBuffer: 64 << 20, timeout: ERROR_TIMEOUT_MS, killSignal: 'SIGKILL' },
      (error) => resolve(error === null),
    );
  });
}

describe('planted errors', () => {
  let folder = '';

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-planted-'));
    for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('there are at least forty, in ranking, withdrawal and readers', () => {
    assert.ok(ERRORS.length >= 40, `${ERRORS.length}`);
  });

  test('without one, the tests pass', { timeout: 2 * ERROR_TIMEOUT_MS }, async () => {
    const tests = [...new Set(planted.flatMap((error) => error.tests))];
    assert.equal(await passes(folder, tests), true);
  });

  const planted = shareOf(ERRORS, ERRORS_OF);
  tellShare('planted errors', planted.length, ERRORS.length);
  for (const error of planted) {
    test(`${error.file}: ${error.name}`, { timeout: 2 * ERROR_TIMEOUT_MS }, async () => {
      const path = join(folder, error.file);
      const sound = readFileSync(path, 'utf8');
      assert.equal(
        sound.split(error.find).length,
        2,
        `"${error.find}" must stand once in ${error.file}`,
      );
      try {
        writeFileSync(
          path,
          sound.replace(error.find, () => error.replace),
        );
        assert.equal(
          await passes(folder, error.tests),
          false,
          `${error.tests.join(', ')} do not notice it`,
        );
      } finally {
        writeFileSync(path, sound);
      }
    });
  }
});
