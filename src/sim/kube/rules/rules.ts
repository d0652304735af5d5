import type { JsonObject } from '../../../evidence/json.ts';
import type { KubeObject } from '../contract.ts';
import type { StatusCause } from '../refusal.ts';
import type { Scope } from '../scope.ts';

/** What the server itself does with the objects of one kind. */
export interface KindRules {
  /** What an object holds that nobody filled; nobody owns it. */
  readonly zero?: JsonObject;
  /** Fills in what was left out, on every write. */
  readonly defaults?: (object: KubeObject) => KubeObject;
  /** Sets what only the server sets when an object comes. */
  readonly created?: (object: KubeObject, scope: Scope) => KubeObject;
  /** Keeps what a write to the object itself cannot change. */
  readonly updated?: (object: KubeObject, before: KubeObject, scope: Scope) => KubeObject;
  /** Metadata is looked at only when all else is right. */
  readonly looksAtMetadataLast?: boolean;
  readonly validate?: (object: KubeObject, scope: Scope) => readonly StatusCause[];
  readonly validateUpdate?: (object: KubeObject, before: KubeObject) => readonly StatusCause[];
}
