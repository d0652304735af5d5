import type { AwsAuthEntry } from '../../../evidence/kinds.ts';
import type { RoleMapping } from './node-mapping.ts';

/** Why a text of aws-auth may not be changed, and the line, from 1. */
export interface MapRefusal {
  readonly ok: false;
  readonly line: number;
  /** Half a sentence without a full stop. */
  readonly why: string;
}

/** Reads and changes `mapRoles` by the rules of the authenticator; what it cannot, it refuses. */
export interface MapEditor {
  readonly readRoles: (
    text: string,
  ) => { readonly ok: true; readonly entries: readonly AwsAuthEntry[] } | MapRefusal;
  /** All that was there stays, byte for byte. */
  readonly withRole: (
    text: string,
    mapping: RoleMapping,
  ) => { readonly ok: true; readonly text: string; readonly inserted: string } | MapRefusal;
  /** null where what was inserted is not there once more, or more than it would go. */
  readonly withoutInserted: (text: string, inserted: string) => string | null;
}
