/**
 * `npm run check [-- CAUSE…]`: types, lint, format and all tests; or what matters to causes that
 * were changed: their types and form, their examples among all causes, other examples against
 * them, their shape, signs, pages and commands, and their examples transformed, packed, saved and
 * without what decides. Says each part as it ends.
 *
 * Exit code 1 when something does not hold, 64 when an argument is no cause.
 */
import { spawn } from 'node:child_process';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

type Step = readonly [command: string, ...args: readonly string[]];

const WHOLE: readonly Step[] = [
  ['npm', 'run', '--silent', 'typecheck'],
  ['npm', 'run', '--silent', 'lint'],
  ['npm', 'run', '--silent', 'format:check'],
  ['npm', 'test', '--silent'],
];

/** Two processes of tests, one for each processor. */
const TESTS_OF_CAUSES: Readonly<Record<string, readonly string[]>> = {
  'examples of others, shape, signs': [
    'test/causes/others.test.ts',
    'test/causes/shape.test.ts',
    'test/causes/judge.test.ts',
    'test/hostile/signs.test.ts',
  ],
  examples: [
    'test/causes/examples.test.ts',
    'test/causes/denial.test.ts',
    'test/causes/removed-fields.test.ts',
    'test/causes/plans.test.ts',
    'test/metamorphic',
    'test/cli/saved-examples.test.ts',
    'test/cli/decide.test.ts',
  ],
};
const TYPES_OF_CAUSES = join(ROOT, 'node_modules/.cache/check/tsconfig.json');

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

/** The types of these folders and of what they import; of everything, they take half a minute. */
function writeTypes(folders: readonly string[]): void {
  mkdirSync(dirname(TYPES_OF_CAUSES), { recursive: true });
  const include = folders.map((folder) => join(ROOT, folder));
  const compilerOptions = { typeRoots: [join(ROOT, 'node_modules/@types')] };
  const extended = join(ROOT, 'tsconfig.json');
  writeFileSync(TYPES_OF_CAUSES, JSON.stringify({ extends: extended, compilerOptions, include }));
}

/** Runs a step and says how it ended. */
async function told(
  what: string,
  step: Step,
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const isGood = await runs(step, env);
  process.stdout.write(`${isGood ? 'ok' : 'FAILED'}: ${what}\n`);
  return isGood;
}

async function checkCauses(ids: readonly string[]): Promise<boolean> {
  const folders = ids.flatMap(foldersOf);
  const programs = join(ROOT, 'node_modules/.bin');
  writeTypes(folders);
  const tests = Object.entries(TESTS_OF_CAUSES);
  process.stdout.write(
    `${ids.join(', ')}: form, types, ${tests.map(([what]) => what).join('; ')}\n`,
  );
  const forms = async (): Promise<boolean> =>
    (await told('form', [join(programs, 'biome'), 'format', ...folders])) &&
    told('types', [join(programs, 'tsc'), '--noEmit', '-p', TYPES_OF_CAUSES]);
  const outcomes = await Promise.all([
    forms(),
    ...tests.map(([what, files]) =>
      told(what, [process.execPath, 'tools/test.ts', ...files], {
        ROLLCALL_CAUSES: ids.join(','),
      }),
    ),
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
