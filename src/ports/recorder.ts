import type { Json } from '../evidence/json.ts';

/** One thing that was seen to happen to an object of a cluster. */
export interface RecordedEvent {
  /** ms since the Unix epoch. */
  readonly atMs: number;
  readonly cluster: string;
  /** Node name, instance id or another name of the subject. */
  readonly subject: string;
  readonly kind: string;
  readonly source: string;
  /** At most 64 KiB as JSON. */
  readonly body: Json;
}

export interface RecordedRange {
  readonly cluster: string;
  readonly subject?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Most rows; the newest are kept. */
  readonly limit: number;
}

/** The flight recorder: what happened stays known after Kubernetes and AWS have forgotten it. */
export interface Recorder {
  /** All or nothing. */
  append(events: readonly RecordedEvent[]): Promise<void>;
  /** In the order of time, then of arrival. */
  read(range: RecordedRange): Promise<readonly RecordedEvent[]>;
  /** Forgets what is older; returns how many rows. */
  forgetBefore(cluster: string, beforeMs: number): Promise<number>;
  close(): Promise<void>;
}
