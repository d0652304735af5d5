import type { JsonObject } from '../../evidence/json.ts';
import { list } from './list.ts';
import { listObject, selected, selectorOfScope } from './read.ts';
import { methodNotAllowed, StatusError } from './refusal.ts';
import { type Deletion, remove } from './remove.ts';
import type { Scope } from './scope.ts';
import { metadataOf } from './store.ts';
import { wordOf } from './word.ts';

/** Deletes all that is selected and answers it as it was. @throws Refusal */
export function removeCollection(scope: Scope, deletion: Deletion): JsonObject {
  const { kind, core } = scope;
  if (kind.isNamespaced && scope.namespace === null) throw methodNotAllowed(kind);
  const chosen = scope.query['limit'] ? chosenPage(scope) : selected(scope, selectorOfScope(scope));
  for (const object of chosen) removeOne(scope, deletion, wordOf(metadataOf(object)['name'] ?? ''));
  return listObject(scope, chosen, { resourceVersion: wordOf(core.store.revision) });
}

function removeOne(scope: Scope, deletion: Deletion, name: string): void {
  try {
    remove({ ...scope, name }, deletion);
  } catch (error) {
    // Who is gone by now is gone, as was asked for.
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}

function chosenPage(scope: Scope): ReturnType<typeof selected> {
  return (list(scope)['items'] ?? []) as ReturnType<typeof selected>;
}
