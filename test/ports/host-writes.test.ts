import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { after, describe, test } from 'node:test';
import { openHostWrites } from '../../src/adapters/host/writes.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { createFakeWrites } from './fake/host-writes.ts';
import { fails } from './host.contract.ts';
import { commandOf, hostWritesContract } from './host-writes.contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-writes-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const refused = '/proc/sys/kernel/ostype/x';

hostWritesContract('this machine', () => openHostWrites(systemClock), {
  folder,
  refused: '/proc/sys/kernel/rollcall',
  read: (_, path) => (existsSync(path) ? readFileSync(path, 'utf8') : null),
});

hostWritesContract(
  'a machine in memory',
  () =>
    createFakeWrites({
      refuses: { [refused]: { failure: 'denied' } },
      commands: {
        'sh -c echo out; exit 3': { prints: 'out\n', exitCode: 3 },
        'seq 1 1000': { prints: `${Array.from({ length: 1000 }, (_, at) => at + 1).join('\n')}\n` },
      },
    }),
  {
    folder: '/x',
    refused,
    read: (writes, path) =>
      'files' in writes ? ((writes.files as Map<string, string>).get(path) ?? null) : null,
  },
);

describe('commands of this machine alone', () => {
  const writes = openHostWrites(systemClock);

  test('ends one that hangs, with all that it started', { timeout: 30_000 }, async () => {
    const noted = join(folder, 'pid');
    const argv = ['sh', '-c', `echo before; sleep 60 & echo $! > ${noted}; wait`];
    const end = await writes.runCommand(commandOf(argv, { timeoutMs: 500 }));
    assert.deepEqual([end.exitCode, end.isTimeOut], [124, true]);
    assert.equal(new TextDecoder().decode(end.output), 'before\n');
    const stat = `/proc/${readFileSync(noted, 'utf8').trim()}/stat`;
    const state = (): string => (existsSync(stat) ? readFileSync(stat, 'utf8') : 'gone');
    while (!/^gone|\) [ZX] /.test(state())) await pause(10);
  });

  test('does not wait for what one leaves in the background with its output', async () => {
    const end = await writes.runCommand(commandOf(['sh', '-c', 'echo said; sleep 3 & exit 0']));
    assert.deepEqual([end.exitCode, new TextDecoder().decode(end.output)], [0, 'said\n']);
  });

  test('distinguishes a file that is not executable', async () => {
    const path = join(folder, 'plain');
    writeFileSync(path, '#!/bin/sh\n');
    chmodSync(path, 0o644);
    await assert.rejects(writes.runCommand(commandOf([path])), fails('denied'));
    await assert.rejects(writes.runCommand(commandOf([])), fails('invalid'));
  });

  test('one that a signal ended has the exit code that shells give it', async () => {
    const end = await writes.runCommand(commandOf(['sh', '-c', 'kill -9 $$']));
    assert.equal(end.exitCode, 137);
  });

  test('knows a running one by its mark, and not what it left behind', async () => {
    const mark = `mark-${process.pid}`;
    const go = join(folder, 'go');
    const argv = ['sh', '-c', `sleep 20 & while [ ! -e ${go} ]; do sleep 0.02; done; kill $!`];
    const running = writes.runCommand(commandOf(argv, { mark }));
    while (!(await writes.isRunning(mark)));
    assert.equal(await writes.isRunning('another mark'), false);
    writeFileSync(go, '');
    await running;
    assert.equal(await writes.isRunning(mark), false);
  });
});

describe('what outlives a program that was killed', () => {
  test('a name is free again once its holder was killed', async () => {
    const code = `
      const { openHostWrites } = await import(${JSON.stringify(import.meta.resolve('../../src/adapters/host/writes.ts'))});
      await openHostWrites({}).hold('killed-holder');
      process.kill(process.pid, 'SIGKILL');`;
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', code]);
    assert.equal(signal, 'SIGKILL');
    const writes = openHostWrites(systemClock);
    const held = await writes.hold('killed-holder');
    assert.notEqual(held, null);
    await held?.release();
  });

  const small = join(folder, 'small');
  mkdirSync(small);
  const isMounted =
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', small]).status === 0;
  after(() => isMounted && spawnSync('umount', [small]));
  const skip = isMounted ? false : 'a file system can be mounted by root only';
  test('says that the disk is full, and leaves the old text', { skip }, async () => {
    const writes = openHostWrites(systemClock);
    const path = join(small, 'state');
    await writes.replaceFile(path, 'old');
    await assert.rejects(writes.replaceFile(path, 'x'.repeat(20_000)), (error: unknown) => {
      assert.ok(error instanceof PortError);
      assert.match(error.message, /file system is full\.$/);
      return error.failure === 'unavailable';
    });
    assert.equal(readFileSync(path, 'utf8'), 'old');
  });
});
