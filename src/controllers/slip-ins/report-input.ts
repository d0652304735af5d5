import type { NodeFacts } from '../gate/node-facts.ts';
import type { GatePolicy } from '../gate/policy.ts';
import type { Surroundings } from '../gate/proofs/saying.ts';
import type { PodFacts } from './pod.ts';

/** What shows the slip-ins of some nodes. */
export interface ReportInput {
  readonly nodes: readonly NodeFacts[];
  readonly pods: readonly PodFacts[];
  readonly policies: readonly GatePolicy[];
  readonly around: Surroundings;
  /** Wall clock, ms. */
  readonly nowMs: number;
}
