import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import type { KubeObject } from './contract.ts';
import { type KubeKind, placeOf } from './kinds.ts';
import { listIn, objectAt, textIn } from './rules/fields.ts';
import { customSchema } from './schema/custom.ts';
import { type Core, secondsStamp } from './scope.ts';
import type { Change } from './store.ts';
import { wordOf } from './word.ts';

export const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';

/** Serves what CustomResourceDefinitions define, as soon as they are written. */
export function serveCustomKinds(core: Core): void {
  const table = core.store.table(DEFINITIONS);
  table.listeners.add((change) => onDefinition(core, change));
}

function onDefinition(core: Core, { key, before, after }: Change): void {
  if (after === null) {
    dropResources(core, before);
    core.kinds.setCustom(key, []);
    return;
  }
  core.kinds.setCustom(key, versionsOf(key, after));
  const established = { ...after, status: acceptedStatus(core, after) };
  if (listIn(objectAt(after, 'status'), 'conditions').length > 0) return;
  core.store.write(core.store.table(DEFINITIONS), key, established);
}

/** With its definition every object of a kind goes, and who watches is cut off. */
function dropResources(core: Core, definition: KubeObject | null): void {
  const spec = objectAt(definition ?? {}, 'spec');
  const table = core.store.table(
    `${textIn(spec, 'group')}/${textIn(objectAt(spec, 'names'), 'plural')}`,
  );
  for (const key of table.keys(null)) core.store.write(table, key, null);
  // Behind the deletions, which are told when this one has been.
  core.kernel.after(0, () => {
    for (const watch of core.watches) if (watch.table === table) watch.end();
  });
}

function acceptedStatus(core: Core, definition: KubeObject): JsonObject {
  const spec = objectAt(definition, 'spec');
  const lastTransitionTime = secondsStamp(core.kernel.nowMs());
  const condition = (type: string, reason: string, message: string): JsonObject => ({
    type,
    status: 'True',
    lastTransitionTime,
    reason,
    message,
  });
  const stored = listIn(spec, 'versions').find((one) => isObject(one) && one['storage'] === true);
  return {
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    acceptedNames: spec['names'] ?? {},
    storedVersions: [textIn(stored, 'name')],
  };
}

function versionsOf(crd: string, definition: KubeObject): readonly KubeKind[] {
  const spec = objectAt(definition, 'spec');
  return listIn(spec, 'versions')
    .filter((one) => isObject(one) && one['served'] === true)
    .map((version) => kindOfVersion(crd, spec, version));
}

function kindOfVersion(crd: string, spec: JsonObject, version: Json): KubeKind {
  const names = objectAt(spec, 'names');
  const subresources = objectAt(version, 'subresources');
  const openApi = objectAt(objectAt(version, 'schema'), 'openAPIV3Schema');
  const scale = objectAt(subresources, 'scale');
  const hasStatus = subresources['status'] !== undefined;
  const hasScale = subresources['scale'] !== undefined;
  return {
    ...placeOf(textIn(spec, 'group'), textIn(version, 'name'), textIn(names, 'plural')),
    singular: textIn(names, 'singular') || textIn(names, 'kind').toLowerCase(),
    kind: textIn(names, 'kind'),
    isNamespaced: textIn(spec, 'scope') === 'Namespaced',
    shortNames: listIn(names, 'shortNames').map(wordOf),
    categories: listIn(names, 'categories').map(wordOf),
    subresources: [...(hasStatus ? ['status'] : []), ...(hasScale ? ['scale'] : [])],
    hasGeneration: true,
    hasStatus,
    needsVersion: true,
    createsOnUpdate: false,
    returnsDeleted: false,
    custom: {
      crd,
      schema: customSchema(openApi),
      openApi,
      scale: hasScale
        ? { spec: textIn(scale, 'specReplicasPath'), status: textIn(scale, 'statusReplicasPath') }
        : null,
    },
  };
}
