import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const MODULE = new URL('started-programs.ts', import.meta.url).href;
/** The programs run for longer than the one that started them may. */
const PROGRAM_S = 30;
const LIMIT_MS = 25_000;

/** Starts programs as libraries do, and says its last word. */
function scriptOf(lastWord: string): string {
  return `
    import { exec, spawn } from 'node:child_process';
    import { followStartedPrograms } from ${JSON.stringify(MODULE)};
    const letGo = followStartedPrograms();
    exec('exec sleep ${PROGRAM_S}', () => console.log('it ended'));
    const piped = spawn('sleep', ['${PROGRAM_S}'], { stdio: ['pipe', 'pipe', 'inherit', 'pipe'] });
    spawn('true').once('close', () => {
      spawn('no-such-program').once('error', () => {
        process.exitCode = 3;
        ${lastWord}
        process.stdout.write(String(piped.pid));
      });
    });`;
}

function run(lastWord: string, timeout: number): { readonly status: number | null; out: string } {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e'];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, [...args, scriptOf(lastWord)], {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout,
    killSignal: 'SIGKILL',
  });
  return { status, out: stdout };
}

test('keeps the exit code of a program that leaves its children behind', () => {
  const { status, out } = run('letGo();', LIMIT_MS);
  assert.equal(status, 3);
  assert.match(out, /^\d+$/);
});

test('who does not waits for it', () => {
  assert.equal(run('', 2000).status, null);
});
