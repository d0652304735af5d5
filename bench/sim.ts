import { runSeed } from '../src/apps/sim/one-seed.ts';
import { drawWorld } from '../src/sim/swarm/setting.ts';
import { buildTown } from '../src/sim/town/town.ts';
import { Totals } from '../src/apps/sim/totals.ts';
import { type Row, skipped } from './table.ts';

const NODES = 200;
const NODES_LARGE = 1000;
const MINUTES = 60;
const SEEDS = 12;
/** Of which the world is a kubeadm cluster with calico. */
const SEED = 18;
const NO_OTHER = 'no other simulator has the cloud, the machines and the cluster in one run';

interface Measured {
  readonly rate: number;
  readonly eventsPerSecond: number;
  readonly joins: number;
}

/** One hour of a world with all its controllers, in seconds of one core. */
function measureWorld(nodes: number): Measured {
  const setting = drawWorld(SEED, nodes);
  const before = process.cpuUsage();
  const { kernel, world } = buildTown({ setting, seed: SEED });
  const untilMs = kernel.nowMs() + MINUTES * 60_000;
  while ((kernel.nextAtMs() ?? Infinity) <= untilMs) kernel.step();
  const used = process.cpuUsage(before);
  const seconds = (used.user + used.system) / 1e6;
  const admin = world.client({ name: 'kubernetes-admin', groups: ['system:masters'] });
  return {
    rate: (MINUTES * 60) / seconds,
    eventsPerSecond: kernel.events() / seconds,
    joins: admin.list('Node').length,
  };
}

function worldRow(nodes: number, target: string): Row {
  const { rate, eventsPerSecond, joins } = measureWorld(nodes);
  const ours = `${Math.round(rate)} x real time, ${Math.round(eventsPerSecond / 1000)}k events/s, ${joins} Nodes`;
  return { ...skipped(`sim: one hour of ${nodes} machines, one core`, ours, NO_OTHER), target };
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
    worldRow(NODES, '>= 1,000 x'),
    ...(large ? [worldRow(NODES_LARGE, '')] : []),
    await seedsRow(),
  ];
}
