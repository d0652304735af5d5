import type { JoinFailure } from './step.ts';

export type JoinEventKind =
  | 'started'
  | 'waiting'
  | 'command-started'
  | 'command-ended'
  | 'kubelet-restarted'
  | 'reset'
  /** Something could not be done; the join goes on. */
  | 'trouble'
  | 'joined'
  | 'failed';

/** One thing that happened to a join. */
export interface JoinEvent {
  readonly event: JoinEventKind;
  /** By the wall clock, ms since the Unix epoch. */
  readonly atMs: number;
  /** Sentences. */
  readonly message: string;
  readonly tries: number;
  readonly restarts: number;
  readonly deletions: number;
  readonly node: string | null;
  readonly nodeUid: string | null;
  readonly instanceId: string | null;
  readonly failure: JoinFailure | null;
}
