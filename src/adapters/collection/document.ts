import type { Json, JsonObject } from '../../evidence/json.ts';
import type { Refusal } from '../../evidence/observations.ts';

/** One answer as it goes to the readers, and as `--save` writes it. */
export interface CollectedDocument {
  /** Path inside a bundle: `kubernetes/nodes.json`. */
  readonly name: string;
  /** Where people find it: the command that shows the same. */
  readonly locator: string;
  readonly content: Json | string;
}

/** Where collected evidence goes, in the order in which it arrives. */
export interface CollectedEvidence {
  readonly add: (document: CollectedDocument) => void;
  readonly refuse: (refusal: Refusal) => void;
}

/** Rollcall's own list of all objects of a kind, which proves what it lacks to be absent. */
export function completeList(kind: string, items: readonly JsonObject[]): JsonObject {
  return {
    apiVersion: 'v1',
    kind: `${kind}List`,
    metadata: { annotations: { rollcall: 'complete' } },
    items,
  };
}
