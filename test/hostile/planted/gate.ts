/** A cluster with gates, in which a secret stands wherever somebody can put one. */
import type { JsonObject } from '../../../src/evidence/json.ts';
import type { Plant } from './kubernetes.ts';

const CREATED = '2026-11-22T08:00:00Z';
const READY = 'example.com/Ready';
const OF_NODE = 'example.com/of';
const APP = { app: 'cni' };

/** What stands of one shape in each place, with its number. */
export interface Shaped {
  readonly number: number;
  readonly textAt: (place: string) => string;
  /** The secret of `textAt` without its shape. */
  readonly secretAt: (place: string) => string;
}

/** Of so many shapes, those at which `isChosen` is true. */
export function shapedTexts(
  plant: Plant,
  places: readonly string[],
  isChosen: (number: number) => boolean,
): readonly Shaped[] {
  const all = new Map(places.map((place) => [place, plant(place)]));
  const [first = []] = [...all.values()];
  return first
    .map((_, number) => ({
      number,
      textAt: (place: string) => all.get(place)?.[number]?.text ?? '',
      secretAt: (place: string) => all.get(place)?.[number]?.secret ?? '',
    }))
    .filter(({ number }) => isChosen(number));
}

export const GATE_PLACES = [
  'Node with gates condition',
  'Node with gates annotation',
  'Pod with gates message',
  'Pod that slipped in owner',
  'Event of a replaced Pod message',
  'NodeGate spec',
  'NodeReadinessRule with gates spec',
];

export function plantedNodeName({ number }: Pick<Shaped, 'number'>): string {
  return `node-${number}`;
}

function taint(key: string): JsonObject {
  return { key: `readiness.k8s.io/${key}`, effect: 'NoSchedule' };
}

function nodeOf(shaped: Shaped): JsonObject {
  const name = plantedNodeName(shaped);
  const { number, textAt, secretAt } = shaped;
  const condition = { type: READY, status: 'False', reason: 'Failing' };
  const taints = ['workers', `refused-${number}`, `rule-${number}`].map(taint);
  return {
    metadata: {
      name,
      creationTimestamp: CREATED,
      labels: { [OF_NODE]: String(number) },
      annotations: { 'example.com/note': secretAt('Node with gates annotation') },
    },
    spec: { taints },
    status: {
      nodeInfo: { bootID: 'boot-1' },
      conditions: [{ ...condition, message: textAt('Node with gates condition') }],
    },
  };
}

function podOf(shaped: Shaped, uid: string): JsonObject {
  const name = plantedNodeName(shaped);
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'cni', uid, controller: true };
  const message = shaped.textAt('Pod with gates message');
  const conditions = [{ type: 'Ready', status: 'False', message, lastTransitionTime: CREATED }];
  return {
    metadata: {
      name: `cni-${name}`,
      namespace: 'kube-system',
      labels: APP,
      ownerReferences: [owner],
    },
    spec: { nodeName: name },
    status: { phase: 'Running', conditions },
  };
}

/** A Pod that came before any gate opened its Node, made by whoever can name itself. */
function slippedPod(shaped: Shaped): JsonObject {
  const secret = shaped.textAt('Pod that slipped in owner');
  const owner = { kind: secret, name: secret, uid: `owner-${shaped.number}`, controller: true };
  return {
    metadata: {
      name: `slipped-${shaped.number}`,
      namespace: 'shop',
      creationTimestamp: CREATED,
      labels: { app: 'cart' },
      annotations: { 'example.com/note': secret },
      ownerReferences: [owner],
    },
    spec: { nodeName: plantedNodeName(shaped) },
    status: {
      phase: 'Running',
      conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: CREATED }],
    },
  };
}

/** What a controller told of a Pod that was replaced, or somebody in its name. */
export function replacedEvent({ number, textAt }: Shaped): JsonObject {
  return {
    metadata: { name: `replaced-${number}`, namespace: 'shop' },
    involvedObject: { kind: 'Pod', name: `slipped-${number}`, namespace: 'shop' },
    reason: 'SlipInReplaced',
    message: textAt('Event of a replaced Pod message'),
    lastTimestamp: CREATED,
  };
}

/** The gate of all Nodes, whose proofs are lacking; one for each kind of words that it says. */
export const WORKERS: JsonObject = {
  metadata: { name: 'workers', creationTimestamp: CREATED, generation: 1 },
  spec: {
    nodeSelector: {},
    taint: taint('workers'),
    proofs: [
      { condition: { type: READY } },
      { daemonSet: { namespace: 'kube-system', name: 'cni' } },
      { annotation: { key: 'example.com/note', value: 'done' } },
    ],
  },
};

/** A gate of one Node that nobody can follow. */
function refusedGate({ number, textAt }: Shaped): JsonObject {
  const text = textAt('NodeGate spec');
  return {
    metadata: { name: `refused-${number}`, creationTimestamp: CREATED, generation: 1 },
    spec: {
      nodeSelector: { matchLabels: { [OF_NODE]: String(number) } },
      taint: taint(`refused-${number}`),
      proofs: [{ annotation: { key: 'example.com/note', value: text } }],
      mode: text,
      dwell: text,
      [text]: true,
    },
  };
}

/** A rule of one Node that nobody can follow. */
export function refusedRule({ number, textAt }: Pick<Shaped, 'number' | 'textAt'>): JsonObject {
  const text = textAt('NodeReadinessRule with gates spec');
  return {
    apiVersion: 'readiness.node.x-k8s.io/v1alpha1',
    kind: 'NodeReadinessRule',
    metadata: { name: `rule-${number}`, creationTimestamp: CREATED, generation: 1 },
    spec: {
      nodeSelector: { matchLabels: { [OF_NODE]: String(number) } },
      taint: taint(`rule-${number}`),
      conditions: [{ type: READY, requiredStatus: 'True' }],
      enforcementMode: 'continuous',
      conditionPolicy: text,
    },
  };
}

export const DAEMON_SET: JsonObject = {
  metadata: { name: 'cni', namespace: 'kube-system' },
  spec: {
    selector: { matchLabels: APP },
    template: { spec: { tolerations: [{ operator: 'Exists' }] } },
  },
};

/** Objects by kind; the Pods are those of the DaemonSet with this UID. */
export function plantedGates(shaped: readonly Shaped[], uid: string) {
  return {
    nodes: shaped.map(nodeOf),
    pods: shaped.flatMap((one) => [podOf(one, uid), slippedPod(one)]),
    gates: [WORKERS, ...shaped.map(refusedGate)],
    rules: shaped.map(refusedRule),
  };
}
