import type { Json, JsonObject } from '../evidence/json.ts';
import type { Refusal } from '../evidence/observations.ts';
import { PortError } from '../ports/port-error.ts';

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
  /** Counts what is not asked for or not kept, so that a large cluster cannot cost without end. */
  readonly shorten: (what: string, count: number) => void;
}

/** The last page proves what all of them lack to be absent; a part of a list proves nothing. */
export type ListShare = 'complete' | 'part';

/** Rollcall's own list of objects of a kind. */
export function listOf(kind: string, items: readonly JsonObject[], share: ListShare): JsonObject {
  return {
    apiVersion: 'v1',
    kind: `${kind}List`,
    metadata: { annotations: { rollcall: share } },
    items,
  };
}

/** What was not answered and why; any error but a source's own is a bug and goes on. */
export function refusalOf(call: string, error: unknown): Refusal {
  if (!(error instanceof PortError)) throw error;
  const { message, failure, permission } = error;
  return { call, message, failure, permission };
}
