import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import { compileAnchors, createLineScanner } from '../src/readers/scan/anchor-scanner.ts';
import { escapedForms } from '../src/readers/scan/escaped-forms.ts';
import { writeCorpus } from './corpus.ts';
import { LOG_MIX } from './log-lines.ts';
import { compare, median, runTimed } from './measure.ts';
import { ANCHORS, generated } from './place.ts';
import type { Row } from './table.ts';
import { skipped } from './table.ts';

const CORPUS_BYTES = 500e6;
const CHUNK_BYTES = 1 << 20;
const ROUNDS = 7;
const TARGET_RATIO = 1.5;

interface Scanned {
  readonly hitLines: number;
  readonly lines: number;
  readonly wallMs: number;
}

/** Everything that a program does to scan a file: compile, open, read, scan. */
function scanFile(path: string): Scanned {
  const startMs = performance.now();
  let hitLines = 0;
  const scanner = createLineScanner(compileAnchors(ANCHORS), () => {
    hitLines++;
  });
  const file = openSync(path, 'r');
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
    scanner.push(chunk.subarray(0, read));
  }
  closeSync(file);
  scanner.end();
  return { hitLines, lines: scanner.lines, wallMs: performance.now() - startMs };
}

/** First line of `rg --version`, or null when there is no ripgrep. */
function ripgrepVersion(): string | null {
  const { status, stdout } = spawnSync('rg', ['--version'], { encoding: 'utf8' });
  return status === 0 ? (stdout.split('\n')[0] ?? null) : null;
}

async function ripgrepMs(path: string, patterns: string, hitLines: number): Promise<number> {
  const run = await runTimed('rg', ['-j1', '-F', '-f', patterns, '-c', path]);
  if (Number(run.stdout) === hitLines) return run.wallMs;
  throw new Error(`rg found ${run.stdout.trim()} lines and the scanner found ${hitLines}.`);
}

async function alone(path: string): Promise<number> {
  const runs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) runs.push(scanFile(path).wallMs);
  return median(runs);
}

function speed(bytes: number, wallMs: number): string {
  return `${Math.round(bytes / wallMs / 1000)} MB/s`;
}

/** Scan of 500 MB of node logs for every anchor of the catalogue, against ripgrep on one thread. */
export async function benchScan(): Promise<readonly Row[]> {
  const recipe = { seed: 7, mix: LOG_MIX, anchors: ANCHORS, linesPerHit: 200 };
  const path = await generated('corpus.log', (part) => writeCorpus(part, CORPUS_BYTES, recipe));
  const patterns = await generated('patterns.txt', async (part) =>
    writeFileSync(part, `${ANCHORS.flatMap(escapedForms).join('\n')}\n`),
  );
  const { size } = statSync(path);
  const { hitLines, lines } = scanFile(path);
  const rate = `one line in ${Math.round(lines / hitLines)} hits`;
  const what = `scan ${Math.round(size / 1e6)} MB for ${ANCHORS.length} anchors, ${rate}`;
  const version = ripgrepVersion();
  if (version === null) {
    const reason = 'ripgrep is not on the PATH; install it with: apt-get install ripgrep';
    return [skipped(what, speed(size, await alone(path)), reason)];
  }
  const result = await compare(
    ROUNDS,
    async () => scanFile(path).wallMs,
    () => ripgrepMs(path, patterns, hitLines),
  );
  return [
    {
      what,
      ours: speed(size, result.ours),
      reference: `${speed(size, result.reference)}, \`rg -j1 -F -f\` (${version})`,
      ratio: `${(1 / result.ratio).toFixed(2)} x`,
      target: `>= ${TARGET_RATIO} x`,
    },
  ];
}
