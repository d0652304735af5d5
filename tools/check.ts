/**
 * `npm run check [-- CAUSE…]`: types, lint, format and all tests; or what matters to causes that
 * were changed: types, their folders' form, their examples among all causes, their shape, signs,
 * pages and commands, and their examples transformed, packed, saved and without what decides.
 *
 * Exit code 1 when something does not hold, 64 when an argument is no cause.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

type Step = readonly [command: string, ...args: readonly string[]];

const WHOLE: readonly Step[] = [
  ['npm', 'run', '--silent', 'typecheck'],
  ['npm', 'run', '--silent', 'lint'],
  ['npm', 'run', '--silent', 'format:check'],
  ['npm', 'test', '--silent'],
];

const TESTS_OF_CAUSES = [
  'test/causes',
  'test/metamorphic',
  'test/cli/saved-examples.test.ts',
  'test/cli/decide.test.ts',
  'test/hostile/signs.test.ts',
  'test/architecture.test.ts',
];

function foldersOf(id: string): readonly string[] {
  return globSync('src/causes/*/*', { cwd: ROOT }).filter((path) => basename(path) === id);
}

/** Runs a step; true when it ended well. */
function runs([command, ...args]: Step, env: Readonly<Record<string, string>>): Promise<boolean> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.once('error', fail);
    child.once('close', (code) => done(code === 0));
  });
}

async function checkAll(): Promise<boolean> {
  for (const step of WHOLE) if (!(await runs(step, {}))) return false;
  return true;
}

/** Types beside the rest: the compiler and the tests each have a processor. */
async function checkCauses(ids: readonly string[]): Promise<boolean> {
  const folders = ids.flatMap(foldersOf);
  const forms = async (): Promise<boolean> =>
    (await runs(['npm', 'run', '--silent', 'typecheck'], {})) &&
    runs([join(ROOT, 'node_modules/.bin/biome'), 'format', ...folders], {});
  const outcomes = await Promise.all([
    forms(),
    runs([process.execPath, 'tools/test.ts', ...TESTS_OF_CAUSES], {
      ROLLCALL_CAUSES: ids.join(','),
    }),
  ]);
  return outcomes.every(Boolean);
}

async function main(ids: readonly string[]): Promise<number> {
  const unknown = ids.filter((id) => foldersOf(id).length === 0);
  if (unknown.length > 0) {
    process.stderr.write(`npm run check: ${unknown.join(', ')} is no folder of src/causes\n`);
    return 64;
  }
  return (await (ids.length === 0 ? checkAll() : checkCauses(ids))) ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
