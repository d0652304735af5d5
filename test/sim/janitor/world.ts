/** The janitor of network interfaces in a simulated account, led by a Lease, from start to end. */
import { settle } from '../../../src/adapters/system/settle.ts';
import { overTripwires } from '../../../src/adapters/system/tripwires.ts';
import { createJanitor } from '../../../src/apps/controller/janitor.ts';
import type { AwsApi } from '../../../src/ports/aws-api.ts';
import type { KubeApi } from '../../../src/ports/kube-api.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { Logger } from '../../../src/runtime/log/logger.ts';
import { MetricsRegistry } from '../../../src/runtime/metrics/registry.ts';
import { awsPort } from '../../../src/sim/aws/port.ts';
import { awsWritesPort } from '../../../src/sim/aws/port-writes.ts';
import { runUntil } from '../../../src/sim/kernel/kernel.ts';
import { awsLine } from '../../../src/sim/programs/aws.ts';
import { type Call, Calls } from '../../../src/sim/programs/call.ts';
import { type KubeLine, kubeLine } from '../../../src/sim/programs/kube.ts';
import { SimulatedProgram } from '../../../src/sim/programs/program.ts';
import { recorderPort, SimulatedRecords } from '../../../src/sim/programs/records.ts';
import { awsWritesLine, heardAws } from './aws-lines.ts';
import { CLUSTER, createInterfaceWorld, type InterfaceWorld } from './interface-world.ts';
import { leadJanitor } from './leases.ts';
import { readId } from './looks.ts';
import type { JanitorPlan, JanitorPorts, JanitorResult, JanitorStage, Life } from './plan.ts';
import { JanitorRules } from './rules.ts';

const USER = { name: 'controller', groups: ['system:masters', 'system:authenticated'] };
const RESTART_MS = 30_000;
const DELAY_MOST_MS = 150;
/** Small, so that each list has several pages; EC2 takes no less. */
const PAGE = 5;

interface Scene {
  readonly world: InterfaceWorld;
  readonly plan: JanitorPlan;
  readonly records: SimulatedRecords;
  readonly calls: Calls;
  readonly rules: JanitorRules;
  readonly pages: JanitorStage['pages'];
}

/** AWS page by page, in small ones. */
function paged(inner: AwsApi, { pages }: Scene): AwsApi {
  return {
    ...inner,
    async *pages(call, signal) {
      const input = { ...call.input, MaxResults: PAGE };
      let count = 0;
      for await (const page of inner.pages({ ...call, input }, signal)) {
        if (count > 0 && pages.failLater)
          throw new PortError({ failure: 'unavailable', message: 'A later page fails.' });
        count += 1;
        yield page;
      }
    },
  };
}

/** Kubernetes, with what is listed told to the rules, and how far off the clock of the program is. */
function heardKube(inner: KubeApi, program: SimulatedProgram, { rules, world }: Scene): KubeApi {
  return {
    ...inner,
    skewMs: () => program.clock.nowMs() - world.kernel.nowMs(),
    async *list(resource, options) {
      try {
        yield* inner.list(resource, options);
      } catch (error) {
        rules.looks.part(program.name, resource.plural, 'failed');
        throw error;
      }
      rules.looks.part(program.name, resource.plural, 'whole');
    },
  };
}

function portsOf(scene: Scene, program: SimulatedProgram, line: KubeLine): JanitorPorts {
  const { world, calls, rules, records, plan } = scene;
  const { kernel, cloud, admin: identity } = world;
  const way = kernel.random(`${program.name}/aws`);
  const delayMs = (): number => 1 + way.below(DELAY_MOST_MS);
  const opened = { cloud, identity, clock: program.clock, latencyMs: delayMs };
  const listener: Parameters<typeof heardAws>[2] = {
    onAsked(name, call, how) {
      rules.onAsked(name, call, how);
      if (how === 'whole' && call.operation === 'DescribeNetworkInterfaces')
        world.wasRead(readId(call));
    },
    onWrite: (entry) => rules.onAwsWrite(entry, program.clock.nowMs() - kernel.nowMs()),
  };
  const own: JanitorPorts = {
    kube: heardKube(line.api, program, scene),
    aws: heardAws(paged(awsLine(awsPort(opened), program, calls), scene), program.name, listener),
    awsWrites: awsWritesLine({
      inner: awsWritesPort({ ...opened, latencyMs: () => 0 }),
      program,
      calls,
      delayMs,
      nowMs: () => kernel.nowMs(),
      listener,
    }),
    recorder: recorderPort(records, program, calls),
    clock: program.clock,
  };
  return { ...own, ...plan.bug?.(own, world) };
}

