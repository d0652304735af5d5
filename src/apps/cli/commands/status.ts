import { systemClock } from '../../../adapters/system/clock.ts';
import type { DiagnosisDocument, NotObservable } from '../../../diagnosis/document.ts';
import { leftOutLine } from '../../../diagnosis/report/left-out.ts';
import { isCalled, rowsCalled } from '../../../diagnosis/roll-call/called.ts';
import { areRowsWhole, withUnread } from '../../../diagnosis/roll-call/whole.ts';
import { changedRows, changeLines } from '../../../diagnosis/roll-call/changes.ts';
import type { RollCallDocument, RollCallRow } from '../../../diagnosis/roll-call/document.ts';
import type { TimesOfRow } from '../../../collection/timeline/recorded-times.ts';
import { rollCallOf } from '../../../diagnosis/roll-call/roll-call.ts';
import { verdictOfRollCall } from '../../../diagnosis/roll-call/verdict.ts';
import type { Observations } from '../../../evidence/observations.ts';
import { excerptOf } from '../../../evidence/redact.ts';
import { type CliContext, type Command, UsageError } from '../context.ts';
import { EXIT, exitCodeOfVerdict } from '../exit-code.ts';
import { readGiven } from '../given-files.ts';
import { isTerminal } from '../output.ts';
import type { LiveFlags } from '../live/flags.ts';
import { sayNotices, type WatchNotice } from '../live/watch-notices.ts';
import { diagnoseObservations } from '../../../engine/diagnose.ts';
import { structured } from '../structured.ts';
import { customLines } from '../table/custom-columns.ts';
import { firstRowsOf, firstRowsPage, wiped } from '../table/first-rows.ts';
import { printTemplate } from '../table/json-path.ts';
import { JsonPathError } from '../table/json-path-tree.ts';
import { clipLines, repaint } from '../table/redraw.ts';
import { rollCallPage, type TableOptions } from '../table/roll-call-table.ts';
import { sortRows } from '../table/sort-by.ts';
import { timesOfRows, withTimes } from '../table/row-times.ts';
import { readStatusArguments, type StatusArguments } from '../table/status-arguments.ts';
import { type LastChange, watchHeader } from '../table/watch-header.ts';
import { cellText, cutTo } from '../table/width.ts';

/** One look at a cluster, or at files. */
export interface StatusObservation {
  readonly observations: Observations;
  readonly document: DiagnosisDocument;
  /** When the cluster was looked at, ms since the epoch; null when nobody knows. */
  readonly nowMs: number | null;
  /** What a source refused or was down for. */
  readonly notObservable: readonly NotObservable[];
}

/** What a watch tells. */
export interface WatchPrinter {
  readonly show: (look: StatusObservation) => void;
  /** What is wrong with the watching itself; to be told again when it reads otherwise. */
  readonly tell: (notices: readonly WatchNotice[]) => void;
  /** Shown until the first look is whole. */
  readonly first: OnFirstNodes;
}

/** Hears the Nodes while everything else is still asked for, with the time of the look. */
export type OnFirstNodes = (observations: Observations, nowMs: number) => void;

/** The recording to append to, and the queue of events of AWS; null for none. */
export type WatchWishes = Pick<StatusArguments, 'record' | 'awsEvents'>;

/** Where the roll call comes from when no files are given. */
export interface StatusSource {
  /** Looks once. */
  readonly observe: (
    live: LiveFlags,
    context: CliContext,
    onFirstNodes?: OnFirstNodes,
  ) => Promise<StatusObservation>;
  /** Looks again and again, telling each look, until the watch is ended; null when it cannot. */
  readonly watch:
    | ((
        live: LiveFlags,
        context: CliContext,
        printer: WatchPrinter,
        wishes: WatchWishes,
      ) => Promise<void>)
    | null;
  /** Lines of the terminal, for the screen that `--watch` keeps; null when it is none. */
  readonly height: () => number | null;
}

/**
 * 1 when a machine or a lacking group is not usable or a cause of the cluster itself is named, as
 * `diagnose` ends; else 2 when one cannot be told, else 0.
 */
export function exitCodeOfRollCall(document: RollCallDocument): number {
  return exitCodeOfVerdict(verdictOfRollCall(document));
}

/** Longer names than anything has are told by their beginning. */
const NAME_MAX = 100;

/** The document with only the machines that were asked for by name. */
function named(document: RollCallDocument, names: readonly string[]): RollCallDocument {
  if (names.length === 0) return document;
  const unknown = names.find((name) => !document.rows.some((row) => isCalled(row, name)));
  if (unknown !== undefined)
    throw new UsageError(
      `No machine is named ${JSON.stringify(excerptOf(unknown, NAME_MAX))}; list them: rollcall status -o name`,
    );
  return rowsCalled(document, names);
}

/** The roll call of one look, with only the machines asked for. Throws `UsageError`. */
export function callRoll(
  look: StatusObservation,
  asked: Pick<StatusArguments, 'selects' | 'expected' | 'names'>,
): RollCallDocument {
  const { selects, expected, names } = asked;
  const all = rollCallOf({ ...look, expected, ...(selects === null ? {} : { selects }) });
  return named(all, names);
}

