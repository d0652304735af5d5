/** Pods and DaemonSets as kubelets and controllers would have left them. */
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { KubeObject } from '../../../src/sim/kube/contract.ts';
import type { Placed } from './nodes.ts';
import { DAY, type Scene } from './scene.ts';

interface DaemonSetOptions {
  readonly image: string;
  /** The name of the set unless given. */
  readonly container?: string;
  /** Members of its one container. */
  readonly more?: JsonObject;
  readonly nodeSelector?: Readonly<Record<string, string>>;
}

/** A DaemonSet of kube-system; its pods are put one by one. */
export function putDaemonSet(
  scene: Scene,
  name: string,
  { image, container = name, more = {}, nodeSelector }: DaemonSetOptions,
): KubeObject {
  const labels = { 'k8s-app': name };
  const account = { apiVersion: 'v1', kind: 'ServiceAccount' };
  scene.put(60 * DAY, { ...account, metadata: { name, namespace: 'kube-system' } });
  const spec = {
    serviceAccountName: name,
    hostNetwork: true,
    tolerations: [{ operator: 'Exists' }],
    containers: [{ name: container, image, ...more }],
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  };
  return scene.put(60 * DAY, {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'kube-system', labels, generation: 1 },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
}

interface PodOptions {
  readonly name: string;
  readonly namespace?: string;
  /** null where no node has it. */
  readonly node: Placed | null;
  readonly minutes: number;
  readonly owner?: JsonObject;
  readonly isHostNetwork?: boolean;
  readonly address?: string;
  /** False for a pod that runs and is not Ready. */
  readonly isReady?: boolean;
  /** Of its one container; it runs unless given. */
  readonly waiting?: JsonObject;
  readonly terminated?: JsonObject;
  readonly restarts?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly serviceAccount?: string;
  readonly container?: string;
  readonly image?: string;
  /** Members of its one container. */
  readonly more?: JsonObject;
  readonly volumes?: readonly JsonObject[];
  readonly log?: string;
}

const DEFAULTS = {
  container: 'app',
  image: 'registry.example.com/shop/app:2.1',
  namespace: 'shop',
};

/** A container that was never started, as it is while its pod has no sandbox. */
export const CREATING: JsonObject = { reason: 'ContainerCreating' };

function podConditions(scene: Scene, options: PodOptions, isReady: boolean): readonly JsonObject[] {
  const { node, minutes, container = DEFAULTS.container } = options;
  const lastTransitionTime = scene.ago(minutes);
  if (node === null)
    return [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime }];
  const message = `containers with unready status: [${container}]`;
  const ready = isReady
    ? { status: 'True', lastTransitionTime: scene.ago(minutes - 0.2) }
    : { status: 'False', reason: 'ContainersNotReady', message, lastTransitionTime };
  return [
    { type: 'PodScheduled', status: 'True', lastTransitionTime },
    { type: 'Initialized', status: 'True', lastTransitionTime },
    { type: 'ContainersReady', ...ready },
    { type: 'Ready', ...ready },
  ];
}

function podStatus(scene: Scene, options: PodOptions): JsonObject {
  const { node, minutes, waiting, terminated, restarts = 0, container, image } = options;
  if (node === null)
    return { phase: 'Pending', conditions: [...podConditions(scene, options, false)] };
  const isCreating = waiting?.['reason'] === CREATING['reason'];
  const isReady = options.isReady ?? waiting === undefined;
  const state =
    waiting === undefined ? { running: { startedAt: scene.ago(minutes - 0.2) } } : { waiting };
  const address = options.isHostNetwork === true ? node.machine.address : options.address;
  const ended = { exitCode: 1, startedAt: scene.ago(1.5), finishedAt: scene.ago(1) };
  return {
    phase: isCreating ? 'Pending' : 'Running',
    startTime: scene.ago(minutes),
    hostIP: node.machine.address,
    ...(isCreating || address === undefined ? {} : { podIP: address }),
    conditions: [...podConditions(scene, options, isReady)],
    containerStatuses: [
      {
        name: container ?? DEFAULTS.container,
        image: image ?? DEFAULTS.image,
        imageID: '',
        ready: isReady,
        started: waiting === undefined,
        restartCount: restarts,
        state,
        lastState: terminated === undefined ? {} : { terminated: { ...ended, ...terminated } },
      },
    ],
  };
}

export function putPod(scene: Scene, options: PodOptions): KubeObject {
  const { namespace = DEFAULTS.namespace, node, serviceAccount = 'default', more, owner } = options;
  const { container = DEFAULTS.container, image = DEFAULTS.image, volumes } = options;
  const pod = scene.put(options.minutes, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: options.name,
      namespace,
      labels: options.labels ?? {},
      annotations: options.annotations ?? {},
      ...(owner === undefined ? {} : { ownerReferences: [{ ...owner, controller: true }] }),
    },
    spec: {
      ...(node === null ? {} : { nodeName: node.name }),
      serviceAccountName: serviceAccount,
      hostNetwork: options.isHostNetwork ?? false,
      tolerations: owner?.['kind'] === 'DaemonSet' ? [{ operator: 'Exists' }] : [],
      containers: [{ name: container, image, ...more }],
      ...(volumes === undefined ? {} : { volumes }),
    },
    status: podStatus(scene, options),
  });
  if (options.log !== undefined) scene.log(pod, options.log);
  return pod;
}

/** The pod of a DaemonSet on a node. */
export function putDaemonPod(
  scene: Scene,
  set: KubeObject,
  node: Placed,
  more: Partial<PodOptions> = {},
): KubeObject {
  const name = textAt(set, 'metadata.name') ?? '';
  const [container] = listAt(set, 'spec.template.spec.containers');
  const [, , b = '', c = ''] = node.machine.address.split('.');
  return putPod(scene, {
    name: `${name}-${`${b}${c}`.padStart(5, 'x')}`,
    namespace: 'kube-system',
    node,
    minutes: Math.max(node.minutes - 0.1, 0.1),
    owner: {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      name,
      uid: textAt(set, 'metadata.uid') ?? '',
    },
    isHostNetwork: true,
    labels: { 'k8s-app': name },
    serviceAccount: name,
    container: textAt(container, 'name') ?? '',
    image: textAt(container, 'image') ?? '',
    ...more,
  });
}

/** DaemonSets count their pods, and a Service its addresses, once all pods are there. */
export function counted(object: KubeObject, scene: Scene): KubeObject {
  if (object['kind'] !== 'DaemonSet') return object;
  const uid = textAt(object, 'metadata.uid');
  const pods = scene
    .objects('Pod')
    .filter((pod) => textAt(listAt(pod, 'metadata.ownerReferences')[0], 'uid') === uid);
  const ready = pods.filter((pod) =>
    listAt(pod, 'status.conditions').some(
      (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
    ),
  ).length;
  return {
    ...object,
    status: {
      observedGeneration: 1,
      desiredNumberScheduled: pods.length,
      currentNumberScheduled: pods.length,
      updatedNumberScheduled: pods.length,
      numberMisscheduled: 0,
      numberReady: ready,
      numberAvailable: ready,
      ...(ready === pods.length ? {} : { numberUnavailable: pods.length - ready }),
    },
  };
}
