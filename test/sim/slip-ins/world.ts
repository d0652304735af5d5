/** A simulated cluster in which Pods come to a node before its gate closes, and the gate at work. */
import { settle } from '../../../src/adapters/system/settle.ts';
import { overTripwires } from '../../../src/adapters/system/tripwires.ts';
import { NODE_GATE_KIND } from '../../../src/apps/gate/policy-kinds.ts';
import { GateProgram } from '../../../src/apps/gate/program.ts';
import { NODE_GATES } from '../../../src/controllers/gate/policies/node-gate.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import { runUntil } from '../../../src/sim/kernel/kernel.ts';
import { startControllerManager } from '../../../src/sim/platform/controller-manager.ts';
import { definitionOf } from '../../../src/sim/platform/running/custom-kinds.ts';
import { startScheduler } from '../../../src/sim/platform/scheduler/scheduler.ts';
import { type Call, Calls } from '../../../src/sim/programs/call.ts';
import { kubeLine } from '../../../src/sim/programs/kube.ts';
import type { LedgerEntry } from '../../../src/sim/programs/ledger.ts';
import { SimulatedProgram } from '../../../src/sim/programs/program.ts';
import { recorderPort, SimulatedRecords } from '../../../src/sim/programs/records.ts';
import {
  createCluster,
  Kubelets,
  must,
  podObject,
  type TestCluster,
  workload,
} from '../platform/cluster.ts';
import type { SlipPlan, SlipResult } from './plan.ts';
import { PER_HOUR, watchRules } from './rules.ts';

export const GROUP = { group: 'workers' };
export const TAINT = { key: 'readiness.k8s.io/workers', effect: 'NoSchedule' };
const PROOF = 'rollcall.dev/PodIdentityWorks';
const GATE_USER = { name: 'gate', groups: ['system:masters', 'system:authenticated'] };
const SECOND_MS = 1_000;
const RESTART_MS = 1_500;
/** Slow enough that the scheduler is faster than the gate. */
const DELAY_MOST_MS = 150;

const CHAOS_MS = 120 * SECOND_MS;
const WHOLE_MS = 420 * SECOND_MS;

function gateOf({ mode = 'evict', perHour = PER_HOUR }: SlipPlan): JsonObject {
  const slipIns = { mode, perHour, perWorkload: perHour };
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'NodeGate',
    metadata: { name: 'workers' },
    spec: {
      nodeSelector: { matchLabels: GROUP },
      taint: TAINT,
      proofs: [{ condition: { type: PROOF } }],
      slipIns,
    },
  };
}

function prove({ admin, kernel }: TestCluster, node: string): void {
  const at = `${new Date(kernel.nowMs()).toISOString().slice(0, 19)}Z`;
  const condition = { type: PROOF, status: 'True', lastHeartbeatTime: at, lastTransitionTime: at };
  admin.patch('Node', node, 'strategic', { status: { conditions: [condition] } }, 'status');
}

/** Pods that must stay wherever they are. */
function layOthers({ admin }: TestCluster): void {
  const tolerations = [{ operator: 'Exists' }];
  const nodeSelector = { 'kubernetes.io/hostname': 'new-1' };
  const calm = { tolerations, nodeSelector };
  must(admin.create(workload('ReplicaSet', 'calm', { replicas: 1 }, calm)));
  must(admin.create(podObject('alone', { nodeName: 'new-1' })));
  const mirror = podObject('static', { nodeName: 'new-1' });
  const metadata = {
    name: 'static',
    namespace: 'default',
    annotations: { 'kubernetes.io/config.mirror': 'x' },
  };
  must(admin.create({ ...mirror, metadata }));
  must(admin.create(workload('DaemonSet', 'watcher', {}, { nodeSelector: GROUP })));
}

/** Four Pods of which one may be away. */
function layCart({ admin }: TestCluster): void {
  must(admin.create(workload('ReplicaSet', 'cart', { replicas: 4 }, { nodeSelector: GROUP })));
  const selector = { matchLabels: { app: 'cart' } };
  must(
    admin.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'cart', namespace: 'default' },
      spec: { minAvailable: 3, selector },
    }),
  );
}

