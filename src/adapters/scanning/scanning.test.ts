import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SignRow } from '../../evidence/sign-row.ts';
import type { LogFindings, OpenLog } from '../../readers/log/log.ts';
import { readHere } from '../../readers/log/read-here.ts';
import { compileSigns } from '../../readers/sign-table.ts';
import { handedOver } from './handed-over.ts';
import { createScanning } from './scanning.ts';
import { ScanThread } from './thread.ts';
import { NOT_KNOWN } from '../../readers/line/origin.ts';

const ROW: SignRow = {
  owner: 'some-cause',
  name: 'needle',
  in: ['kubelet'],
  anchors: ['needle'],
  pattern: /needle (?<size>\d+)?/,
  strict: false,
  per: [],
};
const ROWS: readonly SignRow[] = [
  ROW,
  { ...ROW, name: 'other', anchors: ['other thing'], pattern: /other thing/ },
];
const TABLE = compileSigns(ROWS);
const BYTES = new TextEncoder();

function told(open: OpenLog, chunks: readonly Uint8Array[]): LogFindings[] {
  const all: LogFindings[] = [];
  const log = open(NOT_KNOWN, (findings) => all.push(findings));
  for (const chunk of chunks) log.push(chunk);
  log.end();
  return all;
}

interface Said {
  readonly lines: number;
  readonly hits: Readonly<Record<string, readonly number[]>>;
}

/** Number of lines, and by kind of hit how often, first, last and quoted lines. */
function saidBy(parts: readonly LogFindings[]): Said {
  const hits: Record<string, number[]> = {};
  let lines = 0;
  for (const part of parts) {
    for (const [, { sign, count, first, last, quotes }] of part.hits) {
      const at = (line: number): number => line + lines;
      const quoted = quotes.map((quote) => at(quote.line.line));
      const before = hits[sign];
      const from = before ?? [0, at(first.line.line), 0];
      const total = Math.min(64, (from[0] ?? 0) + count);
      hits[sign] = [
        total,
        from[1] ?? 0,
        at(last.line.line),
        ...[...from.slice(3), ...quoted].slice(0, 4),
      ];
    }
    lines += part.lines;
  }
  return { lines, hits };
}

function pieces(text: string, sizes: readonly number[]): Uint8Array[] {
  const bytes = BYTES.encode(text);
  const chunks: Uint8Array[] = [];
  for (let at = 0, rank = 0; at < bytes.length; rank++) {
    const size = sizes[rank % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

const LINE = fc.constantFrom('', 'a needle', 'nothing here', 'an other thing and a needle', 'é€');
const TEXT = fc.array(LINE, { maxLength: 40 }).map((lines) => lines.join('\n'));
const SIZES = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 });

describe('a log that is handed over to another reader', () => {
  it('tells the same, whenever that happens and however it comes', () => {
    fc.assert(
      fc.property(TEXT, SIZES, fc.nat(40), (text, sizes, after) => {
        const chunks = pieces(text, sizes);
        let asked = 0;
        const change = (): OpenLog | null => (asked++ < after ? null : readHere(TABLE));
        const expected = saidBy(told(readHere(TABLE), chunks));
        assert.deepEqual(saidBy(told(handedOver(readHere(TABLE), change), chunks)), expected);
      }),
    );
  });
});

/** One line in a thousand hits; long enough that the thread takes over. */
function largeLog(lines: number): string {
  const row = (rank: number): string =>
    `${rank} ${rank % 1000 === 0 ? `needle ${rank}` : 'straw'} ${'x'.repeat(rank % 90)}\n`;
  return Array.from({ length: lines }, (_, rank) => row(rank)).join('');
}

async function saidByScanning(logs: readonly (readonly Uint8Array[])[]): Promise<Said[]> {
  const scanning = createScanning(TABLE);
  const all: Said[] = [];
  for (const chunks of logs) {
    const parts: LogFindings[] = [];
    const log = scanning.open(NOT_KNOWN, (findings) => parts.push(findings));
    for (const chunk of chunks) {
      log.push(chunk);
      await scanning.room();
      await new Promise(setImmediate);
    }
    log.end();
    await scanning.settled();
    all.push(saidBy(parts));
  }
  await scanning.close();
  return all;
}

describe('reading with a second thread', () => {
  it('tells what one thread tells, log after log', async () => {
    const logs = [largeLog(200_000), 'needle ', largeLog(30_000), ''].map((text) =>
      pieces(text, [70_000]),
    );
    const expected = logs.map((chunks) => saidBy(told(readHere(TABLE), chunks)));
    assert.deepEqual(await saidByScanning(logs), expected);
    assert.deepEqual(expected[0]?.hits['needle'], [64, 1, 199_001, 1, 1001, 2001, 3001]);
  });

  it('says so when the thread cannot work', async () => {
    const thread = new ScanThread([{ ...ROW, anchors: ['abc'] }]);
    const log = thread.open(NOT_KNOWN, () => assert.fail());
    log.push(BYTES.encode('line\n'));
    await assert.rejects(thread.waitUntil(0), /abc/);
    await thread.close();
  });

  it('takes chunks larger than its buffers, and keeps nothing of the chunk', async () => {
    const thread = new ScanThread(ROWS);
    const parts: LogFindings[] = [];
    const log = thread.open(NOT_KNOWN, (findings) => parts.push(findings));
    const chunk = BYTES.encode(largeLog(150_000));
    const expected = saidBy(told(readHere(TABLE), [chunk.slice()]));
    assert.ok(chunk.length > 5 * 1024 * 1024);
    log.push(chunk);
    chunk.fill(0);
    log.end();
    await thread.waitUntil(0);
    await thread.close();
    assert.deepEqual(saidBy(parts), expected);
  });
});
