/** The thread that scans logs for anchors while the main one makes sense of the lines that hit. */
import { parentPort, workerData } from 'node:worker_threads';
import type { HitLine, LineScanner } from '../../readers/scan/anchor-scanner.ts';
import { compileAnchors, createLineScanner } from '../../readers/scan/anchor-scanner.ts';
import type { ScanReply, ScanRequest } from './messages.ts';

const anchorSet = compileAnchors(workerData as readonly string[]);
let hits: HitLine[] = [];
let scanner: LineScanner | null = null;

function scan({ bytes, usedBytes }: ScanRequest): ScanReply {
  hits = [];
  scanner ??= createLineScanner(anchorSet, (hit) => hits.push(hit));
  if (bytes !== null) {
    scanner.push(bytes.subarray(0, usedBytes));
    return { hits, bytes, lines: null };
  }
  scanner.end();
  const { lines } = scanner;
  scanner = null;
  return { hits, bytes: null, lines };
}

parentPort?.on('message', (request: ScanRequest) => {
  const reply = scan(request);
  parentPort?.postMessage(reply, reply.bytes === null ? [] : [reply.bytes.buffer]);
});
parentPort?.postMessage({ hits: [], bytes: null, lines: null } satisfies ScanReply, []);