function shownRows(document: RollCallDocument, asked: StatusArguments): readonly RollCallRow[] {
  const rows = asked.failed
    ? document.rows.filter(({ verdict }) => verdict === 'not-usable')
    : document.rows;
  return asked.sortBy === null ? rows : sortRows(rows, asked.sortBy);
}

function lined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** What is printed for one roll call in the format asked for. */
export async function printedRollCall(
  document: RollCallDocument,
  asked: StatusArguments,
  options: TableOptions,
): Promise<string> {
  const rows = shownRows(document, asked);
  const { output, headers } = asked;
  const { kind } = output;
  if (kind === 'table' || kind === 'wide') return lined(rollCallPage(document, rows, options));
  if (kind === 'name') return lined(rows.map(({ name }) => `machine/${cellText(name)}`));
  if (kind === 'custom-columns') return lined(customLines(output.columns, rows, headers));
  const shown = { ...document, rows };
  if (kind === 'jsonpath') return printTemplate(output.template, shown);
  return structured(shown, kind);
}

function tableOptions(
  asked: StatusArguments,
  context: CliContext,
  nowMs: number | null,
): TableOptions {
  return {
    wide: asked.output.kind === 'wide',
    headers: asked.headers,
    columns: context.width,
    colour: context.colour,
    nowMs,
  };
}

/** One look at files. */
export async function observeFiles(
  paths: readonly string[],
  context: CliContext,
): Promise<StatusObservation> {
  const observations = await readGiven(paths, context);
  const document = await diagnoseObservations(observations);
  // What Rollcall itself collected tells when; of other files nobody knows it.
  const nowMs = observations.collection?.atMs ?? null;
  return { observations, document, nowMs, notObservable: [] };
}

function sayNothing(document: RollCallDocument, asked: StatusArguments, context: CliContext): void {
  if (shownRows(document, asked).length > 0) return;
  const why = asked.failed && document.rows.length > 0 ? 'is known to be unusable' : 'was seen';
  context.err(`No machine ${why}.\n`);
}

async function recordedBy(asked: StatusArguments): Promise<TimesOfRow | null> {
  const { record, live, watch } = asked;
  if (record === null) return null;
  const { timesInRecord } = await import('../live/record-times.ts');
  return timesInRecord(record, live.cluster ?? null, watch);
}

async function once(
  look: StatusObservation,
  recorded: TimesOfRow | null,
  asked: StatusArguments,
  context: CliContext,
): Promise<number> {
  const plain = callRoll(look, asked);
  const isTimed = asked.events || asked.record !== null;
  const usual = tableOptions(asked, context, look.nowMs);
  const { document, options } = isTimed
    ? withTimes(plain, timesOfRows(look.document, plain, recorded), asked, usual)
    : { document: plain, options: usual };
  try {
    context.out(await printedRollCall(document, asked, options));
  } catch (error) {
    if (error instanceof JsonPathError) throw new UsageError(error.message);
    throw error;
  }
  sayNothing(document, asked, context);
  return exitCodeOfRollCall(document);
}

function timeOf(nowMs: number | null): string {
  return nowMs === null ? '' : `${new Date(nowMs).toISOString()}  `;
}

/** A log of changes has no page that tells what was left out: once, beside the log. */
function sayLeftOut({ losses }: RollCallDocument, context: CliContext): void {
  const line = leftOutLine(losses, 'rollcall status -o json');
  if (line !== null) context.err(`${line}\n`);
}

/** One document a line, whenever it says anything else. */
function stream(
  last: RollCallDocument | null,
  document: RollCallDocument,
  asked: StatusArguments,
  context: CliContext,
): void {
  const textOf = (one: RollCallDocument): string =>
    JSON.stringify({ ...one, rows: shownRows(one, asked) });
  const text = textOf(document);
  if (last === null || textOf(last) !== text) context.out(`${text}\n`);
}

interface WatchMeans {
  readonly height: () => number | null;
  /** The time for lines that come of no look, ms since the epoch. */
  readonly nowMs: () => number;
  /** What was recorded before the watch began. */
  readonly recorded?: TimesOfRow | null;
}

/**
 * Shows look after look: on a terminal of `height` lines in place, elsewhere a line per change.
 *
 * @returns what to call with each look, and the exit code of the last one
 */
