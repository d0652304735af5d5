import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { openBench, until, withBench } from './bench.ts';

const SLEEPER = { name: 'sleeper', path: '/bin/sh', args: ['-c', 'exec sleep 600'] } as const;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  await until(`the end of process ${pid}`, async () => (isAlive(pid) ? null : true));
}

test('a closed bench leaves neither programs nor files, and closes twice', async () => {
  const bench = openBench();
  const programs = [bench.start(SLEEPER), bench.start({ ...SLEEPER, name: 'other' })];
  assert.ok(programs.every(({ pid }) => isAlive(pid)));
  await bench.close();
  await bench.close();
  assert.ok(programs.every(({ pid }) => !isAlive(pid)));
  assert.equal(existsSync(bench.dir), false);
});

test('what a program started itself goes with it', async () => {
  const bench = openBench();
  const args = ['-c', 'sleep 600 & echo $!; wait'];
  const program = bench.start({ name: 'parent', path: '/bin/sh', args });
  await program.untilReady(async () => program.log().endsWith('\n'));
  const pid = Number(program.log());
  assert.ok(isAlive(pid));
  await bench.close();
  await untilGone(pid);
});

test('what throws while it is set up is cleared away', async () => {
  const left = { pid: 0, dir: '' };
  const failing = withBench(async (bench) => {
    left.pid = bench.start(SLEEPER).pid;
    left.dir = bench.dir;
    throw new Error('the second program is missing');
  });
  await assert.rejects(failing, /the second program is missing/);
  assert.equal(isAlive(left.pid), false);
  assert.equal(existsSync(left.dir), false);
});

test('a program that ends instead of becoming ready is quoted', async (t) => {
  const bench = openBench();
  t.after(() => bench.close());
  const args = ['-c', 'echo unknown flag: --nonsense >&2; exit 1'];
  const program = bench.start({ name: 'server', path: '/bin/sh', args });
  await assert.rejects(
    program.untilReady(async () => false),
    /^Error: server ended; its log ends:\nunknown flag: --nonsense\n$/,
  );
});

test('a process with nothing else to do waits until its programs are gone', async () => {
  const script = `
    const { openBench } = await import(${JSON.stringify(join(import.meta.dirname, 'bench.ts'))});
    const bench = openBench();
    bench.start(${JSON.stringify(SLEEPER)});
    await bench.close();`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: 'inherit',
  });
  const [code] = await once(owner, 'exit');
  assert.equal(code, 0);
});

test('a test that is killed leaves neither programs nor files', async () => {
  const script = `
    const { openBench } = await import(${JSON.stringify(join(import.meta.dirname, 'bench.ts'))});
    const bench = openBench();
    console.log(bench.start(${JSON.stringify(SLEEPER)}).pid, bench.dir);
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: owner.stdout }).once('line', resolve);
    owner.once('exit', () => reject(new Error('the owner ended by itself')));
  });
  const [pid = '', dir = ''] = line.split(' ');
  assert.ok(isAlive(Number(pid)));
  assert.ok(existsSync(dir));
  owner.kill('SIGKILL');
  await untilGone(Number(pid));
  await until('the removal of its folder', async () => (existsSync(dir) ? null : true));
});
