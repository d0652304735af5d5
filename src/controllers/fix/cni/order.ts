import type { FixOrder } from '../fix.ts';
import type { NamedMachine } from '../machine/named-machines.ts';

/** What is asked of the settings of the VPC CNI. */
export interface CniOrder extends FixOrder {
  /** Those of which the diagnosis is sure. */
  readonly machines: readonly NamedMachine[];
  /** The cluster's name in EKS; null where nobody knows it. */
  readonly cluster: string | null;
}
