import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { LogLine, Moment } from './log-lines.ts';
import type { Seeded } from './seeded.ts';
import { createSeeded } from './seeded.ts';

/** What a log is made from; the same recipe gives the same bytes. */
export interface CorpusRecipe {
  readonly seed: number;
  /** The programs that write it, each as often as it is named. */
  readonly mix: readonly LogLine[];
  readonly anchors: readonly string[];
  /** One line in this many contains an anchor. */
  readonly linesPerHit: number;
}

const FIRST_MOMENT_MS = Date.UTC(2026, 10, 20, 10, 11, 12);
const HOSTNAME = 'ip-10-0-31-7.eu-west-1.compute.internal';
const FRAMES: readonly (readonly [string, string])[] = [
  ['Error syncing pod, skipping: ', ', retrying in 5s'],
  ['', ': retry budget 4 of 5'],
  ['attempt 3: ', ''],
  ['observed after 2m31s: ', ' (last seen 12s ago)'],
];
const BLOCK_LINES = 4096;
/** An anchor that ordinary lines carry too is let through in the end. */
const QUIET_TRIES = 8;

function anyOf(anchors: readonly string[]): RegExp {
  return new RegExp(anchors.map((anchor) => RegExp.escape(anchor)).join('|'));
}

function sentence(random: Seeded, anchor: string): string {
  const [before, after] = random.pick(FRAMES);
  return before + anchor + after;
}

function quietLine(moment: Moment, mix: readonly LogLine[], anchor: RegExp): string {
  let line = '';
  for (let tries = 0; tries < QUIET_TRIES; tries++) {
    line = moment.random.pick(mix)(moment);
    if (!anchor.test(line)) break;
  }
  return line;
}

/** Endless log lines, each ending in a newline. */
export function* corpusLines(recipe: CorpusRecipe): Generator<string, never> {
  const { mix, anchors, linesPerHit } = recipe;
  const random = createSeeded(recipe.seed);
  const anchor = anyOf(anchors);
  for (let epochMs = FIRST_MOMENT_MS; ; epochMs += random.below(40)) {
    const moment = { random, epochMs, hostname: HOSTNAME };
    if (random.below(linesPerHit) === 0) {
      yield `${random.pick(mix)(moment, sentence(random, random.pick(anchors)))}\n`;
    } else {
      yield `${quietLine(moment, mix, anchor)}\n`;
    }
  }
}

/** Blocks of whole lines, `bytes` bytes of them to the next whole line. */
export function* corpusBlocks(bytes: number, recipe: CorpusRecipe): Generator<Buffer> {
  let left = bytes;
  let block = '';
  let lines = 0;
  for (const line of corpusLines(recipe)) {
    block += line;
    // Every program writes ASCII only.
    left -= line.length;
    if (left > 0 && ++lines % BLOCK_LINES !== 0) continue;
    yield Buffer.from(block);
    block = '';
    if (left <= 0) return;
  }
}

/** Writes a corpus of `bytes` bytes to `path`. */
export async function writeCorpus(
  path: string,
  bytes: number,
  recipe: CorpusRecipe,
): Promise<void> {
  const out = createWriteStream(path);
  for (const block of corpusBlocks(bytes, recipe)) {
    if (!out.write(block)) await once(out, 'drain');
  }
  out.end();
  await finished(out);
}
