/** Looks as example files write them: objects as the APIs give them, read by the readers. */
import {
  type LifecycleFacts,
  LISTS,
  type Listed,
} from '../../../src/controllers/lifecycle/facts.ts';
import { AWS_SHAPES, type AwsKind } from '../../../src/evidence/aws/shapes.ts';
import { seen, type Seen, type WhyUnknown } from '../../../src/evidence/fact.ts';
import { type Json, type JsonObject, listAt, textAt, textsAt } from '../../../src/evidence/json.ts';
import { KUBE_SHAPES, type KubeKind } from '../../../src/evidence/kube/shapes.ts';
import { project } from '../../../src/evidence/project.ts';
import { nodeDeletionOf, projectEvent } from '../../../src/readers/kube/event.ts';
import { projectNode } from '../../../src/readers/kube/node.ts';

/** 2026-05-01T12:00:00Z, from which the seconds of looks count. */
export const START_MS = Date.UTC(2026, 4, 1, 12);

const DENIED: WhyUnknown = { reason: 'denied', detail: 'it may not be listed', collect: null };

function kube(kind: KubeKind): (object: JsonObject) => unknown {
  return (object) => ({
    kind,
    namespace: textAt(object, 'metadata.namespace'),
    name: textAt(object, 'metadata.name') ?? '',
    uid: textAt(object, 'metadata.uid'),
    labels: textsAt(object, 'metadata.labels'),
    annotations: {},
    ...project(KUBE_SHAPES[kind], object),
  });
}

function aws(kind: AwsKind): (object: JsonObject) => unknown {
  return (object) => project(AWS_SHAPES[kind], object);
}

const READERS: Readonly<Record<(typeof LISTS)[number], (object: JsonObject) => unknown>> = {
  nodes: projectNode,
  leases: kube('Lease'),
  claims: kube('NodeClaim'),
  pods: kube('Pod'),
  events: projectEvent,
  clusters: aws('aws/cluster'),
  instances: aws('aws/instance'),
  statuses: aws('aws/instance-status'),
  activities: aws('aws/scaling-activity'),
  updates: aws('aws/update'),
  audits: nodeDeletionOf,
  trail: aws('aws/trail-event'),
};

function listOf(list: (typeof LISTS)[number], look: JsonObject): Listed<unknown> {
  const isUnread = listAt(look, 'unread').includes(list);
  const items: readonly Seen<unknown>[] = listAt(look, list).map((object, index) =>
    seen(READERS[list](object as JsonObject), list, `${list}[${index}]`),
  );
  return { items, unread: isUnread ? DENIED : null };
}

/** The facts of one look; lists that it does not give are those of the look before. */
export function factsOf(look: JsonObject): LifecycleFacts {
  const lists = LISTS.map((list) => [list, listOf(list, look)] as const);
  const nowMs = START_MS + Number(look['at']) * 1000;
  const isUnbroken = look['isUnbroken'] !== false;
  return { nowMs, isUnbroken, ...Object.fromEntries(lists) } as unknown as LifecycleFacts;
}

/** Looks that follow each other, each with what the ones before it gave. */
export function looksOf(looks: readonly Json[]): readonly LifecycleFacts[] {
  let all: JsonObject = {};
  return looks.map((look) => {
    all = { ...all, ...(look as JsonObject) };
    return factsOf(all);
  });
}
