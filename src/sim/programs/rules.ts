import type { Kernel } from '../kernel/kernel.ts';
import type { KubeClient } from '../kube/contract.ts';
import type { LedgerEntry } from './ledger.ts';
import type { SimulatedRecords } from './records.ts';

/** What a rule sees of the world, past all that a program is told. */
export interface RuleScene {
  readonly kernel: Kernel;
  readonly people: KubeClient;
  readonly records: SimulatedRecords;
  /** How long the report of a machine stays that is gone, ms. */
  readonly keepReportsMs: number;
  readonly isDryRun: boolean;
  readonly violated: (subject: string, what: string) => void;
  /** Counts one evaluation. */
  readonly evaluated: () => void;
}

/** A rule about what the programs of Rollcall do; true after each of their steps. */
export interface ProgramRule {
  /** As in the lists: `I-16`. */
  readonly rule: string;
  readonly start: (scene: RuleScene) => RuleListener;
}

export interface RuleListener {
  /** A write that the API server carried out or refused. */
  readonly onWrite?: (entry: LedgerEntry) => void;
  /** A program has asked for a kind, or heard of it. */
  readonly onRead?: (program: string, plural: string, how: ReadHow) => void;
  readonly onSaid?: (program: string, line: string) => void;
  /** The history of the API server has gone back. */
  readonly onRestored?: () => void;
  /** At the end of the calm. */
  readonly onEnd?: () => void;
}

/** `listed`: the first page has come. `refused`: the program has no right to what it asked for. */
export type ReadHow = 'get' | 'list' | 'listed' | 'watch' | 'event' | 'refused';

/** Rows and Events describe; everything else is acted on. */
export function isOfLease({ request: { path } }: LedgerEntry): boolean {
  return path.plural === 'leases';
}

export function isOfEvent({ request: { path } }: LedgerEntry): boolean {
  return path.plural === 'events';
}
