/**
 * `node tools/race.ts [--seeds N]`: lets machines join in N worlds of three, and as many machines in
 * larger ones, for each boot time, cluster and controller, and writes how many Nodes were deleted as
 * not in the cloud to docs/race.md and docs/race.svg.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { raceChart } from './race-chart.ts';
import { type Field, rateOf, type Tally } from './race-field.ts';
import { chartPanels, type Measured, racePage } from './race-page.ts';

const DOCS = join(import.meta.dirname, '../docs');
const BOOTS_S = [5, 15, 30, 60, 120] as const;
const SIZES = [3, 30, 100] as const;
const ASKING = [
  { controller: '1.29', askedBy: 'name' },
  { controller: '1.34', askedBy: 'name' },
  { controller: '1.37', askedBy: 'name' },
  { controller: '1.34', askedBy: 'id' },
] as const;
const SEEDS_MAX = 100_000;

function seedsOf(text: string): number {
  const seeds = Number(text);
  if (Number.isInteger(seeds) && seeds >= 1 && seeds <= SEEDS_MAX) return seeds;
  throw new RangeError(`--seeds takes a whole number from 1 to ${SEEDS_MAX}, not ${text}`);
}

function fields(): readonly Field[] {
  return SIZES.flatMap((size) =>
    ASKING.flatMap((asking) => BOOTS_S.map((bootS) => ({ ...asking, size, bootS }))),
  );
}

function say({ size, bootS, controller, askedBy }: Field, { machines, lost }: Tally): void {
  const what = `${size} machines, boot ${bootS} s, ${controller} by ${askedBy}`;
  process.stderr.write(`${what}: ${lost} of ${machines}\n`);
}

function main(): void {
  const { values } = parseArgs({ options: { seeds: { type: 'string', default: '1000' } } });
  const seeds = seedsOf(values.seeds);
  const measured: readonly Measured[] = fields().map((field) => {
    const tally = rateOf(field, seeds);
    say(field, tally);
    return { field, tally };
  });
  writeFileSync(join(DOCS, 'race.svg'), raceChart(chartPanels(measured)));
  writeFileSync(join(DOCS, 'race.md'), racePage(measured, `node tools/race.ts --seeds ${seeds}`));
}

main();
