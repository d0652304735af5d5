import { at, type Json, textAt } from '../../evidence/json.ts';
import type { RecordedEvent } from '../../ports/recorder.ts';

/** One line of a timeline: a row, or several that say the same. */
export interface TimelineLine {
  readonly row: RecordedEvent;
  readonly what: string;
  /** How often it happened. */
  readonly count: number;
  /** When it happened last, ms; as `row.atMs` when it happened once. */
  readonly lastMs: number;
}

/** Between two of these the same words are another story. */
const BOUNDARIES = new Set([
  'machine-launched',
  'machine-gone',
  'node-created',
  'node-deleted',
  'node-rebooted',
]);
const FOLDED = new Set(['event', 'evidence']);
/** What only serves to find the other rows. */
const SILENT = new Set(['link']);

/** What was recorded, in one line. */
export function whatOf({ body, kind }: RecordedEvent): string {
  return textAt(body, 'what') ?? actionText(kind, body) ?? kind;
}

/** A write of a controller: what it was about to do and why, or how that ended. */
function actionText(kind: string, body: Json): string | null {
  if (kind !== 'action-intended' && kind !== 'action-ended') return null;
  const done = textAt(body, 'outcome') ?? `about to ${textAt(body, 'write.verb') ?? 'write'}`;
  const dry = at(body, 'isDryRun') === true ? ' (dry run)' : '';
  return `${done}${dry}: ${textAt(body, 'why.text') ?? textAt(body, 'why') ?? ''}`;
}

/** The same for rows that differ in numbers alone, as a back-off or a count does. */
function likenessOf(row: RecordedEvent): string {
  const { body, kind, subject, source } = row;
  const numberless = (text: string): string => text.replaceAll(/\d+/g, '#');
  const message = textAt(body, 'message');
  const words = message === null ? whatOf(row) : numberless(message);
  return JSON.stringify([
    kind,
    subject,
    source,
    textAt(body, 'reason'),
    textAt(body, 'pod'),
    words,
  ]);
}

interface Fold {
  readonly row: RecordedEvent;
  readonly place: number;
  lastMs: number;
  /** Highest count by the UID of the Event: each row of one Event counts all before it too. */
  readonly counts: Map<string, number>;
}

/** Rows as lines, repeated Events in one each at the time of the first. */
export function foldRows(rows: readonly RecordedEvent[]): readonly TimelineLine[] {
  const folds: Fold[] = [];
  let open = new Map<string, Fold>();
  for (const row of rows) {
    if (SILENT.has(row.kind)) continue;
    if (BOUNDARIES.has(row.kind)) open = new Map();
    const likeness = FOLDED.has(row.kind) ? likenessOf(row) : null;
    const known = likeness === null ? undefined : open.get(likeness);
    const fold = known ?? { row, place: folds.length, lastMs: row.atMs, counts: new Map() };
    if (known === undefined) folds.push(fold);
    if (likeness !== null) open.set(likeness, fold);
    addTo(fold, row);
  }
  return folds.map(({ row, lastMs, counts }) => ({
    row,
    what: whatOf(row),
    count: [...counts.values()].reduce((sum, count) => sum + count, 0),
    lastMs,
  }));
}

function addTo(fold: Fold, row: RecordedEvent): void {
  fold.lastMs = Math.max(fold.lastMs, row.atMs);
  const event = textAt(row.body, 'event');
  const key = event ?? `row ${fold.counts.size}`;
  const told = at(row.body, 'count');
  const count = event !== null && typeof told === 'number' && told > 0 ? told : 1;
  fold.counts.set(key, Math.max(fold.counts.get(key) ?? 0, count));
}
