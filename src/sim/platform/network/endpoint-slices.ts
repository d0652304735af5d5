import { type JsonObject, listAt, textAt, textsAt } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import {
  controllerReference,
  isTerminating,
  keyOf,
  labelsOf,
  nameOf,
  namespaceOf,
} from '../objects/meta.ts';
import { type PodView, podView } from '../objects/pod.ts';
import {
  type Actor,
  type ActorOptions,
  type Cache,
  cacheOf,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { createSyncQueue } from '../running/work-queue.ts';

/** Updates of one Service are gathered for so long (`--endpointslice-updates-batch-period`). */
const SYNC_MS = 5;

/** The EndpointSlice controller: which pods of a Service are ready to be sent requests. */
export function startEndpointSlices(world: World, options: ActorOptions = {}): Running {
  const name = 'endpointslice-controller';
  const actor = createActor(world, name, controllerUser(name), options);
  const pods = new Map<string, Map<string, PodView>>();
  const queue = createSyncQueue(actor, (key) => sync(actor, key, services, pods), {
    syncMs: () => SYNC_MS,
  });
  const services = cacheOf(actor, 'Service', keyOf, (_type, service) => queue.add(keyOf(service)));
  actor.follow('Pod', (type, object, before) => {
    const pod = podView(object);
    const inNamespace = pods.get(pod.namespace) ?? new Map<string, PodView>();
    if (type === 'DELETED') inNamespace.delete(pod.uid);
    else inNamespace.set(pod.uid, pod);
    pods.set(pod.namespace, inNamespace);
    if (before !== null && type !== 'DELETED' && isSameEndpoint(podView(before), pod)) return;
    for (const service of services.values())
      if (selectsPod(service, pod)) queue.add(keyOf(service));
  });
  return actor;
}

function selectsPod(service: JsonObject, pod: PodView): boolean {
  if (namespaceOf(service) !== pod.namespace) return false;
  const wanted = Object.entries(textsAt(service, 'spec.selector'));
  const labels = labelsOf(pod.object);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

function isSameEndpoint(before: PodView, after: PodView): boolean {
  return (
    before.isReady === after.isReady &&
    before.isTerminating === after.isTerminating &&
    before.isOver === after.isOver &&
    textAt(before.object, 'status.podIP') === textAt(after.object, 'status.podIP')
  );
}

function sync(
  { client }: Actor,
  key: string,
  services: Cache,
  pods: ReadonlyMap<string, ReadonlyMap<string, PodView>>,
): void {
  const service = services.get(key);
  if (service === undefined || isTerminating(service)) return;
  if (Object.keys(textsAt(service, 'spec.selector')).length === 0) return;
  const all = [...(pods.get(namespaceOf(service))?.values() ?? [])];
  const endpoints = all
    .filter((pod) => !pod.isOver && selectsPod(service, pod))
    .flatMap((pod) => endpointOf(pod));
  const slice = sliceOf(service, endpoints);
  const known = client.get('EndpointSlice', `${key}-slice`);
  if (known === null) client.create(slice);
  else if (JSON.stringify(known['endpoints']) !== JSON.stringify(endpoints))
    client.patch('EndpointSlice', `${key}-slice`, 'merge', { endpoints });
}

function endpointOf(pod: PodView): readonly JsonObject[] {
  const address = textAt(pod.object, 'status.podIP');
  if (address === null) return [];
  const isServing = pod.isReady;
  return [
    {
      addresses: [address],
      conditions: {
        ready: isServing && !pod.isTerminating,
        serving: isServing,
        terminating: pod.isTerminating,
      },
      nodeName: pod.spec.nodeName,
      targetRef: { kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid },
    },
  ];
}

function sliceOf(service: JsonObject, endpoints: readonly JsonObject[]): JsonObject {
  const name = nameOf(service);
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-slice`,
      namespace: namespaceOf(service),
      labels: {
        'kubernetes.io/service-name': name,
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      },
      ownerReferences: [controllerReference(service)],
    },
    addressType: 'IPv4',
    endpoints,
    ports: listAt(service, 'spec.ports').map((port) => ({
      name: textAt(port, 'name') ?? '',
      port: Number(textAt(port, 'targetPort') ?? textAt(port, 'port') ?? 0) || null,
      protocol: textAt(port, 'protocol') ?? 'TCP',
    })),
  };
}
