import type { DiagnosisDocument } from '../../diagnosis/document.ts';
import type { RollCallDocument } from '../../diagnosis/roll-call/document.ts';
import { counted } from '../../domain/words.ts';
import type { Json } from '../../evidence/json.ts';
import type { Refusal } from '../../evidence/observations.ts';
import { isTransient, PortError } from '../../ports/port-error.ts';
import type { Recorder } from '../../ports/recorder.ts';
import { type Changes, eventOfHappening, type Happening, type Moment } from './change.ts';
import { claimChanges } from './claims.ts';
import { CutKeeper, type CutPace } from './cuts.ts';
import { EventsOffered } from './events.ts';
import { gapSinceLastLook, happeningOfGap, refusalChanges } from './gaps.ts';
import { evidenceChanges } from './going.ts';
import { machineChanges } from './machines.ts';
import { newsChanges } from './news.ts';
import { nodeChanges } from './nodes.ts';
import type { Pile } from './pile.ts';
import { joinedSeen, type SeenObjects } from './seen.ts';
import { verdictChanges } from './verdicts.ts';
import { RecordWriter } from './writer.ts';

/** One look, as far as it is recorded. */
export interface RecordedLook extends Moment {
  readonly seen: SeenObjects;
  readonly document: DiagnosisDocument;
  readonly roll: Pick<RollCallDocument, 'rows' | 'cluster'>;
  /** What was asked and not answered. */
  readonly refusals: readonly Refusal[];
  /** Kinds whose list is complete, so that what it lacks is not there: `Node`, `Instance`. */
  readonly whole: ReadonlySet<string>;
  /** What was judged, to be judged again; not given where it is not kept. */
  readonly pile?: () => Pile;
  /** What machines that are about to go said when they were asked. */
  readonly lastWords?: readonly Happening[];
}

export interface RecordingLimits {
  /** How long rows are kept, ms. */
  readonly keepMs: number;
  /** How large the record may become, bytes. */
  readonly bytesMax: number;
}

export interface RecordingOptions {
  readonly recorder: Recorder;
  readonly limits: RecordingLimits;
  /** Longest time between two looks; what is longer is a gap, ms. */
  readonly pauseMs: number;
  /** Says what happens to the recording itself, in one line. */
  readonly say: (line: string) => void;
  /** Lets whoever else uses this thread go on between two transactions. */
  readonly turn?: () => Promise<void>;
  readonly cuts?: CutPace;
}

/** What a look that could not be recorded has, and none that follows has again. */
type Unrecorded = Required<Pick<RecordedLook, 'seen' | 'lastWords'>>;

/** Changes after which the evidence that led to them is kept. */
const TELLING = new Set(['verdict', 'finding', 'evidence']);

const PRUNE_EVERY_MS = 600_000;
/** Last words are long; of more, the oldest are dropped. */
const LAST_WORDS_MAX = 1000;

