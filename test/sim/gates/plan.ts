/** What is played in a world of gates, and what came of it. */
import type { PolicyReading } from '../../../src/controllers/gate/policy.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { KubeApi } from '../../../src/ports/kube-api.ts';
import type { KubeWrites } from '../../../src/ports/kube-writes.ts';
import type { ReflectorLimits } from '../../../src/runtime/reflector/reflector-options.ts';
import type { AdmissionFault } from '../../../src/sim/faults/admission.ts';
import type { ConfigurationFault } from '../../../src/sim/faults/configuration.ts';
import type { Call, Fate } from '../../../src/sim/programs/call.ts';

export interface Violation {
  readonly rule: string;
  readonly what: string;
}

/** What a gate reaches the outside with, and how it reads its policies. */
export interface GatePorts {
  readonly api: KubeApi;
  readonly writes: KubeWrites;
  readonly clock: Clock;
  readonly read: (object: JsonObject) => PolicyReading;
}

/** A mistake between the gate and its ports. */
export type PortBug = (ports: GatePorts) => Partial<GatePorts>;

export interface GatePlan {
  readonly seed?: number;
  readonly replicas?: number;
  /** Asked of each call before the calm. */
  readonly fate?: Fate;
  readonly bug?: PortBug;
  /** Times of what follows the cluster; the usual ones when not given. */
  readonly limits?: Partial<ReflectorLimits>;
  /** Strikes writes of Nodes from the first second of the chaos to its last. */
  readonly admission?: AdmissionFault;
  /** For a minute nothing of ours runs, and no policy of admission of ours can be evaluated. */
  readonly outage?: readonly JsonObject[];
  /** A kubelet restarts, on a node of a gate for which that counts. */
  readonly kubelets?: boolean;
  /** Strikes a gate of its own and the nodes of that. */
  readonly configuration?: ConfigurationFault;
}

export interface GateResult {
  /** How often the fault of admission or of the configuration struck. */
  readonly struck: number;
  readonly violations: readonly Violation[];
  /** By rule, how often it was looked at. */
  readonly evaluations: ReadonlyMap<string, number>;
  /** Gates that opened, as `gate node`, in their order. */
  readonly opened: readonly string[];
  readonly calls: readonly Call[];
  readonly lines: readonly string[];
}
