import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { HitLine } from '../../readers/scan/anchor-scanner.ts';
import { compileAnchors } from '../../readers/scan/anchor-scanner.ts';
import { type OpenScan, scanHere } from '../../readers/scan/open-scan.ts';
import { handedOver } from './handed-over.ts';
import { createScanning } from './scanning.ts';
import { ScanThread } from './thread.ts';

const ANCHORS = ['needle', 'other thing'];
const SET = compileAnchors(ANCHORS);
const BYTES = new TextEncoder();

interface Told {
  readonly hits: HitLine[];
  readonly ends: number[];
}

function told(open: OpenScan, chunks: readonly Uint8Array[]): Told {
  const seen: Told = { hits: [], ends: [] };
  const scan = open({ hit: (line) => seen.hits.push(line), ended: (n) => seen.ends.push(n) });
  for (const chunk of chunks) scan.push(chunk);
  scan.end();
  return seen;
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

describe('a log that is handed over to another scan', () => {
  it('tells the same, whenever that happens and however it comes', () => {
    fc.assert(
      fc.property(TEXT, SIZES, fc.nat(40), (text, sizes, after) => {
        const chunks = pieces(text, sizes);
        let asked = 0;
        const change = (): OpenScan | null => (asked++ < after ? null : scanHere(SET));
        const expected = told(scanHere(SET), chunks);
        assert.deepEqual(told(handedOver(scanHere(SET), change), chunks), expected);
      }),
    );
  });
});

/** One line in a thousand hits; long enough that the thread takes over. */
function largeLog(lines: number): string {
  const row = (rank: number): string =>
    `${rank} ${rank % 1000 === 0 ? 'needle' : 'straw'} ${'x'.repeat(rank % 90)}\n`;
  return Array.from({ length: lines }, (_, rank) => row(rank)).join('');
}

async function toldByScanning(logs: readonly (readonly Uint8Array[])[]): Promise<Told[]> {
  const scanning = createScanning(SET);
  const all: Told[] = [];
  for (const chunks of logs) {
    const seen: Told = { hits: [], ends: [] };
    const scan = scanning.open({
      hit: (line) => seen.hits.push(line),
      ended: (lines) => seen.ends.push(lines),
    });
    for (const chunk of chunks) {
      scan.push(chunk);
      await scanning.room();
      await new Promise(setImmediate);
    }
    scan.end();
    await scanning.settled();
    all.push(seen);
  }
  await scanning.close();
  return all;
}

describe('scanning with a second thread', () => {
  it('tells what one thread tells, log after log', async () => {
    const logs = [largeLog(200_000), 'needle', largeLog(30_000), ''].map((text) =>
      pieces(text, [70_000]),
    );
    const expected = logs.map((chunks) => told(scanHere(SET), chunks));
    assert.deepEqual(await toldByScanning(logs), expected);
  });

  it('says so when the thread cannot work', async () => {
    const thread = new ScanThread(['abc']);
    const scan = thread.open({ hit: () => assert.fail(), ended: () => assert.fail() });
    scan.push(BYTES.encode('line\n'));
    await assert.rejects(thread.waitUntil(0), /abc/);
    await thread.close();
  });

  it('takes chunks larger than its buffers, and keeps nothing of the chunk', async () => {
    const thread = new ScanThread(ANCHORS);
    const seen: Told = { hits: [], ends: [] };
    const scan = thread.open({
      hit: (line) => seen.hits.push(line),
      ended: (lines) => seen.ends.push(lines),
    });
    const chunk = BYTES.encode(largeLog(50_000));
    const expected = told(scanHere(SET), [chunk.slice()]);
    scan.push(chunk);
    chunk.fill(0);
    scan.end();
    await thread.waitUntil(0);
    await thread.close();
    assert.deepEqual(seen, expected);
  });
});
