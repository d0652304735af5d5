import { runSeed } from '../src/apps/sim/one-seed.ts';
import { drawWorld } from '../src/sim/swarm/setting.ts';
import { buildCluster } from '../src/sim/cluster/simulated-cluster.ts';
import { Totals } from '../src/apps/sim/totals.ts';
import { type Row, skipped } from './table.ts';

const NODES = 200;
const NODES_LARGE = 1000;
const HOUR_MS = 3_600_000;
const SEEDS = 12;

interface World {
  readonly seed: number;
  /** What becomes of its machines. */
  readonly what: string;
}

/** A kubeadm cluster in which every machine comes to be usable. */
const WELL: World = { seed: 6, what: 'all usable' };
/** A kubeadm cluster with calico, kiam and a gate, whose agents of kiam end again and again. */
const AILING: World = { seed: 18, what: 'none usable, an agent on each in a crash loop' };

const NO_OTHER = 'no other simulator has the cloud, the machines and the cluster in one run';

type SimulatedCluster = ReturnType<typeof buildCluster>;

/** One simulated hour and what it took. */
interface Hour {
  /** Of all threads of this process, collection of garbage and compiling included. */
  readonly processorSeconds: number;
  readonly events: number;
  readonly nodes: number;
  readonly pods: number;
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function happen({ kernel }: SimulatedCluster, forMs: number): void {
  const untilMs = kernel.nowMs() + forMs;
  while ((kernel.nextAtMs() ?? Infinity) <= untilMs) kernel.step();
  kernel.passTo(untilMs);
}

function hourOf(
  simulated: SimulatedCluster,
  since: { readonly seconds: number; readonly events: number },
): Hour {
  const { kernel, world } = simulated;
  const admin = world.client({ name: 'kubernetes-admin', groups: ['system:masters'] });
  return {
    processorSeconds: processorSeconds() - since.seconds,
    events: kernel.events() - since.events,
    nodes: admin.list('Node').length,
    pods: admin.list('Pod', { fieldSelector: 'status.phase=Running' }).length,
  };
}

/** The first hour of a world, in which everything boots and joins, and the one after it. */
function measureHours(nodes: number, seed: number): readonly [Hour, Hour] {
  const seconds = processorSeconds();
  const simulated = buildCluster({ setting: drawWorld(seed, nodes), seed });
  happen(simulated, HOUR_MS);
  const first = hourOf(simulated, { seconds, events: 0 });
  const since = { seconds: processorSeconds(), events: simulated.kernel.events() };
  happen(simulated, HOUR_MS);
  return [first, hourOf(simulated, since)];
}

function hourRow(what: string, hour: Hour, target: string): Row {
  const rate = HOUR_MS / 1000 / hour.processorSeconds;
  const eventsPerSecond = hour.events / hour.processorSeconds / 1000;
  const ours = [
    `${Math.round(rate)} x real time`,
    `${Math.round(eventsPerSecond)}k events/s of processor time`,
    `${hour.nodes} Nodes and ${hour.pods} running pods at its end`,
  ].join(', ');
  return { ...skipped(what, ours, NO_OTHER), target };
}

function worldRows(nodes: number, { seed, what }: World, target: string): readonly Row[] {
  const [first, second] = measureHours(nodes, seed);
  const world = `${nodes} machines (${what}), all controllers of the platform, processor time`;
  return [
    hourRow(`sim: the second hour, without boots: ${world}`, second, target),
    hourRow(`sim: the first hour, with every boot, join and placement: ${world}`, first, ''),
  ];
}

/** Seeds with faults, both ways of looking, and all invariants. */
async function seedsRow(): Promise<Row> {
  const totals = new Totals();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const wishes = { nodes: null, hours: 1, faults: 'all' } as const;
    const run = await runSeed({ seed, wishes, bug: null });
    totals.add(run.result, run.swarm.wholeMs, run.wallMs);
  }
  const seconds = totals.wallMs / 1000;
  const evaluations = [...totals.evaluations.values()].reduce((sum, one) => sum + one, 0);
  const ours = [
    `${Math.round((totals.joins / seconds) * 3600)} joins`,
    `${Math.round((totals.looks / seconds) * 3600)} looks`,
    `${Math.round((evaluations / seconds) * 3600)} evaluations of invariants an hour`,
  ].join(', ');
  return skipped(`sim: ${SEEDS} seeds with faults, looks and invariants`, ours, NO_OTHER);
}

/** How fast simulated worlds happen. */
export async function benchSim(large: boolean): Promise<readonly Row[]> {
  return [
    ...worldRows(NODES, WELL, '>= 1,000 x'),
    ...worldRows(NODES, AILING, ''),
    ...(large ? worldRows(NODES_LARGE, WELL, '') : []),
    await seedsRow(),
  ];
}
