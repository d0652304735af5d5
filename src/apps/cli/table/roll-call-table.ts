import type {
  GroupGap,
  RollCallDocument,
  RollCallRow,
} from '../../../diagnosis/roll-call/document.ts';
import { type LastEvent, rowKey, type RowTimes } from '../../../diagnosis/roll-call/times.ts';
import { lossSentences } from '../../../diagnosis/report/left-out.ts';
import { gapSentence } from '../../../diagnosis/roll-call/gaps.ts';
import { sharedSentence } from '../../../diagnosis/roll-call/shared.ts';
import { wrap, wrapCommand } from '../../../diagnosis/report/wrap.ts';
import { ageText } from './age.ts';
import { type Column, columnLines, columnWidth } from './columns.ts';
import { cellText, cutTo } from './width.ts';

export interface TableOptions {
  /** Every column, uncut. */
  readonly wide: boolean;
  readonly headers: boolean;
  /** Columns that there are; infinite where no terminal limits them, as in a pipe. */
  readonly columns: number;
  readonly colour: boolean;
  readonly nowMs: number | null;
  /** True for rows of which nothing is judged yet. */
  readonly isUnjudged?: boolean;
  /** Since when rows stand as they do, and what happened last, by their keys; without it no column has it. */
  readonly times?: ReadonlyMap<string, RowTimes>;
  /** True to show what happened last in place of the cause. */
  readonly isOfEvents?: boolean;
  /** True where the numbers stand above the rows. */
  readonly isCounted?: boolean;
}

const GAP = 2;
/** A headline shorter than this names no cause; other columns are left out before it is. */
const HEADLINE_LEAST = 24;
/** What is left of both on a terminal too narrow for anything. */
const CELL_LEAST = 8;
/** The first to go when all columns together are too wide. */
const LEFT_OUT_FIRST = ['ZONE', 'TYPE', 'AGE', 'INSTANCE', 'SINCE'];
/** The last column, which is cut where nothing else is left. */
const LAST_COLUMNS = ['HEADLINE', 'WHAT'];
/** Sentences are folded for readers also where a line may be of any length. */
const UNLIMITED_PROSE = 100;
const SENTENCES_MAX = 3;
const GAPS_MAX = 10;
const NONE = '<none>';

/** The cause that the row names, whose it is when it is not the machine's own, and the note. */
export function headlineText({ headline, note, name, instanceId }: RollCallRow): string {
  if (headline === null) return note ?? '';
  const isOwn = headline.subject === instanceId || headline.subject === name;
  const marks = [
    ...(isOwn ? [] : [headline.subject]),
    ...(headline.confidence === 'likely' ? ['likely'] : []),
  ];
  const cause = marks.length === 0 ? headline.cause : `${headline.cause} (${marks.join(', ')})`;
  return note === null ? cause : `${cause}. ${note}`;
}

function column(
  header: string,
  rows: readonly RollCallRow[],
  cell: (row: RollCallRow) => string | null,
): Column {
  return { header, cells: rows.map((row) => cellText(cell(row) ?? NONE)) };
}

/** A machine that is usable has climbed all rungs, so the document has no stage for it. */
function stageText({ stage, verdict }: RollCallRow): string {
  return verdict === 'usable' ? 'usable' : (stage ?? '-');
}

function groupText({ group }: RollCallRow): string {
  return group.kind === 'none' ? NONE : `${group.kind}/${group.name ?? ''}`;
}

function ageOf(atMs: number | null | undefined, nowMs: number | null): string {
  return atMs === null || atMs === undefined
    ? '<unknown>'
    : ageText(new Date(atMs).toISOString(), nowMs);
}

function sinceColumn(rows: readonly RollCallRow[], { times, nowMs }: TableOptions): Column {
  return column('SINCE', rows, (row) => ageOf(times?.get(rowKey(row))?.sinceMs, nowMs));
}

/** What happened to whom last. */
function eventColumns(rows: readonly RollCallRow[], options: TableOptions): readonly Column[] {
  const { times, nowMs } = options;
  const lastOf = (row: RollCallRow): LastEvent | null => times?.get(rowKey(row))?.last ?? null;
  return [
    column('NAME', rows, ({ name }) => name),
    column('INSTANCE', rows, ({ instanceId }) => instanceId),
    column('VERDICT', rows, ({ verdict }) => verdict),
    sinceColumn(rows, options),
    column('LAST', rows, (row) => ageOf(lastOf(row)?.atMs, nowMs)),
    column('WHAT', rows, (row) => lastOf(row)?.what ?? null),
  ];
}

