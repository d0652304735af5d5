/** What is played in a world with slip-ins, and what came of it. */
import type { KubeApi } from '../../../src/ports/kube-api.ts';
import type { KubeWrites } from '../../../src/ports/kube-writes.ts';
import type { Call, Fate } from '../../../src/sim/programs/call.ts';

export interface Violation {
  readonly rule: string;
  readonly what: string;
}

export interface GatePorts {
  readonly api: KubeApi;
  readonly writes: KubeWrites;
}

/** A mistake between the controller and its ports. */
export type PortBug = (ports: GatePorts) => Partial<GatePorts>;

export interface SlipPlan {
  readonly seed?: number;
  readonly replicas?: number;
  readonly mode?: 'ignore' | 'report' | 'evict';
  readonly isDryRun?: boolean;
  /** Evictions that the gate allows an hour; so many that it forbids none when not given. */
  readonly perHour?: number;
  /** Asked of each call in the first two minutes. */
  readonly fate?: Fate;
  readonly bug?: PortBug;
}

export interface SlipResult {
  readonly violations: readonly Violation[];
  /** By rule, how often it was looked at. */
  readonly evaluations: ReadonlyMap<string, number>;
  readonly evictions: number;
  readonly calls: readonly Call[];
}
