/** A cluster in memory with nodes, DaemonSets and their Pods, and the gate controller at work in it. */
import type { TestContext } from 'node:test';
import {
  GateKeeper,
  type GateWrite,
  type GateWritten,
} from '../../../src/controllers/gate/keeper.ts';
import { happenedBy } from '../../../src/controllers/gate/notes.ts';
import type { Look } from '../../../src/controllers/gate/look.ts';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { NODE_GATES, readNodeGate } from '../../../src/controllers/gate/policies/node-gate.ts';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { KubeResource } from '../../../src/ports/kube-api.ts';
import { type VirtualClock, virtualClock } from '../../ports/fake/clock.ts';
import { FakeKubeApi } from '../../ports/fake/kube-api.ts';
import { FakeKubeWrites } from '../../ports/fake/kube-writes.ts';
import { createFakeRecorder } from '../../ports/fake/recorder.ts';

export const DAEMON_SETS: KubeResource = {
  group: 'apps',
  version: 'v1',
  plural: 'daemonsets',
  kind: 'DaemonSet',
  isNamespaced: true,
};
export const PODS: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  isNamespaced: true,
};
export const CSI_NODES: KubeResource = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'csinodes',
  kind: 'CSINode',
  isNamespaced: false,
};

export const STARTUP = 'readiness.k8s.io/workers';
export const REGRESS = 'regress.rollcall.dev/workers';
export const DWELL_MS = 5_000;
export const FOREIGN = { key: 'other.example/x', value: '1', effect: 'NoSchedule' };

export interface GateScene {
  readonly api: FakeKubeApi;
  readonly writes: FakeKubeWrites;
  readonly clock: VirtualClock;
  readonly keeper: GateKeeper;
  /** What was written to Nodes: name, what happened, outcome. */
  readonly done: string[];
  readonly stop: () => Promise<void>;
}

export function gateObject(spec: JsonObject = {}): JsonObject {
  return {
    metadata: { name: 'workers', creationTimestamp: '2025-12-31T00:00:00Z', generation: 1 },
    spec: {
      nodeSelector: {},
      taint: { key: STARTUP, effect: 'NoSchedule' },
      proofs: [{ daemonSet: { namespace: 'kube-system', name: 'cni' } }],
      ...spec,
    },
  };
}

interface NodeChange {
  readonly taints?: readonly JsonObject[];
  readonly bootId?: string;
  readonly conditions?: readonly JsonObject[];
  readonly metadata?: JsonObject;
}

/** A Node that is younger than the gate. */
export function nodeObject(name: string, change: NodeChange = {}): JsonObject {
  const { taints = [{ key: STARTUP, effect: 'NoSchedule' }], bootId = 'boot-1' } = change;
  return {
    metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z', ...change.metadata },
    spec: { taints },
    status: { nodeInfo: { bootID: bootId }, conditions: change.conditions ?? [] },
  };
}

export function layDaemonSet(api: FakeKubeApi): string {
  const set = api.put(DAEMON_SETS, {
    metadata: { name: 'cni', namespace: 'kube-system' },
    spec: {
      selector: { matchLabels: { app: 'cni' } },
      template: { spec: { tolerations: [{ operator: 'Exists' }] } },
    },
  });
  return textAt(set, 'metadata.uid') ?? '';
}

/** Makes the Pod of the DaemonSet on a node ready or not. */
export function setPod(
  scene: Pick<GateScene, 'api' | 'clock'>,
  node: string,
  isReady: boolean,
): void {
  const [set] = scene.api.objects(DAEMON_SETS);
  const at = new Date(scene.clock.nowMs()).toISOString();
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    name: 'cni',
    uid: textAt(set, 'metadata.uid') ?? '',
    controller: true,
  };
  scene.api.put(PODS, {
    metadata: {
      name: `cni-${node}`,
      namespace: 'kube-system',
      labels: { app: 'cni' },
      ownerReferences: [owner],
    },
    spec: { nodeName: node },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: at }],
    },
  });
}

