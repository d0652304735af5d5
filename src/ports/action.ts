import type { JsonObject } from '../evidence/json.ts';
import type { KubeResource } from './kube-api.ts';
import type { KubeDeleteOptions, KubePatch, KubePreconditions } from './kube-writes.ts';

/** What led to an action, in words that a person can look up. */
export interface ActionReason {
  readonly kind: 'finding' | 'rule' | 'request';
  /** Cause id or name of the rule. */
  readonly name: string;
  /** One sentence about this object. */
  readonly text: string;
}

/** How a person takes an action back; the command is null when there is none. */
export interface ActionUndo {
  readonly text: string;
  readonly command: string | null;
}

/** The object that an action is about, as it was seen when the action was decided. */
export interface ActionObject {
  readonly resource: KubeResource;
  /** null for kinds without one. */
  readonly namespace: string | null;
  readonly name: string;
  /** null for an object that was seen to be absent. */
  readonly seen: Required<KubePreconditions> | null;
}

/**
 * A write as data. `create` needs the object to be absent; every other write needs the object that
 * was seen, and `same-version` also that nobody has changed it since. An apply may also make an
 * object that was seen to be absent; then it is a conflict where others made another meanwhile.
 */
export type ActionWrite =
  | { readonly verb: 'create'; readonly object: JsonObject }
  | {
      readonly verb: 'update';
      readonly object: JsonObject;
      readonly subresource?: string;
    }
  | {
      readonly verb: 'patch';
      readonly patch: KubePatch;
      readonly requires: 'same-version' | 'same-object';
      readonly subresource?: string;
    }
  | {
      readonly verb: 'delete';
      readonly requires: 'same-version' | 'same-object';
      readonly gracePeriodSeconds?: number;
      readonly propagation?: NonNullable<KubeDeleteOptions['propagation']>;
    }
  | {
      readonly verb: 'evict';
      readonly requires: 'same-version' | 'same-object';
      readonly gracePeriodSeconds?: number;
    };

/** One change that somebody decided: what `--dry-run` shows and the flight recorder keeps. */
export interface Action {
  /** Ties the records of one action together. */
  readonly id: string;
  readonly object: ActionObject;
  readonly write: ActionWrite;
  readonly why: ActionReason;
  /** The controller, or the person who typed the command. */
  readonly askedBy: string;
  /** null when it cannot be taken back. */
  readonly undo: ActionUndo | null;
}

/**
 * How an action ended.
 * `done`: it took effect, or would have in a dry run; `refused`: the server does not allow or
 * accept it, or could not be reached, and nothing changed; `conflict`: the object is not what was
 * seen any more; `forbidden-by-budget`: a PodDisruptionBudget does not allow it now; `unclear`: it
 * was sent, no answer came, and reading the object did not tell.
 */
export type ActionOutcome = 'done' | 'refused' | 'conflict' | 'forbidden-by-budget' | 'unclear';
