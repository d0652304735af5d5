/**
 * `node bench/spot/run.ts [--seeds N] [--from SEED]`: what a week costs that is planned with
 * `rollcall spot`, with the cheapest pool and with the strategy lowest-price, over made histories.
 */
import { parseArgs } from 'node:util';
import { type Outcome, replay, STRATEGIES } from './replay.ts';

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function row(name: string, outcomes: readonly Outcome[]): string {
  const regrets = outcomes.map(({ objective, best }) => objective / best - 1);
  const cells = [
    name,
    `$${mean(outcomes.map(({ cost }) => cost)).toFixed(3)}`,
    percent(mean(regrets)),
    percent(percentile(regrets, 0.95)),
    percent(mean(outcomes.map(({ lost }) => lost))),
    percent(
      percentile(
        outcomes.map(({ lostAtOnce }) => lostAtOnce),
        0.95,
      ),
    ),
    percent(Math.max(...outcomes.map(({ lostAtOnce }) => lostAtOnce))),
  ];
  return `| ${cells.join(' | ')} |`;
}

const HEADING = [
  '| strategy | cost an hour | regret, mean | regret, p95 | taken away in a week, mean | at once, p95 | at once, most |',
  '| --- | --- | --- | --- | --- | --- | --- |',
];

function main(): void {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '20' },
      from: { type: 'string', default: '1' },
    },
  });
  const from = Number(values.from);
  const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => from + index);
  const replays = seeds.map((seed) => replay(seed));
  const rows = Object.keys(STRATEGIES).map((name) =>
    row(
      name,
      replays.flatMap((outcomes) => outcomes.get(name) ?? []),
    ),
  );
  console.log([...HEADING, ...rows].join('\n'));
}

main();
