import { FAULT_CLASSES } from '../../sim/faults/list.ts';
import { type Way, WAYS } from '../../sim/invariants/contract.ts';
import { type Confusion, type ConfusionRow, OUTCOMES } from '../../sim/oracle/confusion.ts';
import type { Mistake } from '../../sim/oracle/mistakes.ts';
import type { Score } from '../../sim/oracle/score.ts';
import type { Tally } from '../../sim/oracle/tally.ts';

/** Ways of looking as a page calls them. */
export const WAY_TITLES: Readonly<Record<Way, string>> = {
  live: 'Live',
  files: 'Live, with files of machines that do not work',
  pile: 'A pile of files with gaps',
};

const TITLES = new Map(FAULT_CLASSES.map(({ id, title }) => [id, title]));

function titleOf(truth: string): string {
  const title = TITLES.get(truth);
  return title === undefined ? truth : `${truth} ${title}`;
}

function mostOf(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .toSorted((one, other) => other[1] - one[1])
    .slice(0, 4)
    .map(([cause, times]) => `${cause} ${times}`)
    .join(', ');
}

function cells({ truth, counts, named, wrong }: ConfusionRow): readonly string[] {
  return [
    titleOf(truth),
    ...OUTCOMES.map((outcome) => String(counts[outcome])),
    mostOf(named),
    mostOf(wrong),
  ];
}

const HEAD = ['there was', ...OUTCOMES, 'named were', 'wrong were'];

/** The table of what was there against what was said, as Markdown. */
export function confusionTable(confusion: Confusion): string {
  return tableOf(HEAD, confusion.rows().map(cells));
}

const CAUSE_HEAD = ['named was', 'true', 'not true', 'there was', 'there was, when not true'];

/** The table of what was named against what was there, as Markdown. */
export function causeTable(confusion: Confusion): string {
  const rows = confusion
    .causes()
    .map(({ cause, right, wrong, behind, instead }) => [
      cause,
      String(right),
      String(wrong),
      mostOf(behind),
      mostOf(instead),
    ]);
  return tableOf(CAUSE_HEAD, rows);
}

const MISTAKE_HEAD = ['said was', 'which is', 'there was', 'times', 'by way', 'first seed'];

/** Classes of wrong answers, as Markdown. */
export function mistakeTable(mistakes: readonly Mistake[]): string {
  const rows = mistakes.map(({ said, as, there, times, ways, seed }) => [
    said,
    as === 'wrong' ? 'not true' : 'what shows, and no cause',
    there,
    String(times),
    [...ways].join(', '),
    String(seed),
  ]);
  return tableOf(MISTAKE_HEAD, rows);
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}

/** Figures of a score by their names, the hardness of the oracle first. */
export function scoreCells(score: Score): readonly (readonly [string, string])[] {
  const { machines, width, constant, shuffled, right, wrong, silent, rightOfNamed } = score;
  const { candidates } = score;
  return [
    ['machines that do not work, once for each look', String(machines)],
    [
      'accepted causes of one: median, 90th percentile, most',
      `${width.median}, ${width.p90}, ${width.max}`,
    ],
    ['the best constant answer is right', `${percent(constant.right)}, ${constant.cause}`],
    ['answers shuffled between seeds are right', percent(shuffled)],
    ['ours are right, of those that name a cause', percent(rightOfNamed)],
    ['ours are right, of all', percent(right)],
    ['ours are wrong, of all', percent(wrong)],
    ['no cause is named, of all', percent(silent)],
    [
      'of those, asked about: machines; a true cause among the first three; none',
      `${candidates.machines}; ${candidates.amongFirst}; ${candidates.omitted}`,
    ],
  ];
}

/** The same in a few lines of text. */
export function scoreLines(tally: Tally): string {
  const lines = scoreCells(tally.whole()).map(([name, value]) => `${name}: ${value}`);
  return `${lines.join('\n')}\n`;
}

/** Columns of figures side by side, as Markdown. */
export function scoreTable(
  columns: readonly (readonly [string, readonly (readonly [string, string])[]])[],
): string {
  const [first] = columns;
  const rows = (first?.[1] ?? []).map(([name], index) => [
    name,
    ...columns.map(([, figures]) => figures[index]?.[1] ?? ''),
  ]);
  return tableOf(['', ...columns.map(([title]) => title)], rows);
}

/** Every table of a tally, as Markdown. */
export function tallyTables(tally: Tally): string {
  const scores = WAYS.map((way) => [WAY_TITLES[way], scoreCells(tally.score(way))] as const);
  const ways = WAYS.map(
    (way) => `## ${WAY_TITLES[way]}\n\n${confusionTable(tally.confusions[way])}`,
  );
  const wrong = `## Wrong answers\n\n${mistakeTable(tally.mistakes.all())}`;
  return [scoreTable(scores), ...ways, wrong].join('\n');
}

/** A tally as programs read it. */
export function tallyJson(tally: Tally): object {
  const ways = WAYS.map((way) => [way, confusionJson(tally.confusions[way])] as const);
  return {
    scores: Object.fromEntries(WAYS.map((way) => [way, tally.score(way)])),
    confusion: Object.fromEntries(ways),
    mistakes: tally.mistakes.all().map((one) => ({ ...one, ways: [...one.ways] })),
  };
}

function confusionJson(confusion: Confusion): object {
  return confusion.rows().map(({ truth, counts, named, wrong }) => ({
    truth,
    counts,
    named: Object.fromEntries(named),
    wrong: Object.fromEntries(wrong),
  }));
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, head.map(() => '---'), ...rows];
  return `${all.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`;
}
