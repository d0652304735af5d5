import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { FactKind } from '../../src/evidence/kinds.ts';
import type { AwsKind } from '../../src/evidence/aws/shapes.ts';
import { isKubeKind, KUBE_SHAPES, type KubeKind } from '../../src/evidence/kube/shapes.ts';
import { project } from '../../src/evidence/project.ts';
import { awsOf } from '../../src/evidence/testing.ts';
import type { FactRecord, Observations, Refusal } from '../../src/evidence/observations.ts';
import { projectNode } from '../../src/readers/kube/node.ts';

const NOWHERE = { document: 0, line: 1 };

/** One thing that was seen: its kind, and the object as the API answers it. */
export type Thing = readonly [FactKind, JsonObject];

function objectOf(kind: KubeKind, value: JsonObject): FactRecord['value'] {
  const identity = {
    kind,
    namespace: textAt(value, 'metadata.namespace'),
    name: textAt(value, 'metadata.name') ?? '',
    uid: null,
    labels: {},
    annotations: {},
  };
  return { ...identity, ...project(KUBE_SHAPES[kind], value) } as FactRecord['value'];
}

function valueOf(kind: FactKind, value: JsonObject): FactRecord['value'] {
  if (kind === 'kube/Node') return projectNode(value);
  if (kind.startsWith('aws/') && kind !== 'aws/user-data') return awsOf(kind as AwsKind, value);
  const name = kind.slice('kube/'.length);
  return isKubeKind(name) ? objectOf(name, value) : (value as unknown as FactRecord['value']);
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
    extent: 'whole' as const,
    locator: 'test',
    moment: { when: null, at: NOWHERE, isState: true },
    about: [],
  }));
  const collection = { atMs: 0, cluster: 'shop', asked: [], refusals, shortened: [] };
  const listings = listed.map((kind) => ({ kind, by: 'test', locator: 'test' }));
  return {
    documents: [],
    hits: [],
    facts,
    links: [],
    listings,
    losses: [],
    troubled: [],
    collection,
  };
}