/** A node in order, one that comes without its taint, and one with room for what is replaced. */
function script(cluster: TestCluster, plan: SlipPlan): void {
  const { admin, kernel } = cluster;
  const kubelets = new Kubelets(cluster);
  must(admin.create(definitionOf(NODE_GATES)));
  must(admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rollcall' } }));
  kernel.after(SECOND_MS, () => must(admin.create(gateOf(plan))));
  const after = (seconds: number, task: () => void): void =>
    void kernel.after(seconds * SECOND_MS, task);
  after(3, () => {
    kubelets.join('old-1', { labels: GROUP, taints: [TAINT], cpu: '250m' });
    prove(cluster, 'old-1');
  });
  after(20, () => {
    kubelets.join('new-1', { labels: GROUP });
    layOthers(cluster);
    layCart(cluster);
  });
  after(45, () => {
    kubelets.join('new-2', { labels: GROUP, taints: [TAINT] });
    prove(cluster, 'new-2');
  });
  after(60, () => {
    const aside = workload('ReplicaSet', 'aside', { replicas: 1 }, { nodeSelector: GROUP });
    must(admin.create(aside));
  });
  after(200, () => prove(cluster, 'new-1'));
}

interface Scene {
  readonly cluster: TestCluster;
  readonly plan: SlipPlan;
  readonly records: SimulatedRecords;
  readonly calls: Calls;
  readonly onWrite: (entry: LedgerEntry) => void;
}

/** One replica, which is started again whenever it was killed. */
function keepReplica(scene: Scene, name: string): void {
  const { kernel } = scene.cluster;
  let program: SimulatedProgram | null = null;
  let starts = 0;
  const born = (): void => {
    if (program !== null && !program.isGone()) return;
    starts++;
    program = startGate(scene, name, starts);
  };
  born();
  kernel.every(RESTART_MS, born);
}

function startGate(
  { cluster, plan, records, calls, onWrite }: Scene,
  identity: string,
  start: number,
): SimulatedProgram {
  const { kernel, server } = cluster;
  const name = `${identity}.${start}`;
  const program = new SimulatedProgram(kernel, name);
  const way = kernel.random(`${name}/way`);
  const line = kubeLine({
    server,
    user: GATE_USER,
    program,
    calls,
    delayMs: () => 1 + way.below(DELAY_MOST_MS),
    onWrite,
    onRead: () => undefined,
  });
  const own = { api: line.api, writes: line.writes };
  const { api, writes } = { ...own, ...plan.bug?.(own) };
  const gate = new GateProgram(
    {
      namespace: 'rollcall',
      identity,
      isDryRun: plan.isDryRun ?? false,
      policyKinds: [NODE_GATE_KIND],
      fixed: [],
      rulesNamespace: null,
      isReplacement: false,
    },
    {
      api,
      writes,
      leaseApi: line.api,
      leaseWrites: line.writes,
      recorder: recorderPort(records, program, calls),
      clock: program.clock,
      random: kernel.random(`${name}/program`),
      say: (text) => kernel.log(name, text),
    },
  );
  kernel.spawn(name, async () => gate.run(program.gone));
  return program;
}

/** Plays the world to its end. */
export async function playSlips(plan: SlipPlan): Promise<SlipResult> {
  return overTripwires(async () => {
    const cluster = createCluster({ seed: plan.seed ?? 1 });
    const { kernel, world } = cluster;
    const startMs = kernel.nowMs();
    startControllerManager(world);
    startScheduler(world);
    script(cluster, plan);
    const seen: Call[] = [];
    const calls = new Calls((call) => {
      seen.push(call);
      return kernel.nowMs() - startMs < CHAOS_MS ? (plan.fate?.(call) ?? null) : null;
    });
    const watched = watchRules(cluster, plan);
    const records = new SimulatedRecords(() => kernel.nowMs());
    const scene = { cluster, plan, records, calls, onWrite: watched.onWrite };
    for (let one = 1; one <= (plan.replicas ?? 1); one++) keepReplica(scene, `r${one}`);
    await runUntil(kernel, startMs + WHOLE_MS, settle);
    watched.onEnd();
    return { ...watched.result(), calls: seen };
  });
}
