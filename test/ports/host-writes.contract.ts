/** What every HostWrites does. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostCommand, HostWrites } from '../../src/ports/host-writes.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { fails } from './host.contract.ts';

export interface WritesScene {
  /** A folder that may be written. */
  readonly folder: string;
  /** A path that may not be written. */
  readonly refused: string;
  readonly read: (writes: HostWrites, path: string) => string | null;
}

export function commandOf(argv: readonly string[], change: Partial<HostCommand> = {}): HostCommand {
  return {
    argv,
    mark: 'm',
    timeoutMs: 10_000,
    bytesMax: 1000,
    onOutput: () => undefined,
    ...change,
  };
}

export function hostWritesContract(
  name: string,
  open: () => HostWrites,
  { folder, refused, read }: WritesScene,
): void {
  describe(`files that are written: ${name}`, () => {
    test('replaces a file whole, also in a folder that is not there', async () => {
      const writes = open();
      const path = `${folder}/state/join.json`;
      await writes.replaceFile(path, 'a long first text');
      await writes.replaceFile(path, 'second');
      assert.equal(read(writes, path), 'second');
      await writes.removeFile(path);
      await writes.removeFile(path);
      assert.equal(read(writes, path), null);
    });

    test('adds lines', async () => {
      const writes = open();
      const path = `${folder}/console`;
      await writes.appendLine(path, 'one');
      await writes.appendLine(path, 'two');
      assert.equal(read(writes, path), 'one\ntwo\n');
    });

    test('says what may not be written', async () => {
      await assert.rejects(open().replaceFile(refused, 'x'), PortError);
    });
  });

  describe(`a name that is held: ${name}`, () => {
    test('is held by one at a time', async () => {
      const writes = open();
      const first = await writes.hold('a');
      assert.notEqual(first, null);
      assert.equal(await writes.hold('a'), null);
      const other = await writes.hold('b');
      await first?.release();
      const again = await writes.hold('a');
      assert.notEqual(again, null);
      await again?.release();
      await other?.release();
    });
  });

  describe(`commands: ${name}`, () => {
    test('gives the exit code and the output, as it comes and at the end', async () => {
      const heard: string[] = [];
      const onOutput = (chunk: Uint8Array): void =>
        void heard.push(new TextDecoder().decode(chunk));
      const end = await open().runCommand(
        commandOf(['sh', '-c', 'echo out; exit 3'], { onOutput }),
      );
      assert.deepEqual([end.exitCode, end.isCut, end.isTimeOut], [3, false, false]);
      assert.deepEqual([new TextDecoder().decode(end.output), heard.join('')], ['out\n', 'out\n']);
    });

    test('keeps the end of a long output', async () => {
      const end = await open().runCommand(commandOf(['seq', '1', '1000'], { bytesMax: 9 }));
      assert.deepEqual([new TextDecoder().decode(end.output), end.isCut], ['999\n1000\n', true]);
    });

    test('says that a program is not there', async () => {
      await assert.rejects(open().runCommand(commandOf(['no-such-program'])), fails('not-found'));
    });
  });
}
