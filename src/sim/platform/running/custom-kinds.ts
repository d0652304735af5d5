import type { JsonObject } from '../../../evidence/json.ts';
import { conditionOf, nameOf } from '../objects/meta.ts';
import type { Actor } from './actor.ts';

export interface CustomKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly shortNames?: readonly string[];
  /** `openAPIV3Schema` of the whole object; anything goes without one. */
  readonly schema?: JsonObject;
}

const ANYTHING: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A cluster-wide kind with a status of its own. */
export function definitionOf(custom: CustomKind): JsonObject {
  const { group, version, plural, kind, shortNames = [], schema = ANYTHING } = custom;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, shortNames },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
}

/** Makes the kinds known where they are not, and goes on when all of them are served. */
export function withCustomKinds(
  actor: Actor,
  kinds: readonly CustomKind[],
  task: () => void,
): void {
  const missing = new Set(kinds.map(({ plural, group }) => `${plural}.${group}`));
  for (const kind of kinds)
    if (actor.client.get('CustomResourceDefinition', `${kind.plural}.${kind.group}`) === null)
      actor.client.create(definitionOf(kind));
  actor.follow('CustomResourceDefinition', (type, object) => {
    if (type === 'DELETED' || conditionOf(object, 'Established')?.status !== 'True') return;
    if (missing.delete(nameOf(object)) && missing.size === 0) task();
  });
}
