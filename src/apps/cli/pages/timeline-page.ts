import type { Tombstone } from '../../../collection/timeline/deleted.ts';
import type { TimelineLine } from '../../../collection/timeline/fold.ts';
import type { StandingThen } from '../../../collection/timeline/standing-then.ts';
import { counted, lengthText } from '../../../domain/words.ts';
import { excerptOf } from '../../../evidence/redact.ts';
import { isoTime } from '../../../evidence/time.ts';

/** What is shown of a story. */
export interface TimelinePage {
  readonly cluster: string;
  /** The machine asked about, null for all. */
  readonly name: string | null;
  /** Everything that it is called, UIDs included. */
  readonly names: readonly string[];
  readonly atMs: number | null;
  /** How machines stood at that time; empty where no time was named. */
  readonly standings: readonly StandingThen[];
  readonly lines: readonly TimelineLine[];
  readonly isCut: boolean;
}

const WHAT_MAX = 600;
const NAME_MAX = 100;
const SOURCE_WIDTH = 21;
/** Clocks that agree as well as this are not worth a word, ms. */
const SKEW_SHOWN_MS = 5000;

/** To the second, in UTC. */
export function secondText(ms: number): string {
  const whole = { ms: Math.floor(ms / 1000) * 1000, yearless: false, clock: 'utc' } as const;
  return isoTime(whole) ?? '';
}

export function shownName(name: string): string {
  return excerptOf(name, NAME_MAX);
}

/** `  (×12 until 2026-05-01T10:00:00Z)`: what a line has beside its words; empty for most. */
export function remarkOf({ count, lastMs }: TimelineLine): string {
  return count > 1 ? `  (×${count} until ${secondText(lastMs)})` : '';
}

/** What is to know of clocks that disagree with the recording program's; null where none does. */
export function clockText(lines: readonly TimelineLine[]): string | null {
  const skews = lines.flatMap(({ row }) => row.skewMs ?? []);
  const most = skews.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
  if (Math.abs(most) < SKEW_SHOWN_MS) return null;
  const seconds = Math.round(Math.abs(most) / 1000);
  const side = most > 0 ? 'behind' : 'ahead of';
  return `The clock that recorded was up to ${seconds} s ${side} the cluster's; lines are in the order of true time.`;
}

export function shownWhat(line: TimelineLine): string {
  return excerptOf(line.what, WHAT_MAX);
}

/** Where several objects are in one page, each line names its own. */
function isNamed({ name, lines }: TimelinePage): boolean {
  const nodes = lines.filter(({ row }) => row.subjectKind === 'Node').map(({ row }) => row.subject);
  return name === null || new Set(nodes).size > 1;
}

function lineText(line: TimelineLine, named: boolean): string {
  const source = excerptOf(line.row.source, SOURCE_WIDTH).padEnd(SOURCE_WIDTH);
  const subject = named ? `${shownName(line.row.subject)}  ` : '';
  return `${secondText(line.row.atMs)}  ${source}  ${subject}${shownWhat(line)}${remarkOf(line)}`;
}

function headText({ name, names, cluster }: TimelinePage): string {
  const others = names.filter((one) => one !== name).map(shownName);
  const also =
    others.length === 0
      ? ''
      : ` (${others.slice(0, 8).join(', ')}${others.length > 8 ? ', …' : ''})`;
  return name === null ? `Cluster ${shownName(cluster)}` : `${shownName(name)}${also}`;
}

export function standingText({ subject, node, standing, sinceMs }: StandingThen): string {
  const called = node === null || node === subject ? '' : ` ${shownName(node)}`;
  return `${shownName(subject)}${called}: ${excerptOf(standing)} since ${secondText(sinceMs)}`;
}

/** The page of a story, one line each. */
export function timelinePage(page: TimelinePage): string {
  const { atMs, standings, lines, isCut } = page;
  if (lines.length === 0) return '';
  const named = isNamed(page);
  const then =
    atMs === null
      ? []
      : [
          `At ${secondText(atMs)}:`,
          ...(standings.length === 0 ? ['  no verdict was recorded before'] : []),
          ...standings.map((one) => `  ${standingText(one)}`),
          '',
        ];
  const cut = isCut ? ['There is more than is shown; choose a time: --since, --at'] : [];
  const clock = clockText(lines);
  const rows = [
    headText(page),
    ...(clock === null ? [] : [clock]),
    '',
    ...then,
    ...lines.map((line) => lineText(line, named)),
    ...cut,
  ];
  return rows.map((row) => `${row}\n`).join('');
}

/** `ip-10-0-1-2 i-0abc…`. */
export function stoneName({ name, instance }: Tombstone): string {
  const machine = instance === null || instance === name ? '' : ` ${shownName(instance)}`;
  return `${shownName(name)}${machine}`;
}

export function stoneFacts({ livedMs, lastStanding, uid }: Tombstone): string {
  return [
    livedMs === null
      ? 'its beginning was not recorded'
      : `lived ${lengthText(Math.max(0, livedMs))}`,
    lastStanding === null ? 'no verdict recorded' : `last verdict ${excerptOf(lastStanding)}`,
    ...(uid === null ? [] : [`UID ${shownName(uid)}`]),
  ].join('; ');
}

/** What is gone, each with what was recorded around its end. */
export function deletedPage(stones: readonly Tombstone[]): string {
  const rows = stones.flatMap((stone) => [
    `${secondText(stone.atMs)}  ${stone.kind} ${stoneName(stone)}: ${stoneFacts(stone)}`,
    ...stone.lastWords.map((word) => `    ${excerptOf(word, WHAT_MAX)}`),
  ]);
  const end = stones.length === 0 ? [] : ['', `${counted(stones.length, 'Node or instance')} gone`];
  return [...rows, ...end.map((row) => row.replace('Node or instances', 'Nodes and instances'))]
    .map((row) => `${row}\n`)
    .join('');
}
