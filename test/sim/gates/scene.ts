/** The gates of a world, and the lives of its nodes. */
import { at as valueAt, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { NODE_GATES } from '../../../src/controllers/gate/policies/node-gate.ts';
import type {
  ConfigurationFault,
  ConfigurationStep,
} from '../../../src/sim/faults/configuration.ts';
import { definitionOf } from '../../../src/sim/platform/running/custom-kinds.ts';
import { must, type TestCluster, workload } from '../platform/cluster.ts';
import type { Machine, MachineOptions, Machines } from './machines.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

export const DWELL_MS = 10 * SECOND_MS;
/** When the last thing happens to a node. */
export const CHAOS_MS = 115 * SECOND_MS;
export const WHOLE_MS = 150 * SECOND_MS;
/** When nothing of ours runs, where that is played. */
export const OUTAGE_MS = { from: 30 * SECOND_MS, until: 90 * SECOND_MS };
/** How far wall clocks are set ahead: once by less than a dwell, once by more than any wait. */
const SMALL_STEP_MS = 8 * SECOND_MS;
const LARGE_STEP_MS = 60 * MINUTE_MS;

/** A DaemonSet that is renewed, and one that nobody has installed. */
export const NET_SET = 'default/net';
export const MISSING_SET = 'default/nobody';
const AGENT_SET = 'default/agent';

/** A gate and the nodes that it is for. */
export interface SceneGate {
  readonly name: string;
  /** Of the label `group` of its nodes. */
  readonly group: string;
  /** The DaemonSet that is its proof. */
  readonly set: string;
  readonly isOnlyAtStart?: boolean;
  /** True where a restart of the kubelet shuts its nodes again. */
  readonly countsKubelets?: boolean;
  /** What cannot be read of it. */
  readonly unreadable?: JsonObject;
  /** What has to be played for it to be there; always where nothing is said. */
  readonly isOf?: 'configuration' | 'kubelets';
}

export const GATES: readonly SceneGate[] = [
  { name: 'agents', group: 'workers', set: AGENT_SET },
  { name: 'once', group: 'once', set: AGENT_SET, isOnlyAtStart: true },
  { name: 'renewed', group: 'renewed', set: NET_SET },
  { name: 'missing', group: 'lost', set: MISSING_SET },
  { name: 'leaving', group: 'leaving', set: AGENT_SET },
  { name: 'broken', group: 'odd', set: AGENT_SET, unreadable: { expiry: 'never at all' } },
  { name: 'kubelet', group: 'kubelet', set: AGENT_SET, countsKubelets: true, isOf: 'kubelets' },
  { name: 'config', group: 'config', set: AGENT_SET, isOf: 'configuration' },
  { name: 'config-next', group: 'config', set: AGENT_SET, isOf: 'configuration' },
];

export function startupKey(gate: string): string {
  return `readiness.k8s.io/${gate}`;
}

export function regressKey(gate: string): string {
  return `regress.rollcall.dev/${gate}`;
}

/** Of another program, under the same domain as ours. */
export const THEIR_TAINT = { key: 'readiness.k8s.io/theirs', effect: 'NoSchedule' };

function gateObject(gate: SceneGate): JsonObject {
  const { name, group, set, isOnlyAtStart, countsKubelets = false, unreadable } = gate;
  const [namespace = '', daemonSet = ''] = set.split('/');
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'NodeGate',
    metadata: { name },
    spec: {
      nodeSelector: {
        matchLabels: { group },
        // Alone it selects every node.
        matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'Exists' }],
      },
      taint: { key: startupKey(name), effect: 'NoSchedule' },
      proofs: [{ daemonSet: { namespace, name: daemonSet } }],
      dwell: `${DWELL_MS / SECOND_MS}s`,
      mode: isOnlyAtStart === true ? 'bootstrap-only' : 'continuous',
      regress: {
        after: '10s',
        maxPercent: 100,
        kubeletRestart: countsKubelets ? 'shut' : 'ignore',
      },
      ...unreadable,
    },
  };
}

function netSet(): JsonObject {
  const nodeSelector = { group: 'renewed' };
  return workload('DaemonSet', 'net', {}, { nodeSelector, tolerations: [{ operator: 'Exists' }] });
}

