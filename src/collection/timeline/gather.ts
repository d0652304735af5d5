import { CUT_KINDS } from '../recording/cuts.ts';
import { textAt } from '../../evidence/json.ts';
import type { RecordedEvent, Recorder } from '../../ports/recorder.ts';

/** Rows that one question of a story reads at most; the newest are kept. */
const ROWS_MAX = 20_000;
/** Machines and UIDs of one story: a name that machines pass on has many. */
const MEMBERS_MAX = 500;
/** Words about a Node that give no UID belong to it so long before and after its life, ms. */
const AROUND_MS = 600_000;

export interface StoryRange {
  readonly cluster: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** All that was recorded of one machine or of one name, whatever else it is called. */
export interface Story {
  /** Names and UIDs whose rows these are. */
  readonly names: readonly string[];
  /** In the order of true time, as far as clocks are known, then of arrival. */
  readonly rows: readonly RecordedEvent[];
  /** True when there is more than was read. */
  readonly isCut: boolean;
}

interface Gathered {
  readonly rows: Map<string, RecordedEvent>;
  readonly names: Set<string>;
  isCut: boolean;
}

/** The time by the clock of the recording program, ms. */
export function trueMs({ atMs, skewMs }: RecordedEvent): number {
  return atMs - (skewMs ?? 0);
}

export function inOrder(rows: readonly RecordedEvent[]): readonly RecordedEvent[] {
  return rows.toSorted((a, b) => trueMs(a) - trueMs(b));
}

/**
 * Reads the story of a Node name, a NodeClaim or an instance: an instance brings the Nodes and
 * claims that it was, a name the machines that bore it.
 */
export async function gatherStory(
  recorder: Recorder,
  name: string,
  range: StoryRange,
): Promise<Story> {
  const all: Gathered = { rows: new Map(), names: new Set([name]), isCut: false };
  const isInstance = /^i-[0-9a-f]+$/.test(name);
  const links = await linksOf(recorder, name, range.cluster);
  const instances = isInstance ? [name] : membersOf(links, 'instance');
  if (!isInstance) await take(recorder, all, { subject: name, ...range });
  for (const instance of instances.slice(0, MEMBERS_MAX))
    await takeInstance(recorder, all, instance, range);
  if (all.rows.size > 0) await takeGaps(recorder, all, range);
  return { names: [...all.names], rows: inOrder([...all.rows.values()]), isCut: all.isCut };
}

function membersOf(links: readonly RecordedEvent[], field: string): readonly string[] {
  return [...new Set(links.flatMap(({ body }) => textAt(body, field) ?? []))];
}

/** Links are read whatever time is asked for: they say who belongs together. */
async function linksOf(
  recorder: Recorder,
  subject: string,
  cluster: string,
): Promise<readonly RecordedEvent[]> {
  return recorder.read({ cluster, subject, kinds: ['link'], limit: MEMBERS_MAX });
}

async function take(
  recorder: Recorder,
  all: Gathered,
  range: Omit<Parameters<Recorder['read']>[0], 'limit'>,
): Promise<readonly RecordedEvent[]> {
  const rows = await recorder.read({ ...range, limit: ROWS_MAX });
  if (rows.length === ROWS_MAX) all.isCut = true;
  for (const row of rows) all.rows.set(identityOf(row), row);
  return rows;
}

/** One row that two questions found is one row. */
function identityOf(row: RecordedEvent): string {
  return row.key ?? JSON.stringify(row);
}

async function takeInstance(
  recorder: Recorder,
  all: Gathered,
  instance: string,
  range: StoryRange,
): Promise<void> {
  all.names.add(instance);
  await take(recorder, all, { subject: instance, ...range });
  const links = await linksOf(recorder, instance, range.cluster);
  for (const uid of membersOf(links, 'uid').slice(0, MEMBERS_MAX)) {
    all.names.add(uid);
    await take(recorder, all, { uid, ...range });
  }
  for (const link of links) await takeNameless(recorder, all, link, range);
}

/** A kubelet's Events give no UID but the name: those of the time in which this Node lived. */
async function takeNameless(
  recorder: Recorder,
  all: Gathered,
  link: RecordedEvent,
  range: StoryRange,
): Promise<void> {
  const { cluster } = range;
  const [node, uid] = [textAt(link.body, 'node'), textAt(link.body, 'uid')];
  if (node === null || uid === null) return;
  all.names.add(node);
  const [end] = await recorder.read({ cluster, uid, kinds: ['node-deleted'], limit: 1 });
  const fromMs = Math.max(range.fromMs, link.atMs - AROUND_MS);
  const toMs = Math.min(range.toMs, (end?.atMs ?? Infinity) + AROUND_MS);
  const rows = await recorder.read({ cluster, subject: node, fromMs, toMs, limit: ROWS_MAX });
  if (rows.length === ROWS_MAX) all.isCut = true;
  for (const row of rows)
    if (row.uid === null || row.uid === node || row.uid === uid) all.rows.set(identityOf(row), row);
}

/** Of a time in which nobody looked, it is part of the story that nothing is known. */
async function takeGaps(recorder: Recorder, all: Gathered, range: StoryRange): Promise<void> {
  const [first] = inOrder([...all.rows.values()]);
  const fromMs = Math.max(range.fromMs, first?.atMs ?? range.fromMs);
  await take(recorder, all, { ...range, fromMs, subject: range.cluster, kinds: ['gap'] });
}

/** Everything that was recorded of a cluster in a range of time. */
export async function gatherAll(recorder: Recorder, range: StoryRange): Promise<Story> {
  const exceptKinds = Object.values(CUT_KINDS);
  const rows = await recorder.read({ ...range, exceptKinds, limit: 5 * ROWS_MAX });
  return { names: [], rows: inOrder(rows), isCut: rows.length === 5 * ROWS_MAX };
}
