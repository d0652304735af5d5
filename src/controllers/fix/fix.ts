import type { JsonObject } from '../../evidence/json.ts';
import type { Action, ActionReason } from '../../ports/action.ts';
import type { AwsAction } from '../../ports/aws-action.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { Random } from '../../ports/random.ts';
import type { Performed } from '../../runtime/perform.ts';
import type { PerformedAws } from '../../runtime/perform-aws.ts';
import type { LostBy } from './auth/lost-by.ts';

/**
 * How one change of a fix ended.
 * `not-needed`: it is as it is to be; `would-write`: a dry run, which the server accepts where it
 * can be asked; `overwritten`: written, and another program changed it at once; `refused`: nothing
 * was written; `forbidden-by-budget`: a PodDisruptionBudget does not allow it now; `conflict`: others
 * kept changing the object; `unclear`: sent, and nobody knows.
 */
export type FixOutcome =
  | 'not-needed'
  | 'would-write'
  | 'written'
  | 'overwritten'
  | 'refused'
  | 'forbidden-by-budget'
  | 'conflict'
  | 'unclear';

/** One change, and what became of it. */
export interface FixStep {
  /** `ConfigMap kube-system/aws-auth` */
  readonly object: string;
  readonly outcome: FixOutcome;
  /** One sentence. */
  readonly why: string;
  /** The change in lines that begin with `-`, `+` or a blank. */
  readonly diff: readonly string[];
  /** What a person may run instead, where the fix does not do it. */
  readonly commands: readonly string[];
  /** Who took away what the change gives back; not there where that was not asked. */
  readonly lostBy?: readonly LostBy[];
}

/** What a fix has to keep so that it can be taken back; JSON. */
export type UndoNote = JsonObject;

/** What every fix works with. */
export interface FixTools {
  readonly kube: KubeApi;
  /** null where AWS could not be opened. */
  readonly aws: AwsApi | null;
  readonly clock: Clock;
  readonly random: Random;
  /** Sends a change of an object; as a dry run where the fix is one. */
  readonly perform: (action: Action) => Promise<Performed>;
  /** The same for AWS; a call that AWS cannot check is not made in a dry run. */
  readonly performAws: (
    action: AwsAction,
    tookEffect: () => Promise<boolean>,
    isAllowed?: () => boolean,
  ) => Promise<PerformedAws>;
  /** Keeps what takes a change back, before it is sent; throws `PortError` where it cannot. */
  readonly keep: (note: UndoNote) => Promise<void>;
}

/** What is asked of a fix. */
export interface FixOrder {
  /** Names the fix in records, and for `rollcall fix undo`. */
  readonly id: string;
  readonly isDryRun: boolean;
  readonly why: ActionReason;
}

/** True where a change is in place, or would be. */
export function isWell({ outcome }: FixStep): boolean {
  return outcome === 'written' || outcome === 'not-needed' || outcome === 'would-write';
}

/** The command that takes a fix back. */
export function undoCommand(id: string): string {
  return `rollcall fix undo ${id} --yes`;
}
