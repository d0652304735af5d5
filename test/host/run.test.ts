import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, describe, test } from 'node:test';
import type { HostRun } from '../../src/ports/host.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { runProgram } from '../../src/adapters/host/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-run-'));
const own = join(folder, 'own');
mkdirSync(own);
writeFileSync(join(own, 'rollcall-said'), '#!/bin/sh\necho said\n');
chmodSync(join(own, 'rollcall-said'), 0o755);
after(() => rmSync(folder, { recursive: true, force: true }));

const SYSTEM = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function run(...argv: readonly string[]): Promise<HostRun> {
  return runProgram(argv, { timeoutMs: 20_000, bytesMax: 100_000 }, systemClock);
}

function text({ stdout }: HostRun): string {
  return new TextDecoder().decode(stdout);
}

async function withPath<T>(path: string | undefined, work: () => Promise<T>): Promise<T> {
  const before = process.env['PATH'];
  if (path === undefined) delete process.env['PATH'];
  else process.env['PATH'] = path;
  try {
    return await work();
  } finally {
    process.env['PATH'] = before;
  }
}

function isFailure(failure: string): (error: unknown) => boolean {
  return (error) => error instanceof PortError && error.failure === failure;
}

describe('where a program is looked for', () => {
  test('in the absolute folders of PATH, then in those of the system', async () => {
    await withPath(own, async () => {
      assert.equal(text(await run('rollcall-said')), 'said\n');
      assert.match(text(await run('env')), new RegExp(`^PATH=${own}:${SYSTEM}$`, 'm'));
    });
  });

  test('in no relative folder of PATH, which could be anybody’s', async () => {
    const near = relative(process.cwd(), own);
    await withPath(`${near}::.:/bin`, async () => {
      await assert.rejects(run('rollcall-said'), isFailure('not-found'));
      const others = SYSTEM.replace(/:\/bin$/, '');
      assert.match(text(await run('env')), new RegExp(`^PATH=/bin:${others}$`, 'm'));
    });
  });

  test('in the folders of the system without PATH', async () => {
    await withPath(undefined, async () => {
      assert.match(text(await run('env')), new RegExp(`^PATH=${SYSTEM}$`, 'm'));
    });
  });

  test('uses the configured path when there is one', async () => {
    assert.equal(text(await run(join(own, 'rollcall-said'))), 'said\n');
    await assert.rejects(run(join(own, 'nothing')), isFailure('not-found'));
  });
});

describe('input of a program', () => {
  test('an environment that makes its output the same everywhere, and nothing else', async () => {
    const names = text(await run('env'))
      .split('\n')
      .map((line) => line.split('=')[0]);
    const given = new Set(names.filter((name) => name !== '' && name !== '_'));
    assert.deepEqual(given, new Set(['LC_ALL', 'PATH', 'SYSTEMD_COLORS', 'SYSTEMD_PAGER']));
    assert.match(text(await run('env')), /^LC_ALL=C$/m);
    assert.match(text(await run('env')), /^SYSTEMD_COLORS=0$/m);
    assert.match(text(await run('env')), /^SYSTEMD_PAGER=$/m);
  });

  test('runs at the root folder without input in a separate process group', async () => {
    assert.equal(text(await run('pwd')), '/\n');
    assert.equal(text(await run('cat')), '');
    const stat = text(await run('sh', '-c', 'cat /proc/$$/stat; true'));
    const [pid, , , , group] = stat.split(' ');
    assert.equal(group, pid);
  });

  test('a name and arguments without NUL, or it is not run', async () => {
    await assert.rejects(run(), isFailure('invalid'));
    await assert.rejects(run('', 'a'), isFailure('invalid'));
    await assert.rejects(run('echo', 'a\0b'), isFailure('invalid'));
  });
});

describe('output of a program', () => {
  test('the last 16 KiB of its complaint', async () => {
    const { stderr } = await run(
      'sh',
      '-c',
      'head -c 20000 /dev/zero | tr "\\0" a >&2; echo end >&2',
    );
    assert.equal(stderr.length, 16 * 1024);
    assert.ok(stderr.endsWith('aend\n'));
  });

  test('as many bytes of its output as were asked for', async () => {
    const limits = { timeoutMs: 20_000, bytesMax: 5 };
    const whole = await runProgram(['printf', '12345'], limits, systemClock);
    assert.deepEqual([text(whole), whole.isCut], ['12345', false]);
    const cut = await runProgram(['printf', '123456'], limits, systemClock);
    assert.deepEqual([cut.stdout.length, cut.isCut], [5, true]);
  });

  test('its exit code, 128 and the number of the signal when it was killed', async () => {
    assert.equal((await run('sh', '-c', 'exit 3')).exitCode, 3);
    assert.equal((await run('sh', '-c', 'kill -9 $$')).exitCode, 137);
    assert.equal((await run('sh', '-c', 'kill -15 $$')).exitCode, 143);
  });

  test('nothing when it does not end in time', async () => {
    const limits = { timeoutMs: 50, bytesMax: 5 };
    await assert.rejects(runProgram(['sleep', '60'], limits, systemClock), isFailure('timeout'));
  });
});
