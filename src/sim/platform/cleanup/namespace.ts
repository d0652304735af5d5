import { type JsonObject, listAt } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import { isTerminating, keyOf, nameOf, namespaceOf } from '../objects/meta.ts';
import {
  type Actor,
  type ActorOptions,
  cacheOf,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { createSyncQueue } from '../running/work-queue.ts';

/** What a namespace's deletion empties, in this order; pods leave at their own pace. */
const CONTENT = [
  'Deployment',
  'ReplicaSet',
  'DaemonSet',
  'Pod',
  'Service',
  'EndpointSlice',
  'ConfigMap',
  'Secret',
  'ServiceAccount',
  'Lease',
  'Event',
];
/** While something is left the namespace is looked at again (its retry is of half the grace). */
const AGAIN_MS = 5000;

/** The namespace controller: a namespace that is deleted goes when nothing is in it any more. */
export function startNamespaceController(world: World, options: ActorOptions = {}): Running {
  const name = 'namespace-controller';
  const actor = createActor(world, name, controllerUser(name), options);
  const queue = createSyncQueue(actor, (key) => {
    const namespace = namespaces.get(key);
    if (namespace === undefined) return;
    if (isEmptied(actor, key)) finalise(actor, namespace);
    else queue.addAfter(key, AGAIN_MS);
  });
  const namespaces = cacheOf(actor, 'Namespace', nameOf, (_type, object) => {
    if (isTerminating(object)) queue.add(nameOf(object));
  });
  return actor;
}

function isEmptied({ client }: Actor, namespace: string): boolean {
  let left = 0;
  for (const kind of CONTENT)
    for (const object of client.list(kind, { namespace })) {
      if (namespaceOf(object) !== namespace) continue;
      left++;
      if (!isTerminating(object))
        client.delete(kind, keyOf(object), { propagationPolicy: 'Background' });
    }
  return left === 0 || CONTENT.every((kind) => client.list(kind, { namespace }).length === 0);
}

function finalise({ client }: Actor, namespace: JsonObject): void {
  const rest = listAt(namespace, 'spec.finalizers').filter((entry) => entry !== 'kubernetes');
  const finalised = { ...namespace, spec: { finalizers: rest } };
  const patch = { spec: finalised.spec };
  client.patch('Namespace', nameOf(namespace), 'merge', patch, 'finalize');
}