function lifeOf(scene: Scene, identity: string): Life {
  const { world, plan, calls, rules } = scene;
  const { kernel, server } = world;
  const program = new SimulatedProgram(kernel, identity);
  if (plan.skewMs !== 0) program.step(plan.skewMs);
  const way = kernel.random(`${identity}/way`);
  const line = kubeLine({
    server,
    user: USER,
    program,
    calls,
    delayMs: () => 1 + way.below(DELAY_MOST_MS),
    onWrite: (entry) => rules.onKubeWrite(entry),
    onRead: () => undefined,
  });
  const ports = portsOf(scene, program, line);
  const { mode, hourly, isDryRun } = plan;
  const log = new Logger({
    clock: ports.clock,
    level: () => 'info',
    format: () => 'text',
    write: (text) => kernel.log(identity, text.trimEnd()),
  });
  const janitor = createJanitor(
    { cluster: CLUSTER, identity, mode, hourly, isDryRun: () => isDryRun },
    { ...ports, log, registry: new MetricsRegistry() },
  );
  const stop = new AbortController();
  const random = kernel.random(`${identity}/program`);
  const candidate = { clock: program.clock, random, identity };
  kernel.spawn(identity, async () => leadJanitor(janitor, line, candidate, stop.signal));
  return { program, line, stop };
}

/** Replicas, each started again whenever it was killed or stopped. @returns those that run */
function keepReplicas(scene: Scene): () => readonly Life[] {
  const { world, plan } = scene;
  const lives = new Map<string, Life>();
  const isRunning = (life: Life | undefined): life is Life =>
    life !== undefined && !life.program.isGone() && !life.stop.signal.aborted;
  for (let one = 1; one <= plan.replicas; one++) {
    let starts = 0;
    const born = (): void => {
      if (isRunning(lives.get(`r${one}`))) return;
      starts += 1;
      lives.set(`r${one}`, lifeOf(scene, `r${one}.${starts}`));
    };
    born();
    world.kernel.every(RESTART_MS, born);
  }
  return () => [...lives.values()].filter(isRunning);
}

function strikeAll(plan: JanitorPlan, stage: JanitorStage): void {
  const { kernel } = stage.world;
  for (const { fault, atMs, lastsMs } of plan.faults)
    kernel.after(atMs, () => {
      kernel.log('chaos', `${fault.id}: ${fault.what}`);
      const undo = fault.strike(stage, kernel.random(`chaos/${fault.what}`), lastsMs);
      kernel.after(lastsMs, undo);
    });
}

/** Plays the world to its end. */
export async function playJanitor(plan: JanitorPlan): Promise<JanitorResult> {
  return overTripwires(async () => {
    const world = createInterfaceWorld(plan);
    const { kernel } = world;
    const startMs = kernel.nowMs();
    const seen: Call[] = [];
    const calls = new Calls((call) => {
      if (/leases/.test(call.what)) return isChaos() ? plan.fate(call) : null;
      seen.push(call);
      return isChaos() ? plan.fate(call) : null;
    });
    const isChaos = (): boolean => kernel.nowMs() - startMs < plan.chaosMs;
    const records = new SimulatedRecords(() => kernel.nowMs());
    const rules = new JanitorRules(world, plan, records);
    const pages = { failLater: false };
    const lives = keepReplicas({ world, plan, records, calls, rules, pages });
    strikeAll(plan, { world, lives, records, pages });
    await runUntil(kernel, startMs + plan.wholeMs, settle);
    rules.onEnd();
    for (const { program } of lives()) program.kill();
    const { violations, evaluations, deletions } = rules;
    return { violations, evaluations, faults: countsOf(plan, world), deletions, calls: seen };
  });
}

function countsOf({ faults }: JanitorPlan, { attaching }: InterfaceWorld): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { fault } of faults)
    if (fault.id !== 'F59') counts.set(fault.what, (counts.get(fault.what) ?? 0) + 1);
  counts.set('what it has read is attached again', attaching.times);
  return counts;
}
