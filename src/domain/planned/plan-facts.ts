import type { FactKind } from '../../evidence/kinds.ts';
import type { Doubt, Planned } from '../../evidence/planned.ts';

/** The things of one plan, as causes and their questions look at them. */
export interface PlanFacts {
  /** False where what the plan is written in cannot make aws-auth, so that its absence says nothing. */
  readonly canWriteMaps: boolean;
  /** All that the plan shows of this kind. */
  list<N extends FactKind>(kind: N): readonly Planned<N>[];
  /** What of this kind the plan makes without saying for what, null for nothing. */
  doubtOf(kind: FactKind): Doubt | null;
}
