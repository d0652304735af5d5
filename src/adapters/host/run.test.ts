import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { runProgram } from './run.ts';
import { failsWith, handClock } from './testing.ts';

/** A test that waits for what never comes fails soon. */
const LIMIT = { timeout: 3000 };

const LIMITS = { timeoutMs: 5000, bytesMax: 1000 };
const folder = mkdtempSync(join(tmpdir(), 'rollcall-run-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function run(argv: readonly string[], limits = LIMITS) {
  const ran = await runProgram(argv, limits, handClock());
  return { ...ran, stdout: new TextDecoder().decode(ran.stdout) };
}

async function shell(script: string) {
  return run(['sh', '-c', script]);
}

/** Does something while the variables of this process are others. */
async function withPath<T>(path: string | undefined, task: () => Promise<T>): Promise<T> {
  const before = process.env['PATH'];
  if (path === undefined) delete process.env['PATH'];
  else process.env['PATH'] = path;
  try {
    return await task();
  } finally {
    process.env['PATH'] = before;
  }
}

describe('a program', () => {
  test('gets its arguments as they are', LIMIT, async () => {
    assert.equal((await run(['printf', '%s|', '$(id)', 'a b'])).stdout, '$(id)|a b|');
  });

  test('gets no variable but those that make its output the same everywhere', LIMIT, async () => {
    const { stdout } = await withPath('/opt/x:rel:/bin', async () => run(['env']));
    assert.deepEqual(stdout.trim().split('\n').toSorted(), [
      'LC_ALL=C',
      'PATH=/opt/x:/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin',
      'SYSTEMD_COLORS=0',
      'SYSTEMD_PAGER=',
    ]);
  });

  test('is found in the usual folders without a PATH', LIMIT, async () => {
    const { stdout } = await withPath(undefined, async () => run(['env']));
    assert.match(
      stdout,
      /^PATH=\/usr\/local\/sbin:\/usr\/local\/bin:\/usr\/sbin:\/usr\/bin:\/sbin:\/bin$/m,
    );
  });

  test('is found in the first folder of PATH that has it', LIMIT, async () => {
    const own = join(folder, 'rollcall-own');
    writeFileSync(own, '#!/bin/sh\necho own');
    await withPath(folder, async () =>
      assert.rejects(
        run(['rollcall-own']),
        failsWith('not-found', 'rollcall-own is not installed.'),
      ),
    );
    chmodSync(own, 0o755);
    assert.equal(
      (await withPath(`/none:${folder}`, async () => run(['rollcall-own']))).stdout,
      'own\n',
    );
    assert.equal((await run([own])).stdout, 'own\n');
  });

  test('runs in the root folder, without input', LIMIT, async () => {
    const { stdout } = await shell('pwd; cat');
    assert.equal(stdout, '/\n');
  });
});

describe('what a program did', () => {
  test('is reported with output, complaint and exit code', LIMIT, async () => {
    assert.deepEqual(await shell('echo out; echo complaint >&2; exit 3'), {
      stdout: 'out\n',
      stderr: 'complaint\n',
      exitCode: 3,
      isCut: false,
    });
  });

  test('keeps the end of a long output', LIMIT, async () => {
    const { stdout, isCut } = await run(['printf', '%s', 'abcdef'], { ...LIMITS, bytesMax: 4 });
    assert.deepEqual([stdout, isCut], ['cdef', true]);
  });

  test('keeps 16 KiB of a long complaint', LIMIT, async () => {
    const { stderr } = await shell('head -c 20000 /dev/zero | tr "\\0" x >&2');
    assert.equal(stderr.length, 16_384);
  });

  test('that a signal ended has 128 and its number', LIMIT, async () => {
    assert.equal((await shell('kill -TERM $$')).exitCode, 128 + constants.signals.SIGTERM);
  });

  test('needs a name and arguments without NUL', LIMIT, async () => {
    const message = 'A program cannot be run without a name, or with an argument that holds NUL.';
    for (const argv of [[], [''], ['echo', 'a\0b']])
      await assert.rejects(run(argv), failsWith('invalid', message));
  });

  test('that is not there is reported by its path', LIMIT, async () => {
    const path = join(folder, 'no');
    await assert.rejects(run([path]), failsWith('not-found', `${path} is not there.`));
  });
});

/** The id of a program, once it is in the file. */
async function idIn(path: string): Promise<string> {
  for (;;) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (text.endsWith('\n')) return text.trim();
    await pause(5);
  }
}

/** Waits for the end of a program; one that nobody has asked for its exit code has ended too. */
async function gone(id: string): Promise<void> {
  const stat = `/proc/${id}/stat`;
  while (existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, 'utf8'))) await pause(5);
}

/** Waits until this process knows how its program ended. */
async function reaped(id: string): Promise<void> {
  while (existsSync(`/proc/${id}`)) await pause(5);
}

describe('at the limit', () => {
  test('a program that runs is ended', LIMIT, async () => {
    const clock = handClock();
    const running = runProgram(['sh', '-c', 'exec sleep 60'], LIMITS, clock);
    const ended = assert.rejects(running, failsWith('timeout', 'sh did not answer within 5 s.'));
    while (clock.sleeping() === 0) await pause(1);
    clock.pass(4999);
    await new Promise(setImmediate);
    clock.pass(1);
    await ended;
  });

  test('all that a program started is ended with it', LIMIT, async () => {
    const clock = handClock();
    const noted = join(folder, 'waiting');
    const script = `sleep 60 & echo $! >${noted}; wait`;
    const ended = assert.rejects(runProgram(['sh', '-c', script], LIMITS, clock));
    const id = await idIn(noted);
    clock.pass(5000);
    await ended;
    await gone(id);
  });

  test('a program that left its output open to another has said its part', LIMIT, async () => {
    const clock = handClock();
    const [own, child] = [join(folder, 'own'), join(folder, 'child')];
    const script = `echo said; echo $$ >${own}; sleep 60 & echo $! >${child}; exit 4`;
    const running = runProgram(['sh', '-c', script], LIMITS, clock);
    await reaped(await idIn(own));
    const id = await idIn(child);
    clock.pass(5000);
    const { stdout, exitCode } = await running;
    assert.deepEqual([new TextDecoder().decode(stdout), exitCode], ['said\n', 4]);
    await gone(id);
  });

  test('nothing is waited for any more after the end', LIMIT, async () => {
    const clock = handClock();
    await runProgram(['true'], LIMITS, clock);
    await new Promise(setImmediate);
    assert.equal(clock.sleeping(), 0);
    await assert.rejects(runProgram([folder], LIMITS, clock));
    await new Promise(setImmediate);
    assert.equal(clock.sleeping(), 0);
  });
});
