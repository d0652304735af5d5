/** A look at a simulated cluster, as the typed facts that the lifecycle watch is given. */
import {
  complete,
  incomplete,
  type LifecycleFacts,
  type Listed,
} from '../../../src/controllers/lifecycle/facts.ts';
import { seen, type Seen, type WhyUnknown } from '../../../src/evidence/fact.ts';
import { type JsonObject, listAt, textAt, textsAt } from '../../../src/evidence/json.ts';
import type { NodeDeletionRequest } from '../../../src/evidence/kube/event.ts';
import { KUBE_SHAPES, type KubeFacts, type KubeKind } from '../../../src/evidence/kube/shapes.ts';
import { AWS_SHAPES } from '../../../src/evidence/aws/shapes.ts';
import type { Instance } from '../../../src/evidence/aws/instance.ts';
import { project } from '../../../src/evidence/project.ts';
import { projectEvent } from '../../../src/readers/kube/event.ts';
import { projectNode } from '../../../src/readers/kube/node.ts';
import type { AwsIdentity } from '../../../src/sim/aws/contract.ts';
import type { KubeClient } from '../../../src/sim/kube/contract.ts';
import type { World } from '../../../src/sim/world.ts';

const NOT_READ: WhyUnknown = { reason: 'denied', detail: 'nobody may list it', collect: null };

function named<T>(kind: string, object: JsonObject, value: T): Seen<T> {
  return seen(value, `list ${kind}`, `${kind}/${textAt(object, 'metadata.name') ?? ''}`);
}

function objectsOf<K extends KubeKind>(
  kind: K,
  objects: readonly JsonObject[],
): Listed<KubeFacts[K]> {
  const items = objects.map((object) => {
    const identity = {
      kind,
      namespace: textAt(object, 'metadata.namespace'),
      name: textAt(object, 'metadata.name') ?? '',
      uid: textAt(object, 'metadata.uid'),
      labels: textsAt(object, 'metadata.labels'),
      annotations: {},
    };
    const value = { ...identity, ...project(KUBE_SHAPES[kind], object) };
    return named(kind, object, value as unknown as KubeFacts[K]);
  });
  return complete(items);
}

/** A world, and somebody who may read everything in it. */
export interface LookedAt {
  readonly world: Pick<World, 'kernel' | 'aws'>;
  readonly people: KubeClient;
  readonly identity: AwsIdentity;
}

function instancesOf({ world, identity }: LookedAt): Listed<Instance> {
  const call = { service: 'ec2', operation: 'DescribeInstances', input: {} } as const;
  const answer = world.aws.answer(identity, call);
  if (!answer.ok) return incomplete(NOT_READ);
  const items = listAt(answer.output, 'Reservations').flatMap((one) => listAt(one, 'Instances'));
  return complete(
    items.map((item) => {
      const instance = project(AWS_SHAPES['aws/instance'], item) as Instance;
      return seen(instance, 'ec2 describe-instances', instance.InstanceId ?? '');
    }),
  );
}

/** What the one who looks may see. */
export interface Sight {
  readonly isUnbroken: boolean;
  readonly areNodesRead: boolean;
  readonly areEventsRead: boolean;
  readonly areInstancesRead: boolean;
  /** null where there is no audit log. */
  readonly audits: readonly NodeDeletionRequest[] | null;
}

/** Of worlds without Karpenter there are no claims to list. */
function claimsOf({ people }: LookedAt): Listed<KubeFacts['NodeClaim']> {
  const isServed = people
    .list('CustomResourceDefinition')
    .some((one) => textAt(one, 'metadata.name')?.startsWith('nodeclaims.'));
  return isServed ? objectsOf('NodeClaim', people.list('NodeClaim')) : complete([]);
}

export function factsOfWorld(stage: LookedAt, sight: Sight): LifecycleFacts {
  const { world, people } = stage;
  const unread = incomplete<never>(NOT_READ);
  const nodes = people.list('Node').map((object) => named('Node', object, projectNode(object)));
  const events = people.list('Event').map((object) => named('Event', object, projectEvent(object)));
  const { audits } = sight;
  return {
    nowMs: world.kernel.nowMs(),
    isUnbroken: sight.isUnbroken,
    nodes: sight.areNodesRead ? complete(nodes) : unread,
    events: sight.areEventsRead ? complete(events) : unread,
    instances: sight.areInstancesRead ? instancesOf(stage) : unread,
    leases: objectsOf('Lease', people.list('Lease', { namespace: 'kube-node-lease' })),
    pods: objectsOf('Pod', people.list('Pod', { namespace: 'kube-system' })),
    claims: claimsOf(stage),
    clusters: complete([]),
    statuses: unread,
    activities: unread,
    updates: unread,
    trail: unread,
    audits:
      audits === null
        ? unread
        : complete(audits.map((one) => seen(one, 'audit log', `audit/${one.auditId}`))),
  };
}