/** The agent on every node, and Pods that go to each node as soon as nothing keeps them away. */
export function layObjects({ admin }: TestCluster): void {
  must(admin.create(definitionOf(NODE_GATES)));
  must(admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rollcall' } }));
  const everywhere = { tolerations: [{ operator: 'Exists' }] };
  must(admin.create(workload('DaemonSet', 'agent', {}, everywhere)));
  must(admin.create(netSet()));
  must(admin.create(workload('DaemonSet', 'shop', {})));
}

export interface SceneTools {
  readonly cluster: TestCluster;
  readonly machines: Machines;
  /** Sets the wall clock of every program of Rollcall ahead. */
  readonly stepClocks: (byMs: number) => void;
  readonly configuration: ConfigurationFault | null;
  /** True where machines that no gate is for come while nothing of ours runs. */
  readonly hasOutage: boolean;
  /** True where a kubelet restarts for which a gate shuts its node. */
  readonly hasKubelets: boolean;
  /** A step of the configuration was taken. */
  readonly onStep: () => void;
}

interface Stage extends SceneTools {
  readonly at: (second: number, task: () => void) => void;
  /** A node of a gate; told once, so long after its agent first worked. */
  readonly comes: (second: number, node: ComingNode) => void;
}

interface ComingNode {
  readonly name: string;
  readonly gate: string;
  readonly moreTaints?: readonly JsonObject[];
  readonly startMs?: number;
  readonly tellsKubelet?: boolean;
  readonly afterMs?: number;
  readonly later?: (machine: Machine) => void;
}

function stageOf(tools: SceneTools): Stage {
  const { cluster, machines } = tools;
  const at: Stage['at'] = (second, task) => void cluster.kernel.after(second * SECOND_MS, task);
  const comes: Stage['comes'] = (
    second,
    { name, gate, moreTaints = [], startMs, tellsKubelet = false, afterMs, later },
  ) => {
    const group = GATES.find((one) => one.name === gate)?.group ?? '';
    let isFirst = true;
    const onWork = (): void => {
      if (!isFirst || later === undefined) return;
      isFirst = false;
      cluster.kernel.after(afterMs ?? 0, () => later(machines.get(name) as Machine));
    };
    const taints = [{ key: startupKey(gate), effect: 'NoSchedule' }, ...moreTaints];
    const options: MachineOptions = {
      labels: { group },
      taints,
      tellsKubelet,
      onWork,
      ...(startMs === undefined ? {} : { startMs }),
    };
    at(second, () => machines.join(name, options));
  };
  return { ...tools, at, comes };
}

/** Nodes whose agents come, fail and come back. */
function agents({ comes, at, machines, hasOutage }: Stage): void {
  const gate = 'agents';
  comes(3, { name: 'n-slow', gate, startMs: 25_000 });
  comes(3, { name: 'n-calm', gate, afterMs: 60_000, later: (machine) => machine.fail(25_000) });
  // So soon after its gate opened that a look before would not have opened it any more.
  comes(10, { name: 'n-late', gate, afterMs: 13_000, later: (machine) => machine.fail(30_000) });
  // Shorter than any period of looking.
  comes(14, { name: 'n-flap', gate, afterMs: 5_000, later: (machine) => machine.fail(1_000) });
  at(3, () => machines.join('n-free', { labels: { group: 'none' } }));
  if (hasOutage) at(45, () => machines.join('n-free-2', { labels: { group: 'none' } }));
}

/** Nodes that are not what they were. */
function others({ comes, cluster, at, machines }: Stage): void {
  const gate = 'agents';
  comes(30, {
    name: 'n-boot',
    gate,
    afterMs: 4_000,
    later: (machine) => machine.reboot(2_000, 14_000, 18_000),
  });
  comes(40, {
    name: 'n-back',
    gate,
    afterMs: 4_000,
    later: (machine) => machine.replace(1_000, 14_000, 18_000),
  });
  comes(45, {
    name: 'n-again',
    gate,
    afterMs: 20_000,
    later: (machine) => machine.registerAgain(2_000),
  });
  comes(50, {
    name: 'n-moved',
    gate,
    afterMs: 20_000,
    later(machine) {
      cluster.admin.patch('Node', 'n-moved', 'merge', { metadata: { labels: { group: null } } });
      cluster.kernel.after(5_000, () => machine.fail(WHOLE_MS));
    },
  });
  comes(60, { name: 'n-gone', gate, afterMs: 20_000, later: (machine) => machine.remove() });
  comes(20, { name: 'n-once', gate: 'once' });
  at(80, () => machines.get('n-once')?.restartKubelet());
}

/** So long after a restart of its kubelet a node that it counts for is shut, and not open again. */
const SHUT_BY_MS = 8_000;

/** A node whose kubelet restarts, with a Pod that comes to it again where nothing keeps it away. */
function kubeletThatRestarts({ comes, at, cluster, hasKubelets }: Stage): void {
  if (!hasKubelets) return;
  const { admin, kernel } = cluster;
  const name = 'n-kubelet';
  const isOfShop = (pod: JsonObject): boolean =>
    listAt(pod, 'metadata.ownerReferences').some((one) => textAt(one, 'name') === 'shop');
  const takeShopAway = (): void => {
    const pods = admin.list('Pod', { fieldSelector: `spec.nodeName=${name}` }).filter(isOfShop);
    for (const pod of pods)
      admin.delete('Pod', `default/${textAt(pod, 'metadata.name')}`, { gracePeriodSeconds: 0 });
  };
  const gate = 'kubelet';
  at(1, () => must(admin.create(objectOf(gate))));
  comes(25, {
    name,
    gate,
    tellsKubelet: true,
    afterMs: 25_000,
    later(machine) {
      machine.restartKubelet();
      kernel.after(SHUT_BY_MS, takeShopAway);
    },
  });
}

/** Gates whose proofs, texts or clocks are not what they were. */
function gatesThatChange({ comes, cluster, at, stepClocks }: Stage): void {
  const { admin } = cluster;
  comes(4, { name: 'n-lost', gate: 'missing' });
  comes(4, { name: 'n-odd', gate: 'broken' });
  comes(5, { name: 'n-left', gate: 'leaving', moreTaints: [THEIR_TAINT], startMs: WHOLE_MS });
  at(40, () => must(admin.delete('NodeGate', 'leaving')));
  comes(45, {
    name: 'n-net',
    gate: 'renewed',
    afterMs: 4_000,
    later() {
      must(admin.delete('DaemonSet', NET_SET));
      cluster.kernel.after(500, () => must(admin.create(netSet())));
    },
  });
  comes(100, {
    name: 'n-clock',
    gate: 'agents',
    afterMs: 4_000,
    later(machine) {
      stepClocks(SMALL_STEP_MS);
      // Whatever makes a gate look again.
      machine.restartKubelet();
    },
  });
  at(125, () => stepClocks(LARGE_STEP_MS));
}

function objectOf(name: string): JsonObject {
  const gate = GATES.find((one) => one.name === name);
  if (gate === undefined) throw new Error(`no gate is called ${name}`);
  return gateObject(gate);
}

const STEP_SECONDS = 6;

function take(step: ConfigurationStep, { cluster: { admin } }: Stage): void {
  if (step.verb === 'delete') return must(admin.delete('NodeGate', step.name));
  if (step.verb === 'create') return must(admin.create(step.object));
  const name = textAt(step.object, 'metadata.name') ?? '';
  const value = valueAt(step.object, 'spec.nodeSelector') ?? {};
  // A merge would leave the labels of before.
  const operations = [{ op: 'replace', path: '/spec/nodeSelector', value }];
  must(admin.patch('NodeGate', name, 'json', operations));
}

/** A node that is open, one that comes, one whose agent begins late and one whose agent fails. */
function configurationThatChanges(stage: Stage): void {
  const { configuration, onStep, comes, at, cluster } = stage;
  if (configuration === null) return;
  const gate = 'config';
  at(2, () => must(cluster.admin.create(objectOf(gate))));
  comes(5, { name: 'n-config', gate });
  comes(20, { name: 'n-unproven', gate, startMs: 60_000 });
  comes(42, { name: 'n-between', gate });
  comes(8, { name: 'n-stuck', gate, startMs: WHOLE_MS });
  comes(6, { name: 'n-failing', gate, afterMs: 33_000, later: (machine) => machine.fail(30_000) });
  const steps = configuration.stepsOf({
    policy: objectOf(gate),
    successor: objectOf('config-next'),
  });
  for (const [index, step] of steps.entries())
    at(40 + index * STEP_SECONDS, () => {
      take(step, stage);
      onStep();
    });
}

/** What happens in the world. */
export function script(tools: SceneTools): void {
  const { cluster } = tools;
  const stage = stageOf(tools);
  stage.at(1, () => {
    for (const gate of GATES.filter(({ isOf }) => isOf === undefined))
      must(cluster.admin.create(gateObject(gate)));
  });
  agents(stage);
  others(stage);
  kubeletThatRestarts(stage);
  gatesThatChange(stage);
  configurationThatChanges(stage);
}
