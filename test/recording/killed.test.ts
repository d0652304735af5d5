/** A program that is killed while it records, started again, and killed again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { openRecorder } from '../../src/adapters/recorder/open.ts';
import type { RecordedEvent } from '../../src/ports/recorder.ts';
import { START_MS } from './looks.ts';

const PROGRAM = join(import.meta.dirname, 'writer-program.ts');
const KILLS = 8;
const LOOKS_A_LIFE = 12;
const folder = mkdtempSync(join(tmpdir(), 'rollcall-killed-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Lets it record and kills it amid its work; the last look that it said was recorded. */
async function lifeUntilKilled(path: string, from: number): Promise<number> {
  const child = spawn(process.execPath, [PROGRAM, path, String(from)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let last = from - 1;
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line);
    if (last >= from + LOOKS_A_LIFE) child.kill('SIGKILL');
  }
  const [, signal] = (await ended) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL');
  return last;
}

function minutesOf(rows: readonly RecordedEvent[], kind: string): readonly number[] {
  return rows.filter((row) => row.kind === kind).map(({ atMs }) => (atMs - START_MS) / 60_000);
}

test('a recording whose program is killed again and again loses and doubles nothing', async () => {
  const path = join(folder, 'flight.db');
  let last = -1;
  for (let life = 0; life < KILLS; life++) last = await lifeUntilKilled(path, last + 1);
  const recorder = openRecorder(path);
  const rows = await recorder.read({ cluster: 'shop', limit: 100_000 });
  await recorder.close();
  const looks = Array.from({ length: last + 1 }, (_, minute) => minute);
  // A look that was recorded but not yet reported may stand behind the last one.
  const upTo = (minutes: readonly number[]): readonly number[] =>
    minutes.filter((minute) => minute <= last);
  assert.deepEqual(upTo(minutesOf(rows, 'condition')), looks);
  assert.deepEqual(upTo(minutesOf(rows, 'verdict')), looks);
  const events = upTo(minutesOf(rows, 'event'));
  assert.deepEqual(
    looks.map((minute) => events.filter((one) => one === minute).length),
    looks.map(() => 30),
  );
  assert.equal(minutesOf(rows, 'node-created').length, 1);
});
