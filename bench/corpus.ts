import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { LogLine, Moment } from './log-lines.ts';
import { LOG_MIX } from './log-lines.ts';
import type { Seeded } from './seeded.ts';
import { createSeeded } from './seeded.ts';

/** What a corpus is made from; the same recipe gives the same bytes. */
export interface CorpusRecipe {
  readonly seed: number;
  readonly anchors: readonly string[];
  /** One line in this many contains an anchor. */
  readonly linesPerHit: number;
}

const FIRST_MOMENT_MS = Date.UTC(2026, 10, 20, 10, 11, 12);
const FRAMES: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  ['Error syncing pod, skipping: ', ', retrying in 5s'],
  ['', ': retry budget 4 of 5'],
  ['attempt 3: ', ''],
  ['observed after 2m31s: ', ' (last seen 12s ago)'],
];
const MEAN_LINE_BYTES = 260;
const QUIET_TRIES = 8;

/** One expression that matches a line with any of the anchors in it. */
function anyOf(anchors: readonly string[]): RegExp {
  return new RegExp(anchors.map((anchor) => RegExp.escape(anchor)).join('|'));
}

function sentence(random: Seeded, anchor: string): string {
  const [before, after] = random.pick(FRAMES);
  return before + anchor + after;
}

/** A line without an anchor; an anchor that ordinary lines carry is let through in the end. */
function quietLine(moment: Moment, anchor: RegExp): string {
  let line = '';
  for (let tries = 0; tries < QUIET_TRIES; tries++) {
    line = moment.random.pick(LOG_MIX)(moment);
    if (!anchor.test(line)) break;
  }
  return line;
}

/** Endless log lines, each ending in a newline. */
export function* corpusLines(recipe: CorpusRecipe): Generator<string, never> {
  const random = createSeeded(recipe.seed);
  const hostname = 'ip-10-0-31-7.eu-west-1.compute.internal';
  const anchor = anyOf(recipe.anchors);
  const [first = ''] = recipe.anchors;
  const anchors: [string, ...string[]] = [first, ...recipe.anchors.slice(1)];
  for (let epochMs = FIRST_MOMENT_MS; ; epochMs += random.below(40)) {
    const moment = { random, epochMs, hostname };
    if (random.below(recipe.linesPerHit) !== 0) {
      yield `${quietLine(moment, anchor)}\n`;
      continue;
    }
    const program: LogLine = random.pick(LOG_MIX);
    yield `${program(moment, sentence(random, random.pick(anchors)))}\n`;
  }
}

/** Writes `bytes` bytes (to the next whole line) of corpus to `path`. */
export async function writeCorpus(
  path: string,
  bytes: number,
  recipe: CorpusRecipe,
): Promise<void> {
  const out = createWriteStream(path);
  let left = bytes;
  let block: string[] = [];
  for (const line of corpusLines(recipe)) {
    block.push(line);
    left -= Buffer.byteLength(line);
    if (left > 0 && block.length * MEAN_LINE_BYTES < 2 ** 20) continue;
    if (!out.write(block.join(''))) await once(out, 'drain');
    block = [];
    if (left <= 0) break;
  }
  out.end();
  await finished(out);
}
