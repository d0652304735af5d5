import type { Locator } from './fact.ts';
import type { FactKind, FactTypes } from './kinds.ts';
import type { MachineName } from './names.ts';
import type { Quote } from './sighting.ts';
import type { LineSource } from './source.ts';
import type { Moment } from './time.ts';

/** A line that one expression of the table matched, before anyone decides whose it is. */
export interface Hit {
  /** `cause-id`, `symptom:id` or `milestone:id`. */
  readonly owner: string;
  readonly sign: string;
  /** Values of the captures that tell objects apart (`per`), so that one pod's success clears only it. */
  readonly object: string;
  /** The machine that the line itself names, or whose journal it is; null when it names none. */
  readonly about: MachineName | null;
  /** Index into `documents`. */
  readonly document: number;
  readonly onMachine: boolean;
  readonly count: number;
  readonly first: Quote;
  readonly last: Quote;
  readonly quotes: readonly Quote[];
}

/**
 * How much of a thing its source shows: all that there is, a part of it (`kubectl describe`, an
 * answer without fields that it always has), or a row of a table.
 */
export type Extent = 'whole' | 'part' | 'row';

export interface FactRecord<K extends FactKind = FactKind> {
  readonly kind: K;
  readonly value: FactTypes[K];
  readonly by: string;
  readonly extent: Extent;
  readonly locator: Locator;
  readonly moment: Moment;
  /** The machines it speaks of; empty for facts of the whole cluster. */
  readonly about: readonly MachineName[];
}

/** Two names that one source shows for the same machine. */
export interface NameLink {
  readonly names: readonly MachineName[];
  readonly proof: string;
  readonly locator: Locator;
}

/** One document of the pile: what it is about, and which sources were seen in it. */
export interface DocumentSummary {
  readonly locator: string;
  readonly container: string | null;
  /** Machines whose own logs or files these are. */
  readonly machines: readonly MachineName[];
  readonly sources: readonly LineSource[];
  readonly linesRead: number;
  /** How far its stamps without a zone are ahead of UTC, ms; null when nothing in it shows that. */
  readonly zoneOffsetMs: number | null;
}

/** A complete list of one kind: what it lacks is absent, not unknown. */
export interface Listing {
  readonly kind: FactKind;
  readonly by: string;
  readonly locator: Locator;
}

export interface InputLoss {
  readonly locator: string;
  /** A sentence naming the input, what happened and the command that helps, if one does. */
  readonly what: string;
}

/** A call that was made and not answered as asked. */
export interface Refusal {
  /** `ec2:DescribeInstances` or `list nodes`. */
  readonly call: string;
  /** One sentence with the missing permission or what to do. */
  readonly message: string;
  /** `denied`, `unreachable`, … */
  readonly failure: string;
  readonly permission: string | null;
}

/** When and how evidence was collected by Rollcall itself. */
export interface Collection {
  /** ms since the epoch. */
  readonly atMs: number;
  readonly cluster: string | null;
  /** Names of the machines that were asked about; empty for all. */
  readonly asked: readonly string[];
  readonly refusals: readonly Refusal[];
  /** What was not asked for or not kept, with how many of it. */
  readonly shortened: readonly Shortened[];
}

/** Something that was shortened for safety, as `lines beyond 16,384 characters`. */
export interface Shortened {
  readonly what: string;
  readonly count: number;
}

/** A line that speaks of trouble, whether or not a sign matches it. */
export interface TroubledLine {
  /** Index into `documents`. */
  readonly document: number;
  readonly line: number;
  readonly source: LineSource;
  /** The machine that the line or the object around it names, null when none is named. */
  readonly about: MachineName | null;
  /** The line as it was read, cut to 600 characters; what is shown of it must be redacted first. */
  readonly text: string;
}

/** Everything a pile of evidence said, before it is put together by machine. */
export interface Observations {
  readonly documents: readonly DocumentSummary[];
  readonly hits: readonly Hit[];
  readonly facts: readonly FactRecord[];
  readonly links: readonly NameLink[];
  readonly listings: readonly Listing[];
  readonly losses: readonly InputLoss[];
  /** Lines that speak of trouble, each wording once; a bounded sample of a large pile. */
  readonly troubled: readonly TroubledLine[];
  /** null for evidence that others collected. */
  readonly collection: Collection | null;
}
