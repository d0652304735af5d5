import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { FactKind } from '../../src/evidence/kinds.ts';
import type { KubeKind } from '../../src/evidence/kube/shapes.ts';
import type { KubeObject } from '../../src/evidence/kube/object.ts';
import type { FactRecord, Observations, Refusal } from '../../src/evidence/observations.ts';
import { projectNode } from '../../src/readers/kube/node.ts';

const NOWHERE = { document: 0, line: 1 };

/** One thing that was seen: its kind, and the object as the API answers it. */
export type Thing = readonly [FactKind, JsonObject];

function objectOf(kind: KubeKind, value: JsonObject): KubeObject {
  return {
    kind,
    namespace: textAt(value, 'metadata.namespace'),
    name: textAt(value, 'metadata.name') ?? '',
    uid: null,
    labels: {},
    annotations: {},
    body: value,
  };
}

function valueOf(kind: FactKind, value: JsonObject): FactRecord['value'] {
  if (kind === 'kube/Node') return projectNode(value);
  const isObject = kind.startsWith('kube/') && kind !== 'kube/aws-auth';
  return isObject ? objectOf(kind.slice('kube/'.length) as KubeKind, value) : value;
}

/** Observations of a cluster, put together without files. */
export function observed(
  things: readonly Thing[],
  listed: readonly FactKind[] = [],
  refusals: readonly Refusal[] = [],
): Observations {
  const facts = things.map(([kind, value]) => ({
    kind,
    value: valueOf(kind, value),
    by: 'test',
    locator: 'test',
    moment: { when: null, at: NOWHERE, isState: true },
    about: [],
  }));
  const collection = { atMs: 0, cluster: 'shop', asked: [], refusals, shortened: [] };
  const listings = listed.map((kind) => ({ kind, by: 'test', locator: 'test' }));
  return { documents: [], hits: [], facts, links: [], listings, losses: [], collection };
}
