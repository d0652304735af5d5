import type { Seen } from './fact.ts';
import type { FactKind, FactTypes } from './kinds.ts';

/**
 * What a plan does to a thing: it makes it, changes more than its tags, or leaves it. What a state
 * shows exists, and nobody knows what made it.
 */
export type Change = 'create' | 'change' | 'keep' | 'exists';

/** A thing of a plan, in the form in which AWS or Kubernetes would show it afterwards. */
export interface Planned<K extends FactKind = FactKind> extends Seen<FactTypes[K]> {
  readonly kind: K;
  /** The address in the configuration; it stands for ids that are known after apply. */
  readonly address: string;
  readonly change: Change;
}

/** Stands for security groups that nobody can tell yet, so that a list with it is not whole. */
export const UNKNOWN_GROUP = 'security groups known after apply';

/** Something that a plan makes without saying for what, until it is applied. */
export interface Doubt {
  readonly kind: FactKind;
  readonly address: string;
  /** Completes "unknown: …". */
  readonly what: string;
}

/** What one plan or state says. */
export interface PlanContents {
  readonly facts: readonly Planned[];
  readonly doubts: readonly Doubt[];
  readonly resourceCount: number;
  /** True when something that nodes depend on is made, changed or removed. */
  readonly isChanging: boolean;
  /** True where it could write the ConfigMap aws-auth. */
  readonly canWriteMaps: boolean;
}