/** Appends to a record what each look shows to have changed since the one before. */
export class Recording {
  readonly #options: RecordingOptions;
  readonly #writer: RecordWriter;
  readonly #events = new EventsOffered();
  readonly #cuts: CutKeeper;
  /** null until what is noted could be read. */
  #notes: Map<string, Json> | null = null;
  /** Since when looks could not be recorded, as what is noted could not be read. */
  #blindSinceMs: number | null = null;
  /** Kept until what is noted could be read. */
  #unrecorded: Unrecorded | null = null;
  #prunedMs = -Infinity;

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.#writer = new RecordWriter(options);
    this.#cuts = new CutKeeper(options.cuts);
  }

  /** Records a look; a recorder that cannot be reached now is tried again with the next one. */
  async take(taken: RecordedLook): Promise<void> {
    const look = this.#withUnrecorded(taken);
    const notes = await this.#known(look);
    if (notes === null) {
      this.#unrecorded = { seen: look.seen, lastWords: look.lastWords ?? [] };
      return;
    }
    this.#unrecorded = null;
    this.#addGapBefore(notes, look);
    const all = this.#changesOf(look, notes);
    for (const changes of all) this.#add(changes, notes, look);
    const hasChanged = all.some(({ happenings }) =>
      happenings.some(({ kind }) => TELLING.has(kind)),
    );
    this.#writer.add(this.#cuts.rows(look.pile, hasChanged, look), new Map());
    this.#add({ happenings: [], notes: new Map([['look', { atMs: look.nowMs }]]) }, notes, look);
    if (await this.#writer.flush(look)) await this.#prune(look);
  }

  #withUnrecorded(look: RecordedLook): RecordedLook {
    if (this.#unrecorded === null) return look;
    const { seen, lastWords } = this.#unrecorded;
    const words = [...lastWords, ...(look.lastWords ?? [])].slice(-LAST_WORDS_MAX);
    return { ...look, seen: joinedSeen(seen, look.seen), lastWords: words };
  }

  /** What is noted of the cluster, read once; null while that is not possible. */
  async #known(moment: Moment): Promise<Map<string, Json> | null> {
    if (this.#notes !== null) return this.#notes;
    try {
      this.#notes = new Map(await this.#options.recorder.notes(moment.cluster));
    } catch (error) {
      if (!(error instanceof PortError) || !isTransient(error)) throw error;
      if (this.#blindSinceMs === null) this.#options.say(`Not recording yet: ${error.message}`);
      this.#blindSinceMs ??= moment.nowMs;
      return null;
    }
    this.#addBeginning(this.#notes, moment);
    return this.#notes;
  }

  #addBeginning(notes: Map<string, Json>, moment: Moment): void {
    const begins: Happening = {
      atMs: null,
      subject: moment.cluster,
      subjectKind: 'Cluster',
      kind: 'recording',
      source: 'rollcall',
      parts: [moment.nowMs],
      what: `recording ${notes.size === 0 ? 'begins' : 'continues'}`,
    };
    const { nowMs: toMs } = moment;
    const fromMs = this.#blindSinceMs;
    // Where the last look is noted, its gap covers this one.
    const isAlone = fromMs !== null && !notes.has('look');
    const why = 'the record was out of reach';
    const gaps = isAlone ? [happeningOfGap({ fromMs, toMs, why }, moment)] : [];
    this.#add({ happenings: [...gaps, begins], notes: new Map() }, notes, moment);
  }

  /** A program that was stopped, or a machine that slept, looks at nothing. */
  #addGapBefore(notes: Map<string, Json>, moment: Moment): void {
    const gap = gapSinceLastLook(notes, moment, this.#options.pauseMs);
    if (gap === null) return;
    this.#add({ happenings: [happeningOfGap(gap, moment)], notes: new Map() }, notes, moment);
  }

  /** In the order in which one leads to another. */
  #changesOf(look: RecordedLook, notes: Map<string, Json>): readonly Changes[] {
    const { seen, refusals, whole } = look;
    const isAwsWhole =
      whole.has('Instance') && !refusals.some(({ call }) => call === 'ec2:DescribeInstances');
    const isWhole = whole.has('Node') && (isAwsWhole || seen.instances === null);
    const events = { happenings: this.#events.fresh(seen.events), notes: new Map() };
    return [
      refusalChanges(refusals, notes, look),
      newsChanges(seen.news),
      machineChanges(seen, notes, isAwsWhole),
      claimChanges(seen, notes, whole.has('NodeClaim')),
      nodeChanges(seen, notes, look, whole.has('Node')),
      events,
      verdictChanges(look.roll, notes, isWhole),
      evidenceChanges(seen, look.document, notes),
      { happenings: look.lastWords ?? [], notes: new Map() },
    ];
  }

  #add(changes: Changes, notes: Map<string, Json>, moment: Moment): void {
    const events = changes.happenings.map((one) => eventOfHappening(one, moment));
    this.#writer.add(events, changes.notes);
    for (const [id, body] of changes.notes) {
      if (body === null) notes.delete(id);
      else notes.set(id, body);
    }
  }

  /** Forgets what is too old or too much; what is forgotten for its size leaves a gap. */
  async #prune(moment: Moment): Promise<void> {
    if (moment.nowMs - this.#prunedMs < PRUNE_EVERY_MS) return;
    this.#prunedMs = moment.nowMs;
    try {
      await this.#forget(moment);
    } catch (error) {
      // There is another time for it.
      if (!(error instanceof PortError) || !isTransient(error)) throw error;
    }
  }

  async #forget(moment: Moment): Promise<void> {
    const { nowMs, cluster } = moment;
    const { recorder, limits, say } = this.#options;
    await recorder.forgetBefore(cluster, nowMs - limits.keepMs);
    const { rows, untilMs } = await recorder.shrinkTo(limits.bytesMax);
    if (untilMs === null) return;
    const why = `${counted(rows, 'row')} up to then were forgotten, as the record was full`;
    say(`${counted(rows, 'row')} were forgotten, as the record was full; allow more: --max-size`);
    const gap = happeningOfGap({ fromMs: untilMs, toMs: untilMs, why }, moment);
    await recorder.append([eventOfHappening(gap, moment)]);
  }
}