export function taintKeys({ api }: Pick<GateScene, 'api'>, name: string): readonly string[] {
  const node = api.objects(NODES).find((one) => textAt(one, 'metadata.name') === name);
  return listAt(node, 'spec.taints').map((taint) => textAt(taint, 'key') ?? '');
}

export function isShut(scene: Pick<GateScene, 'api'>, name: string): boolean {
  return taintKeys(scene, name).includes(STARTUP);
}

/** Rewrites the taints of a node as somebody else does who sends the whole list. */
export function setTaints(
  { api }: Pick<GateScene, 'api'>,
  name: string,
  change: (taints: readonly JsonObject[]) => readonly JsonObject[],
): void {
  const node = api.objects(NODES).find((one) => textAt(one, 'metadata.name') === name) ?? {};
  const taints = listAt(node, 'spec.taints') as readonly JsonObject[];
  api.put(NODES, { ...node, spec: { taints: change(taints) } });
}

export interface SceneOptions {
  readonly gates?: readonly JsonObject[];
  readonly nodes?: readonly JsonObject[];
  readonly isDryRun?: boolean;
  /** Told of each look of the first controller. */
  readonly onLook?: (look: Look) => void;
  readonly onGone?: (node: string) => void;
  /** Whether NodeGates are followed now. */
  readonly isOn?: () => boolean;
  /** False to leave the DaemonSet out. */
  readonly hasDaemonSet?: boolean;
}

function served(options: SceneOptions, clock: VirtualClock): FakeKubeApi {
  const api = new FakeKubeApi({ clock });
  for (const resource of [NODES, NODE_GATES, DAEMON_SETS, PODS, CSI_NODES]) api.serve(resource);
  for (const gate of options.gates ?? [gateObject()]) api.put(NODE_GATES, gate);
  for (const node of options.nodes ?? [nodeObject('n1')]) api.put(NODES, node);
  if (options.hasDaemonSet !== false) layDaemonSet(api);
  return api;
}

function noted(done: string[]): (write: GateWrite, written: GateWritten) => void {
  return ({ look, action, isOfTaints }, { outcome }) => {
    const what = isOfTaints
      ? happenedBy(look)
          .map((one) => one.what)
          .join('+')
      : action.why.name;
    done.push(`${look.node.name} ${what} ${outcome}`);
  };
}

/** A second controller in the same cluster, which knows nothing of the first. */
export function startKeeper(
  { api, writes, clock }: Pick<GateScene, 'api' | 'writes' | 'clock'>,
  options: SceneOptions = {},
): Pick<GateScene, 'keeper' | 'done' | 'stop'> {
  const { isDryRun = false, onLook = () => undefined, isOn = () => true } = options;
  const done: string[] = [];
  const keeper = new GateKeeper({
    api,
    writes,
    recorder: createFakeRecorder(),
    clock,
    random: { next: () => 0.5 },
    cluster: 'shop',
    policyKinds: [{ resource: NODE_GATES, read: readNodeGate, isOn }],
    fixed: [],
    isDryRun,
    onLook,
    onPerformed: noted(done),
    onGone: options.onGone ?? (() => undefined),
    onPolicies: () => undefined,
    tellsTrouble: true,
  });
  const ending = new AbortController();
  const { signal } = ending;
  const never = new AbortController().signal;
  const running = [
    keeper.run(signal),
    keeper.lead({ stop: signal, lost: never, isLeading: () => true }),
  ];
  const stop = async (): Promise<void> => {
    ending.abort();
    await clock.advance(0);
    await Promise.all(running);
  };
  return { keeper, done, stop };
}

/** Starts with everything listed; the clock stands still at the first second. */
export async function startScene(
  context: TestContext,
  options: SceneOptions = {},
): Promise<GateScene> {
  const clock = virtualClock();
  const api = served(options, clock);
  const base = { api, writes: new FakeKubeWrites(api), clock };
  const scene = { ...base, ...startKeeper(base, options) };
  context.after(scene.stop);
  await clock.advance(1_000);
  return scene;
}
