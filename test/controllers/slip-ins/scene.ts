/** A cluster in memory with a gate, and the controller that looks for Pods which came too early. */
import type { TestContext } from 'node:test';
import {
  type EvictionEnd,
  type Replacement,
  SlipInKeeper,
} from '../../../src/controllers/slip-ins/keeper.ts';
import type { JudgedSlipIn } from '../../../src/controllers/slip-ins/slip-in.ts';
import { type JsonObject, textAt } from '../../../src/evidence/json.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { createFakeRecorder, type FakeRecorder } from '../../ports/fake/recorder.ts';
import { type GateScene, gateObject, nodeObject, PODS, startScene } from '../gate/scene.ts';

export interface SlipScene extends GateScene {
  readonly slips: SlipInKeeper;
  readonly recorder: FakeRecorder;
  /** `found POD KIND`, `evicts POD`, `POD OUTCOME`, `replaced POD by POD`. */
  readonly told: string[];
}

export interface SlipOptions {
  readonly gate?: JsonObject;
  readonly nodes?: readonly JsonObject[];
  readonly isDryRun?: boolean;
  readonly isLeading?: () => boolean;
  readonly onEvicts?: (slipIn: JudgedSlipIn) => void;
}

interface Told {
  readonly told: string[];
  readonly onFound: (slipIn: JudgedSlipIn) => void;
  readonly onEvicts: (slipIn: JudgedSlipIn) => void;
  readonly onEnd: (end: EvictionEnd) => void;
  readonly onReplaced: (replacement: Replacement) => void;
}

function telling(onEvicts: SlipOptions['onEvicts'] = () => undefined): Told {
  const told: string[] = [];
  return {
    told,
    onFound: ({ pod, proof }) => told.push(`found ${pod.name} ${proof.kind}`),
    onEvicts(slipIn) {
      told.push(`evicts ${slipIn.pod.name}`);
      onEvicts(slipIn);
    },
    onEnd: ({ slipIn, performed }) => told.push(`${slipIn.pod.name} ${performed.outcome}`),
    onReplaced: ({ slipIn, by }) =>
      told.push(`replaced ${slipIn.pod.name} by ${by?.name ?? 'nothing'}`),
  };
}

/** A second controller in the same cluster, which knows nothing of the first. */
export function startSlips(
  context: Pick<TestContext, 'after'>,
  { api, writes, clock, keeper }: Pick<GateScene, 'api' | 'writes' | 'clock' | 'keeper'>,
  { isDryRun = false, isLeading = () => true, onEvicts }: SlipOptions = {},
): Pick<SlipScene, 'slips' | 'told' | 'recorder'> & { readonly kill: () => Promise<void> } {
  const { told, ...callbacks } = telling(onEvicts);
  const recorder = createFakeRecorder();
  const slips = new SlipInKeeper({
    api,
    writes,
    recorder,
    clock,
    random: { next: () => 0.5 },
    cluster: 'shop',
    isDryRun,
    peek: (name) => keeper.peek(name),
    isCurrent: () => true,
    ...callbacks,
  });
  const ending = new AbortController();
  const never = new AbortController().signal;
  const running = slips.lead({ stop: ending.signal, lost: never, isLeading });
  const kill = async (): Promise<void> => {
    ending.abort();
    await clock.advance(0);
    await running;
  };
  context.after(kill);
  return { slips, told, recorder, kill };
}

/** The gate and the slip-ins' controller at work, one second after the beginning. */
export async function startSlipScene(
  context: TestContext,
  options: SlipOptions = {},
): Promise<SlipScene> {
  const held: { slips: SlipInKeeper | null } = { slips: null };
  const scene = await startScene(context, {
    gates: [gateObject(options.gate)],
    nodes: options.nodes ?? [],
    onLook: (look) => held.slips?.look(look),
  });
  const own = startSlips(context, scene, options);
  held.slips = own.slips;
  await scene.clock.advance(0);
  return { ...scene, ...own };
}

export interface PodParts {
  readonly node?: string;
  readonly tolerations?: readonly JsonObject[];
  readonly owner?: JsonObject | null;
  readonly annotations?: JsonObject;
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
  readonly ip?: string;
  readonly isReady?: boolean;
  readonly startedMs?: number;
  readonly boundMs?: number;
  readonly phase?: string;
}

export const REPLICA_SET = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: 'cart',
  uid: 'set-1',
  controller: true,
};

/** A Pod that is bound and runs since now. */
export function layPod(
  { api, clock }: Pick<GateScene, 'api'> & { readonly clock: Pick<Clock, 'nowMs'> },
  name: string,
  parts: PodParts = {},
): string {
  const { node = 'n1', tolerations = [], owner = REPLICA_SET, isReady = true } = parts;
  const nowMs = clock.nowMs();
  const bound = new Date(parts.boundMs ?? nowMs).toISOString();
  const startedAt = new Date(parts.startedMs ?? nowMs).toISOString();
  const pod = api.put(PODS, {
    metadata: {
      name,
      namespace: 'shop',
      creationTimestamp: bound,
      labels: { app: 'cart' },
      annotations: parts.annotations ?? {},
      ownerReferences: owner === null ? [] : [owner],
      ...parts.metadata,
    },
    spec: { nodeName: node, tolerations, ...parts.spec },
    status: {
      phase: parts.phase ?? 'Running',
      podIP: parts.ip ?? '10.1.0.7',
      conditions: [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: bound },
        { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: startedAt },
      ],
      containerStatuses: [{ name: 'c', restartCount: 0, state: { running: { startedAt } } }],
    },
  });
  return textAt(pod, 'metadata.uid') ?? '';
}

/** A Node that was just created without the taint of the gate, and a Pod that is on it at once. */
export function layOpenNode(
  scene: Pick<GateScene, 'api' | 'clock'>,
  name = 'n1',
  taints: readonly JsonObject[] = [],
): void {
  const creationTimestamp = new Date(scene.clock.nowMs()).toISOString();
  scene.api.put(NODES_OF, nodeObject(name, { taints, metadata: { creationTimestamp } }));
}

const NODES_OF = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', isNamespaced: false };

export function podNames({ api }: Pick<GateScene, 'api'>): readonly string[] {
  return api
    .objects(PODS)
    .filter((pod) => textAt(pod, 'metadata.namespace') === 'shop')
    .map((pod) => textAt(pod, 'metadata.name') ?? '');
}

export const WHILE_MS = 10_000;