export function createWatchPrinter(
  asked: StatusArguments,
  context: CliContext,
  { height, nowMs, recorded = null }: WatchMeans,
): WatchPrinter & { readonly exitCode: () => number } {
  const screen = createScreen(context, height);
  const sayBeside = sayNotices((line) => context.err(`${cellText(line)}\n`));
  const say = sayNotices((line) => context.out(`${timeOf(nowMs())}${cellText(line)}\n`));
  let last: RollCallDocument | null = null;
  /** With machines that could not be read, which have not gone by that. */
  let known: RollCallDocument | null = null;
  let change: LastChange | null = null;
  /** When rows changed while the watch looked. */
  const changedMs = new Map<string, number>();
  const show = (look: StatusObservation): void => {
    const document = callRoll(look, asked);
    const before = known;
    known = areRowsWhole(look.observations, true) ? document : withUnread(before, document);
    const lines = changeLines(before, known);
    if (before !== null && look.nowMs !== null)
      for (const key of changedRows(before, known)) changedMs.set(key, look.nowMs);
    const newest = before === null ? undefined : lines.at(-1);
    if (newest !== undefined) change = { line: newest, atMs: look.nowMs };
    if (asked.output.kind === 'json') stream(last, document, asked, context);
    else if (height() === null) {
      if (last === null) sayLeftOut(document, context);
      context.out(lined(lines.map((line) => timeOf(look.nowMs) + cellText(line))));
    } else {
      const usual = { ...tableOptions(asked, context, look.nowMs), isCounted: true };
      const times = timesOfRows(look.document, document, recorded);
      for (const [key, sinceMs] of changedMs) {
        const time = times.get(key);
        if (time !== undefined) times.set(key, { ...time, sinceMs });
      }
      const shown = withTimes(document, times, asked, usual);
      const rows = rollCallPage(shown.document, shownRows(shown.document, asked), shown.options);
      screen.draw([...watchHeader(document, change, context.width), ...rows]);
    }
    last = document;
  };
  return {
    show,
    tell: (notices) => {
      if (asked.output.kind === 'json') sayBeside(notices);
      else if (height() === null) say(notices);
      else screen.head(notices);
    },
    first: (observations, seenMs) => {
      if (last !== null || asked.output.kind === 'json') return;
      const nodes = { observations, nowMs: seenMs, height: height() };
      screen.draw(firstPage(asked, context, nodes));
    },
    exitCode: () => (last === null ? EXIT.cannotTell : exitCodeOfRollCall(last)),
  };
}

/** A page that is drawn again in its place, under what there is to say of the watching. */
function createScreen(
  context: CliContext,
  height: () => number | null,
): {
  readonly draw: (page: readonly string[]) => void;
  readonly head: (notices: readonly WatchNotice[]) => void;
} {
  let head: readonly string[] = [];
  let page: readonly string[] = [];
  let drawn: readonly string[] = [];
  const redrawn = (): void => {
    const next = clipLines([...head, ...page], Math.max(1, (height() ?? 1) - 1));
    context.out(repaint(drawn, next));
    drawn = next;
  };
  return {
    draw: (lines) => {
      page = lines;
      redrawn();
    },
    head: (notices) => {
      head = notices.map(({ line }) => cutTo(cellText(line), context.width));
      redrawn();
    },
  };
}

async function watching(
  source: StatusSource,
  asked: StatusArguments,
  context: CliContext,
): Promise<number> {
  if (source.watch === null) throw new UsageError('--watch needs a live cluster');
  if (!['table', 'wide', 'json'].includes(asked.output.kind))
    throw new UsageError('--watch draws a table or prints documents; use -o wide or -o json');
  const { height } = source;
  const printer = createWatchPrinter(asked, context, {
    height,
    nowMs: () => systemClock.nowMs(),
    recorded: await recordedBy(asked),
  });
  await source.watch(asked.live, context, printer, asked);
  return printer.exitCode();
}

/** Lines of the terminal on standard output, null when it is none. */
export function terminalHeight(): number | null {
  return isTerminal(1) ? process.stdout.rows || null : null;
}

/** The Nodes at once, on a terminal and without verdicts, until there are some. */
async function lookShowingNodes(
  { observe, height }: StatusSource,
  asked: StatusArguments,
  context: CliContext,
): Promise<StatusObservation> {
  let page: readonly string[] = [];
  const show: OnFirstNodes = (observations, nowMs) => {
    page = firstPage(asked, context, { observations, nowMs, height: height() });
    context.progress('');
    context.out(lined(page));
  };
  try {
    return await observe(asked.live, context, show);
  } finally {
    context.out(wiped(page));
  }
}

interface FirstNodes {
  readonly observations: Observations;
  readonly nowMs: number;
  /** Lines of the terminal, null when it is none. */
  readonly height: number | null;
}

/** Nothing where rows are no table for a person, or are chosen by a verdict. */
function firstPage(
  asked: StatusArguments,
  context: CliContext,
  { observations, nowMs, height }: FirstNodes,
): readonly string[] {
  const { output, failed, names, selects, sortBy } = asked;
  const isTable = output.kind === 'table' || output.kind === 'wide';
  if (height === null || !isTable || failed || names.length > 0) return [];
  const rows = firstRowsOf(observations, selects);
  const sorted = sortBy === null ? rows : sortRows(rows, sortBy);
  return firstRowsPage(sorted, tableOptions(asked, context, nowMs), height);
}

/** `rollcall status`: every expected machine against every Node, live or from files. */
export function createStatusCommand(source: StatusSource): Command {
  return async (args, context) => {
    const asked = readStatusArguments(args);
    if (asked.watch) return watching(source, asked, context);
    const recorded = await recordedBy(asked);
    const isLive = asked.paths.length === 0;
    const look = isLive
      ? await lookShowingNodes(source, asked, context)
      : await observeFiles(asked.paths, context);
    return once(look, recorded, asked, context);
  };
}
