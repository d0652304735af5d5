import type { Stage } from '../evidence/stage.ts';
import type { MilestoneId, MilestoneSign } from './milestones.ts';

/** Something that is plainly wrong but that several causes share; never a headline. */
export interface Symptom {
  readonly id: string;
  readonly stage: Stage;
  /** Completes "The evidence shows …". */
  readonly title: string;
  readonly signs: readonly (MilestoneSign & { readonly atLeast?: number })[];
  readonly withdrawnBy: readonly MilestoneId[];
  /** True when nothing above this stage can work, so that what is seen above is its consequence. */
  readonly blocksAbove: boolean;
}
