import { createHash } from 'node:crypto';
import { isoTime } from '../../evidence/time.ts';
import type { Collection } from '../../evidence/observations.ts';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { RecordedEvent } from '../../ports/recorder.ts';
import { EVIDENCE_VERSION } from '../../readers/evidence-version.ts';
import { keyOf, type Moment } from './change.ts';
import { bodyOfPart, type CutPart, partsOf, textOfPart } from './parts.ts';
import type { Pile } from './pile.ts';

/** Rows that hold evidence itself; a timeline has no line for them. */
export const CUT_KINDS = { cut: 'cut', part: 'cut-part' } as const;

/** No object has this name. */
export const CUT_SUBJECT = 'rollcall/evidence';

/** What is written of evidence, per second: 88 MB a day at most. */
const BYTES_PER_S = 1024;
/** More parts than this are 60 MB, and are not kept. */
const PARTS_MAX = 1500;
/** A part is written again each day, so that forgetting old rows leaves later cuts whole. */
const EPOCH_MS = 86_400_000;

export interface CutPace {
  /** Bytes of evidence a second; 1024 when not given. */
  readonly bytesPerS?: number;
}

/** Decides when evidence is kept, and makes rows of what is not kept yet. */
export class CutKeeper {
  readonly #bytesPerS: number;
  #isDue = true;
  #againMs = -Infinity;
  #epoch = -1;
  /** Parts that were given to the record in this epoch. */
  #known = new Set<string>();

  constructor({ bytesPerS = BYTES_PER_S }: CutPace = {}) {
    this.#bytesPerS = bytesPerS;
  }

  /**
   * Rows of a cut, none where nothing is due.
   *
   * @param hasChanged true when a verdict is another than before
   */
  rows(
    pile: (() => Pile) | undefined,
    hasChanged: boolean,
    moment: Moment,
  ): readonly RecordedEvent[] {
    if (hasChanged) this.#isDue = true;
    const { nowMs } = moment;
    if (pile === undefined || !this.#isDue || nowMs < this.#againMs) return [];
    this.#isDue = false;
    const rows = this.#rowsOf(pile(), moment);
    const bytes = rows.reduce((sum, { body }) => sum + JSON.stringify(body).length, 0);
    this.#againMs = nowMs + (bytes / this.#bytesPerS) * 1000;
    return rows;
  }

  #rowsOf(pile: Pile, moment: Moment): readonly RecordedEvent[] {
    const { parts, leftOut } = partsOf(pile);
    if (parts.length > PARTS_MAX || pile.collection === null) return [];
    const epoch = Math.floor(moment.nowMs / EPOCH_MS);
    if (epoch !== this.#epoch) this.#known = new Set();
    this.#epoch = epoch;
    const named = parts.map((part) => [idOf(`${epoch} ${textOfPart(part)}`), part] as const);
    const fresh = named.filter(([id]) => !this.#known.has(id));
    for (const [id] of fresh) this.#known.add(id);
    const whole = [...pile.lists.keys()].map(({ resource }) => resource.plural);
    const body = {
      what: `evidence in ${parts.length} parts`,
      parts: named.map(([id]) => id),
      whole,
      collection: collectionDocument(pile.collection, leftOut),
    };
    return [...fresh.map((one) => partRow(one, moment)), cutRow(body, moment)];
  }
}

/** As a UUID: any other text of so many random characters would be cut out as a secret. */
function idOf(text: string): string {
  const sum = createHash('sha256').update(text).digest('hex');
  return [0, 8, 12, 16, 20]
    .map((from, index, all) => sum.slice(from, all[index + 1] ?? 32))
    .join('-');
}

function partRow([id, part]: readonly [string, CutPart], moment: Moment): RecordedEvent {
  return rowOf(CUT_KINDS.part, bodyOfPart(part), { id, key: id }, moment);
}

function cutRow(body: JsonObject, moment: Moment): RecordedEvent {
  const key = keyOf([CUT_KINDS.cut, moment.nowMs], moment.nowMs);
  return rowOf(CUT_KINDS.cut, body, { id: null, key }, moment);
}

function rowOf(
  kind: string,
  body: Json,
  { id, key }: { readonly id: string | null; readonly key: string },
  { nowMs, cluster }: Moment,
): RecordedEvent {
  return {
    atMs: nowMs,
    receivedMs: nowMs,
    cluster,
    subject: CUT_SUBJECT,
    subjectKind: 'Evidence',
    uid: id,
    kind,
    source: 'rollcall',
    boot: null,
    skewMs: null,
    key,
    body,
  };
}

/** As a look writes it into its bundle. */
function collectionDocument(
  { atMs, cluster, asked, refusals, shortened }: Collection,
  leftOut: number,
): JsonObject {
  const more =
    leftOut === 0 ? [] : [{ what: 'objects and answers too long to record', count: leftOut }];
  return {
    apiVersion: EVIDENCE_VERSION,
    kind: 'Collection',
    at: isoTime({ ms: atMs, yearless: false, clock: 'utc' }),
    cluster,
    asked: [...asked],
    refusals: refusals.map((refusal) => ({ ...refusal })),
    shortened: [...shortened, ...more].map(({ what, count }) => ({ what, count })),
  };
}
