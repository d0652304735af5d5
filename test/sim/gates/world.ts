/** A simulated cluster whose gates open and shut while its machines come, fail and go. */
import { settle } from '../../../src/adapters/system/settle.ts';
import { overTripwires } from '../../../src/adapters/system/tripwires.ts';
import { GateProgram } from '../../../src/apps/gate/program.ts';
import { NODE_GATES, readNodeGate } from '../../../src/controllers/gate/policies/node-gate.ts';
import type { ApiServerHooks } from '../../../src/sim/kube/hooks.ts';
import { runUntil } from '../../../src/sim/kernel/kernel.ts';
import { startControllerManager } from '../../../src/sim/platform/controller-manager.ts';
import { startScheduler } from '../../../src/sim/platform/scheduler/scheduler.ts';
import { type Call, Calls } from '../../../src/sim/programs/call.ts';
import { kubeLine } from '../../../src/sim/programs/kube.ts';
import { SimulatedProgram } from '../../../src/sim/programs/program.ts';
import { recorderPort, SimulatedRecords } from '../../../src/sim/programs/records.ts';
import { createCluster, type TestCluster } from '../platform/cluster.ts';
import { Machines } from './machines.ts';
import type { GatePlan, GatePorts, GateResult } from './plan.ts';
import { watchGates, type WatchedGates } from './rules.ts';
import { AGENT_ACCOUNT, refusedBy } from '../platform/shipped-admission.ts';
import { CHAOS_MS, layObjects, OUTAGE_MS, script, WHOLE_MS } from './scene.ts';

const GATE_USER = { name: 'gate', groups: ['system:masters', 'system:authenticated'] };
const RESTART_MS = 1_500;
const DELAY_MOST_MS = 150;
const KEPT = /^rollcall_gate_nodes\{gate="(?<gate>[^"]+)",state="[^"]+"\} (?<count>\d+)$/gm;

interface Scene {
  readonly cluster: TestCluster;
  readonly plan: GatePlan;
  readonly records: SimulatedRecords;
  readonly calls: Calls;
  readonly watched: WatchedGates;
  readonly lines: string[];
  /** True while nothing of ours runs. */
  readonly isOut: () => boolean;
}

interface Started {
  readonly program: SimulatedProgram;
  readonly gate: GateProgram;
}

/** One replica, which is started again whenever it was killed. */
class Replica {
  readonly #scene: Scene;
  readonly #identity: string;
  #starts = 0;
  #skewMs = 0;
  #started: Started;

  constructor(scene: Scene, identity: string) {
    this.#scene = scene;
    this.#identity = identity;
    this.#started = this.#start();
    scene.cluster.kernel.every(RESTART_MS, () => {
      if (scene.isOut()) this.#started.program.kill();
      else if (this.#started.program.isGone()) this.#started = this.#start();
    });
  }

  stepClock(byMs: number): void {
    this.#skewMs += byMs;
    this.#started.program.step(byMs);
  }

  /** Nodes of each gate of which it keeps something. */
  kept(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { groups } of this.#started.gate.registry.text().matchAll(KEPT)) {
      const { gate = '', count = '' } = groups ?? {};
      counts.set(gate, (counts.get(gate) ?? 0) + Number(count));
    }
    return counts;
  }

  #start(): Started {
    this.#starts++;
    const { kernel } = this.#scene.cluster;
    const program = new SimulatedProgram(kernel, `${this.#identity}.${this.#starts}`);
    this.#scene.watched.onStart(program.name);
    if (this.#skewMs !== 0) program.step(this.#skewMs);
    const gate = gateOf(this.#scene, program, this.#identity);
    kernel.spawn(program.name, async () => gate.run(program.gone));
    return { program, gate };
  }
}

function gateOf(scene: Scene, program: SimulatedProgram, identity: string): GateProgram {
  const { cluster, plan, records, calls, watched, lines } = scene;
  const { kernel, server } = cluster;
  const way = kernel.random(`${program.name}/way`);
  const line = kubeLine({
    server,
    user: GATE_USER,
    program,
    calls,
    delayMs: () => 1 + way.below(DELAY_MOST_MS),
    onWrite: watched.onWrite,
    onRead: () => undefined,
  });
  const ports = { api: line.api, writes: line.writes, clock: program.clock, read: readNodeGate };
  const { api, writes, clock, read }: GatePorts = { ...ports, ...plan.bug?.(ports) };
  return new GateProgram(
    {
      namespace: 'rollcall',
      identity,
      isDryRun: false,
      policyKinds: [{ resource: NODE_GATES, read }],
      fixed: [],
      rulesNamespace: null,
      isReplacement: false,
      ...(plan.limits === undefined ? {} : { limits: plan.limits }),
    },
    {
      api,
      writes,
      leaseApi: line.api,
      leaseWrites: line.writes,
      recorder: recorderPort(records, program, calls),
      clock,
      random: kernel.random(`${program.name}/program`),
      say: (text) => {
        lines.push(text);
        kernel.log(program.name, text);
      },
    },
  );
}

/** Plays the world to its end. */
export async function playGates(plan: GatePlan): Promise<GateResult> {
  return overTripwires(async () => {
    let struck = 0;
    const isOut = (): boolean => {
      const atMs = kernel.nowMs() - startMs;
      return plan.outage !== undefined && atMs >= OUTAGE_MS.from && atMs < OUTAGE_MS.until;
    };
    const admit: NonNullable<ApiServerHooks['admit']> = (object, question) => {
      const { admission, outage = [] } = plan;
      const refusing = isOut() ? refusedBy(outage, object, question) : null;
      if (refusing !== null && question.user.name !== AGENT_ACCOUNT)
        watched.onBlocked(`${refusing} refuses a write of ${question.kind.kind} ${question.name}`);
      const isOurs = question.user.name === GATE_USER.name && question.kind.kind === 'Node';
      if (admission === undefined || !isOurs || kernel.nowMs() - startMs >= CHAOS_MS) return object;
      struck++;
      return admission.admit(object, question);
    };
    const cluster = createCluster({ seed: plan.seed ?? 1, admit });
    const { kernel, world } = cluster;
    const startMs = kernel.nowMs();
    startControllerManager(world);
    startScheduler(world);
    layObjects(cluster);
    const machines = new Machines(cluster);
    const watched = watchGates(cluster, machines);
    const seen: Call[] = [];
    const calls = new Calls((call) => {
      seen.push(call);
      return kernel.nowMs() - startMs < CHAOS_MS ? (plan.fate?.(call) ?? null) : null;
    });
    const records = new SimulatedRecords(() => kernel.nowMs());
    const lines: string[] = [];
    const scene = { cluster, plan, records, calls, watched, lines, isOut };
    const names = Array.from({ length: plan.replicas ?? 1 }, (_, index) => `r${index + 1}`);
    const replicas = names.map((name) => new Replica(scene, name));
    const stepClocks = (byMs: number): void => {
      watched.onStep();
      for (const replica of replicas) replica.stepClock(byMs);
    };
    const onStep = (): void => void struck++;
    const { configuration = null } = plan;
    const hasKubelets = plan.kubelets === true;
    const hasOutage = plan.outage !== undefined;
    const kinds = { configuration, hasKubelets, hasOutage };
    script({ cluster, machines, stepClocks, ...kinds, onStep });
    await runUntil(kernel, startMs + WHOLE_MS, settle);
    for (const replica of replicas) watched.onEnd(replica.kept());
    return { ...watched.result(), calls: seen, lines, struck };
  });
}