function allColumns(rows: readonly RollCallRow[], options: TableOptions): readonly Column[] {
  const { nowMs, wide, isUnjudged = false } = options;
  const widened = wide
    ? [
        column('NODE', rows, ({ node }) => node),
        column('GROUP', rows, groupText),
        column('IMAGE', rows, ({ image }) => image),
        column('LAUNCHED', rows, ({ launchedAt }) => launchedAt),
      ]
    : [];
  if (options.isOfEvents === true) return eventColumns(rows, options);
  return [
    column('NAME', rows, ({ name }) => name),
    column('INSTANCE', rows, ({ instanceId }) => instanceId),
    column('TYPE', rows, ({ instanceType }) => instanceType),
    column('ZONE', rows, ({ zone }) => zone),
    column('AGE', rows, ({ launchedAt }) => ageText(launchedAt, nowMs)),
    column('STAGE', rows, stageText),
    column('VERDICT', rows, ({ verdict }) => (isUnjudged ? '…' : verdict)),
    ...(options.times === undefined ? [] : [sinceColumn(rows, options)]),
    ...widened,
    column('HEADLINE', rows, headlineText),
  ];
}

interface Fitted {
  readonly columns: readonly Column[];
  /** What was done to make it fit, in sentences. */
  readonly notes: readonly string[];
}

function totalWidth(columns: readonly Column[], headers: boolean): number {
  const widths = columns.map((entry) => columnWidth(entry, headers));
  return widths.reduce((sum, width) => sum + width + GAP, -GAP);
}

/** The part behind the first dot that all names with one have, null when they differ. */
function commonDomain(names: readonly string[]): string | null {
  const dotted = names.filter((name) => name.includes('.') && !/^[\d.]+$/.test(name));
  const [first] = dotted;
  if (first === undefined || dotted.length < 2) return null;
  const domain = first.slice(first.indexOf('.'));
  const isCommon = dotted.every((name) => name.slice(name.indexOf('.')) === domain);
  const bare = names.map((name) => name.replace(domain, ''));
  return isCommon && new Set(bare).size === new Set(names).size ? domain : null;
}

function shortNames({ columns, notes }: Fitted): Fitted {
  const domain = commonDomain(columns[0]?.cells ?? []);
  if (domain === null) return { columns, notes };
  const shorter = columns.map((entry) =>
    entry.header === 'NAME'
      ? { ...entry, cells: entry.cells.map((cell) => cell.replace(domain, '')) }
      : entry,
  );
  return { columns: shorter, notes: [...notes, `Long names continue with ${domain}`] };
}

function cutColumn(columns: readonly Column[], header: string, width: number): readonly Column[] {
  return columns.map((entry) =>
    entry.header === header
      ? { ...entry, cells: entry.cells.map((cell) => cutTo(cell, width)) }
      : entry,
  );
}

function saysNothing({ header, cells }: Column): boolean {
  return LEFT_OUT_FIRST.includes(header) && cells.every((cell) => /^<\w+>$/.test(cell));
}

/** Leaves out columns until the headline has room, one after another; empty ones need no word. */
function leaveOut(fitted: Fitted, isRoomy: (columns: readonly Column[]) => boolean): Fitted {
  if (isRoomy(fitted.columns)) return fitted;
  let columns = fitted.columns.filter((entry) => !saysNothing(entry));
  const gone: string[] = [];
  for (const header of LEFT_OUT_FIRST) {
    if (isRoomy(columns)) break;
    if (columns.some((entry) => entry.header === header)) gone.push(header);
    columns = columns.filter((entry) => entry.header !== header);
  }
  if (gone.length === 0) return { columns, notes: fitted.notes };
  const note = `No room for ${gone.toReversed().join(', ')}: -o wide shows them`;
  return { columns, notes: [...fitted.notes, note] };
}

/** Cuts headlines; where that would cut the cause, shortens names and leaves columns out first. */
function fit(all: readonly Column[], options: TableOptions): Fitted {
  const room = options.columns;
  const widest = columnWidth(all.at(-1) ?? { header: '', cells: [] }, options.headers);
  const least = Math.min(widest, HEADLINE_LEAST);
  const rest = (columns: readonly Column[]): number =>
    totalWidth(columns.slice(0, -1), options.headers) + GAP;
  const isRoomy = (columns: readonly Column[]): boolean => rest(columns) + least <= room;
  const plain: Fitted = { columns: all, notes: [] };
  const short = isRoomy(all) ? plain : shortNames(plain);
  const left = leaveOut(short, isRoomy);
  const over = rest(left.columns) + least - room;
  const nameWidth = columnWidth(left.columns[0] ?? { header: '', cells: [] }, options.headers);
  const named =
    over > 0
      ? cutColumn(left.columns, 'NAME', Math.max(CELL_LEAST, nameWidth - over))
      : left.columns;
  const headline = Math.max(CELL_LEAST, room - rest(named));
  const last = named.at(-1)?.header ?? '';
  const isCut = LAST_COLUMNS.includes(last);
  return { columns: isCut ? cutColumn(named, last, headline) : named, notes: left.notes };
}

