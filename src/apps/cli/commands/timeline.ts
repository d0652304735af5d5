import { systemClock } from '../../../adapters/system/clock.ts';
import { gatherDeleted } from '../../../collection/timeline/deleted.ts';
import { foldRows } from '../../../collection/timeline/fold.ts';
import { gatherAll, gatherStory, type StoryRange } from '../../../collection/timeline/gather.ts';
import { standingsThen } from '../../../collection/timeline/standing-then.ts';
import type { Recorder } from '../../../ports/recorder.ts';
import { type CliContext, UsageError } from '../context.ts';
import { TIMELINE } from '../declared/timeline.ts';
import { EXIT } from '../exit-code.ts';
import { clusterIn, momentOf } from '../live/record-question.ts';
import { openForReading, told } from '../live/record-target.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { quoted } from '../options/quoted.ts';
import { deletedPage, type TimelinePage, timelinePage } from '../pages/timeline-page.ts';
import { deletedDocument, timelineDocument } from '../pages/timeline-document.ts';
import { deletedHtml, timelineHtml } from '../pages/timeline-html.ts';
import { structured } from '../structured.ts';

type Values = ParsedOptions<typeof TIMELINE.options>;

/** Prints what a record holds of a machine, of a cluster, or of what is gone. */
export async function timelineCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const { values, words } = parseCommandLine(TIMELINE, args);
  const [name = null] = words;
  mustBeOneQuestion(name, values);
  if (values.record === null)
    throw new UsageError('timeline needs a recording: rollcall timeline --record flight.db …');
  const nowMs = systemClock.nowMs();
  const fromMs = momentOf('--since', values.since, nowMs) ?? Number.MIN_SAFE_INTEGER;
  const atMs = momentOf('--at', values.at, nowMs);
  const recorder = await openForReading(values.record);
  try {
    return await told(async () => {
      const cluster = await clusterIn(recorder, values.cluster, values.record ?? '');
      const range = { cluster, fromMs, toMs: atMs ?? Number.MAX_SAFE_INTEGER };
      if (values.deleted) return printDeleted(recorder, range, values, context);
      return printStory({ recorder, range, name, atMs }, values, context);
    });
  } finally {
    await recorder.close();
  }
}

function mustBeOneQuestion(name: string | null, { all, deleted }: Values): void {
  const asked = [name !== null, all, deleted].filter(Boolean).length;
  if (asked === 1) return;
  throw new UsageError(
    asked === 0
      ? 'timeline needs a machine, --all or --deleted; see: rollcall help timeline'
      : 'timeline takes one of: a machine, --all, --deleted',
  );
}

interface Asked {
  readonly recorder: Recorder;
  readonly range: StoryRange;
  readonly name: string | null;
  readonly atMs: number | null;
}

async function printStory(
  { recorder, range, name, atMs }: Asked,
  { output }: Values,
  context: CliContext,
): Promise<number> {
  const story =
    name === null ? await gatherAll(recorder, range) : await gatherStory(recorder, name, range);
  const page: TimelinePage = {
    cluster: range.cluster,
    name,
    names: story.names,
    atMs,
    standings: atMs === null ? [] : standingsThen(story.rows),
    lines: foldRows(story.rows),
    isCut: story.isCut,
  };
  if (page.lines.length === 0) {
    const what = name === null ? 'in that time' : `of ${quoted(name)}`;
    context.err(`Nothing was recorded ${what}; list everything: rollcall timeline --all\n`);
  }
  if (output === 'json') context.out(await structured(timelineDocument(page), 'json'));
  else if (output === 'html') context.out(timelineHtml(page));
  else context.out(timelinePage(page));
  return page.lines.length === 0 ? EXIT.cannotTell : EXIT.usable;
}

async function printDeleted(
  recorder: Recorder,
  range: StoryRange,
  { output }: Values,
  context: CliContext,
): Promise<number> {
  const stones = await gatherDeleted(recorder, range);
  if (stones.length === 0) context.err('No Node or instance that is gone was recorded.\n');
  if (output === 'json')
    context.out(await structured(deletedDocument(range.cluster, stones), 'json'));
  else if (output === 'html') context.out(deletedHtml(range.cluster, stones));
  else context.out(deletedPage(stones));
  return stones.length === 0 ? EXIT.cannotTell : EXIT.usable;
}
