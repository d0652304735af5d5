import type { Json } from '../evidence/json.ts';

/** One thing that was seen to happen to an object of a cluster. */
export interface RecordedEvent {
  /** When it happened by the clock of its source, ms since the Unix epoch. */
  readonly atMs: number;
  /** When it became known by the clock of the program that records, ms since the Unix epoch. */
  readonly receivedMs: number;
  readonly cluster: string;
  /** Node name, instance id or another name of the subject. */
  readonly subject: string;
  /** What the subject is: `Node`, `Machine`, `NodeClaim`, `Cluster`. */
  readonly subjectKind: string;
  /** UID of the object, null where the source shows none. */
  readonly uid: string | null;
  readonly kind: string;
  readonly source: string;
  /** Boot ID of the machine at that time, null when unknown. */
  readonly boot: string | null;
  /** How far the clock of the source is ahead of the recording program's, ms; null when unknown. */
  readonly skewMs: number | null;
  /** Of several events of a cluster with one key the first is kept; null for one without a key. */
  readonly key: string | null;
  /** At most 64 KiB as JSON. */
  readonly body: Json;
}

/** What was last known of something, so that a program that starts again continues from there. */
export interface RecordedNote {
  readonly cluster: string;
  readonly id: string;
  /** null to forget it. */
  readonly body: Json;
}

export interface RecordedRange {
  readonly cluster: string;
  readonly subject?: string;
  readonly uid?: string;
  /** Only these kinds; all when not given. */
  readonly kinds?: readonly string[];
  /** All but these kinds. */
  readonly exceptKinds?: readonly string[];
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Most rows; the newest are kept. */
  readonly limit: number;
}

/** The flight recorder: what happened stays known after Kubernetes and AWS have forgotten it. */
export interface Recorder {
  /**
   * All or nothing, the notes included; an event whose key is known already is left out.
   *
   * @returns how many events were new
   */
  append(events: readonly RecordedEvent[], notes?: readonly RecordedNote[]): Promise<number>;
  /** In the order of time, then of arrival. */
  read(range: RecordedRange): Promise<readonly RecordedEvent[]>;
  /** What is noted of a cluster, by id. */
  notes(cluster: string): Promise<ReadonlyMap<string, Json>>;
  /** Names of the clusters with events or notes, in their order. */
  clusters(): Promise<readonly string[]>;
  /** Forgets what is older; returns how many rows. */
  forgetBefore(cluster: string, beforeMs: number): Promise<number>;
  /**
   * Forgets the oldest events of all clusters until the rest takes no more than so many bytes.
   *
   * @returns how many rows were forgotten, and the time of the newest of them, ms
   */
  shrinkTo(bytesMax: number): Promise<Forgotten>;
  close(): Promise<void>;
}

export interface Forgotten {
  readonly rows: number;
  /** null when nothing was forgotten. */
  readonly untilMs: number | null;
}