const PAINT = { usable: 32, 'not-usable': 31, 'cannot-tell': 33 } as const;

/** The table alone: a header and one line per machine. */
export function tableLines(
  rows: readonly RollCallRow[],
  options: TableOptions,
): { readonly lines: readonly string[]; readonly notes: readonly string[] } {
  const all = allColumns(rows, options);
  const { columns, notes } = options.wide ? { columns: all, notes: [] } : fit(all, options);
  const paint = (text: string, { header }: Column, row: number): string => {
    const verdict = rows[row]?.verdict;
    if (!options.colour || header !== 'VERDICT' || verdict === undefined || text === '…')
      return text;
    return `\u001b[${PAINT[verdict]}m${text}\u001b[0m`;
  };
  return { lines: columnLines(columns, { gap: GAP, headers: options.headers, paint }), notes };
}

function more(count: number, shown: number, what: string): readonly string[] {
  return count > shown ? [`and ${count - shown} more ${what}: -o json`] : [];
}

function gapLines(gaps: readonly GroupGap[]): readonly string[] {
  const lines = gaps.slice(0, GAPS_MAX).map((gap) => cellText(gapSentence(gap)));
  return [...lines, ...more(gaps.length, GAPS_MAX, 'groups')];
}

function sharedLines({ shared, rows }: RollCallDocument): readonly string[] {
  const usable = rows.filter(({ verdict }) => verdict === 'usable').length;
  const lines = shared
    .slice(0, SENTENCES_MAX)
    .map((entry) => cellText(sharedSentence(entry, usable)));
  return [...lines, ...more(shared.length, SENTENCES_MAX, 'in common')];
}

function clusterLines({ cluster }: RollCallDocument): readonly string[] {
  const lines = cluster
    .slice(0, SENTENCES_MAX)
    .map(({ name, cause, confidence, summary }) =>
      cellText(
        `Cluster ${name}: ${cause}${confidence === 'likely' ? ' (likely)' : ''}. ${summary} See: rollcall diagnose`,
      ),
    );
  return [...lines, ...more(cluster.length, SENTENCES_MAX, 'of the cluster')];
}

function unseenLines(document: RollCallDocument, columns: number): readonly string[] {
  const { notObservable, losses } = document;
  const unseen = notObservable
    .slice(0, SENTENCES_MAX)
    .flatMap(({ stage, why, collect }) => [
      ...wrap(cellText(`Not seen (${stage}): ${why}`), columns),
      ...wrapCommand(`$ ${cellText(collect)}`, columns - 2).map((line) => `  ${line}`),
    ]);
  const sentences = lossSentences(losses);
  const lost = sentences
    .slice(0, SENTENCES_MAX)
    .flatMap((what) => wrap(cellText(`Left out: ${what}`), columns));
  return [
    ...unseen,
    ...more(notObservable.length, SENTENCES_MAX, 'not seen'),
    ...lost,
    ...more(sentences.length, SENTENCES_MAX, 'left out'),
  ];
}

/** A summary in numbers: how many machines have each verdict. */
export function countLine(rows: readonly RollCallRow[]): string {
  const counts = (['usable', 'not-usable', 'cannot-tell'] as const).map(
    (verdict) => `${rows.filter((row) => row.verdict === verdict).length} ${verdict}`,
  );
  return `${rows.length} machine${rows.length === 1 ? '' : 's'}: ${counts.join(', ')}`;
}

/**
 * The page that a person reads: the table, then what failures share, what groups lack and what was
 * not seen, each in a paragraph of its own. Without headers only the rows, for scripts.
 *
 * @param shown the rows to print, which may be fewer than the document has
 */
export function rollCallPage(
  document: RollCallDocument,
  shown: readonly RollCallRow[],
  options: TableOptions,
): readonly string[] {
  const { lines, notes } =
    shown.length === 0 ? { lines: [], notes: [] } : tableLines(shown, options);
  if (!options.headers) return lines;
  const prose = Number.isFinite(options.columns) ? options.columns : UNLIMITED_PROSE;
  const paragraphs = [
    [...lines, ...notes.map((note) => cutTo(`(${note})`, options.columns))],
    document.rows.length === 0 || options.isCounted === true ? [] : [countLine(document.rows)],
    sharedLines(document).flatMap((line) => wrap(line, prose)),
    gapLines(document.gaps).flatMap((line) => wrap(line, prose)),
    clusterLines(document).flatMap((line) => wrap(line, prose)),
    unseenLines(document, prose),
  ];
  return paragraphs
    .filter((paragraph) => paragraph.length > 0)
    .flatMap((paragraph, index) => (index === 0 ? paragraph : ['', ...paragraph]));
}
