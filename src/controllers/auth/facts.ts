import type { AwsAuthEntry } from '../../evidence/kinds.ts';
import type { RoleMapping } from '../fix/auth/node-mapping.ts';

/** What one reading of aws-auth shows; one that failed is none. */
export type AuthSight =
  | { readonly state: 'absent' }
  | {
      readonly state: 'seen';
      readonly entries: readonly AwsAuthEntry[];
      readonly version: string;
      /** Who wrote it last and when, by its managed fields; null where they are not shown. */
      readonly writer: string | null;
    }
  /** Nobody can say what the authenticator makes of it. */
  | { readonly state: 'malformed'; readonly why: string };

/** A mapping of nodes that stood in aws-auth, as this program saw it. */
export interface RememberedMapping {
  readonly mapping: RoleMapping;
  /** Since it is gone; null while it is there. Monotonic, ms. */
  readonly goneMs: number | null;
  /** The role has an entry that makes no node of a machine. */
  readonly isRemapped: boolean;
  /** When it was last put back, by whomever. Monotonic, ms. */
  readonly restoredMs: number | null;
}

/** By the ARN in lower case, as the authenticator compares it. */
export type AuthMemory = ReadonlyMap<string, RememberedMapping>;

/** Roles of machines that are shut out now, by ARN without path in lower case, with their machines. */
export type ShutOut = ReadonlyMap<string, readonly string[]>;

export interface AuthRules {
  /** So long a mapping must be gone, as tools write in two steps, ms. */
  readonly settleMs: number;
  /** So long a role rests after it was put back, as somebody may mean it, ms. */
  readonly restMs: number;
  /** After so long a mapping that no machine misses is forgotten, ms. */
  readonly forgetMs: number;
  /** Mappings that are put back within `restMs` at most. */
  readonly most: number;
}

/**
 * `remapped`: the role is mapped in another way. `restore`: machines that ran on it are shut out. `settling`: gone just now. `unused`: no machine
 * misses it. `resting`: put back lately, and gone again. `over-budget`: another time.
 */
export type LostVerdict =
  | 'remapped'
  | 'restore'
  | 'settling'
  | 'unused'
  | 'resting'
  | 'over-budget';

export interface LostMapping {
  readonly mapping: RoleMapping;
  readonly verdict: LostVerdict;
  /** Ids of machines that are shut out. */
  readonly machines: readonly string[];
  /** Who wrote aws-auth last; null where nobody knows. */
  readonly by: string | null;
}

export interface AuthDecision {
  readonly memory: AuthMemory;
  readonly lost: readonly LostMapping[];
}
