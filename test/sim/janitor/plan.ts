/** What is played in a world with leaked interfaces, and what came of it. */
import type { WorkingMode } from '../../../src/controllers/eni-janitor/janitor.ts';
import type { AwsApi } from '../../../src/ports/aws-api.ts';
import type { AwsWrites } from '../../../src/ports/aws-writes.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { KubeApi } from '../../../src/ports/kube-api.ts';
import type { Recorder } from '../../../src/ports/recorder.ts';
import type { Lag } from '../../../src/sim/aws/options.ts';
import type { LogLine } from '../../../src/sim/kernel/kernel.ts';
import type { RandomStream } from '../../../src/sim/kernel/random.ts';
import type { Call, Fate } from '../../../src/sim/programs/call.ts';
import type { KubeLine } from '../../../src/sim/programs/kube.ts';
import type { SimulatedProgram } from '../../../src/sim/programs/program.ts';
import type { SimulatedRecords } from '../../../src/sim/programs/records.ts';
import type { InterfaceWorld, PlannedInterface } from './interface-world.ts';

export interface Violation {
  readonly rule: string;
  readonly what: string;
}

export interface JanitorPorts {
  readonly kube: KubeApi;
  readonly aws: AwsApi;
  readonly awsWrites: AwsWrites;
  readonly recorder: Recorder;
  readonly clock: Clock;
}

/** A mistake between the janitor and its ports. */
export type JanitorPortBug = (ports: JanitorPorts, world: InterfaceWorld) => Partial<JanitorPorts>;

/** One life of a replica. */
export interface Life {
  readonly program: SimulatedProgram;
  readonly line: KubeLine;
  readonly stop: AbortController;
}

/** What a fault is done to. */
export interface JanitorStage {
  readonly world: InterfaceWorld;
  readonly lives: () => readonly Life[];
  readonly records: SimulatedRecords;
  /** While it is so, each list of AWS fails behind its first page. */
  readonly pages: { failLater: boolean };
}

export interface JanitorFault {
  /** Its class in the list: `F58`. */
  readonly id: string;
  readonly what: string;
  /** Least and longest, ms. */
  readonly lastsMs: readonly [number, number];
  /** @returns what takes it back */
  readonly strike: (stage: JanitorStage, random: RandomStream, lastsMs: number) => () => void;
}

export interface PlannedFault {
  readonly fault: JanitorFault;
  /** After the beginning, ms. */
  readonly atMs: number;
  readonly lastsMs: number;
}

export interface JanitorPlan {
  readonly seed: number;
  readonly replicas: number;
  readonly mode: WorkingMode;
  readonly isDryRun: boolean;
  readonly hourly: number;
  readonly lag: Lag;
  readonly interfaces: readonly PlannedInterface[];
  readonly faults: readonly PlannedFault[];
  /** Asked of each call in the chaos. */
  readonly fate: Fate;
  readonly chaosMs: number;
  readonly wholeMs: number;
  /** How far off the wall clock of each start is, ms. */
  readonly skewMs: number;
  /** So much younger than it is an interface may look at most, ms. */
  readonly behindMs: number;
  readonly bug: JanitorPortBug | null;
  readonly onLine?: (line: LogLine) => void;
}

export interface JanitorResult {
  readonly violations: readonly Violation[];
  /** By rule, how often it was looked at. */
  readonly evaluations: ReadonlyMap<string, number>;
  /** By class. */
  readonly faults: ReadonlyMap<string, number>;
  readonly deletions: number;
  /** All calls but those of the Lease. */
  readonly calls: readonly Call[];
}
