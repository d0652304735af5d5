import { settle } from '../../../src/adapters/system/settle.ts';
import { type Json, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { runUntil } from '../../../src/sim/kernel/kernel.ts';
import type { KubeClient } from '../../../src/sim/kube/contract.ts';
import type { CommandResult, SimulatedMachine } from '../../../src/sim/machines/contract.ts';
import { readScenario } from '../../../src/sim/stories/scenario.ts';
import {
  buildCluster,
  type SimulatedCluster,
  type SimulatedOptions,
} from '../../../src/sim/cluster/simulated-cluster.ts';

/** A small cluster whose time passes as a test says. */
export interface Lab {
  readonly simulated: SimulatedCluster;
  readonly client: KubeClient;
  readonly lines: readonly string[];
  /** Lets the world go on until so many seconds after its beginning. */
  until(seconds: number): Promise<void>;
  machine(name: string): SimulatedMachine;
  node(name: string): JsonObject | null;
  pod(prefix: string): JsonObject | null;
  /** Runs a command to its end, or for ten minutes. */
  run(machine: SimulatedMachine, command: string): Promise<CommandResult>;
}

export async function openLab(
  world: JsonObject,
  seed = 7,
  hooks: Pick<SimulatedOptions, 'joinTools'> = {},
): Promise<Lab> {
  const read = readScenario({
    story: 'lab',
    title: 'lab',
    seed,
    until: '1h',
    moves: [],
    expect: [],
    world,
  } satisfies Json);
  if (!read.ok) throw new Error(JSON.stringify(read.mistakes));
  const setting = read.scenario.world;
  const lines: string[] = [];
  const onLine = ({ actor, atMs, what }: { actor: string; atMs: number; what: string }): void => {
    lines.push(`${atMs} ${actor} ${what}`);
  };
  const simulated = buildCluster({ setting, seed, onLine, ...hooks });
  const client = simulated.world.client(simulated.admin.user);
  const machine = (name: string): SimulatedMachine => {
    const found = simulated.machineOf(name);
    if (found === null) throw new Error(`there is no ${name}`);
    return found;
  };
  return {
    simulated,
    client,
    lines,
    machine,
    until: async (seconds) => runUntil(simulated.kernel, setting.startMs + seconds * 1000, settle),
    node: (name) => client.get('Node', machine(name).nodeName() ?? ''),
    pod: (prefix) =>
      client.list('Pod').find((pod) => textAt(pod, 'metadata.name')?.startsWith(prefix)) ?? null,
    run: async (where, command) => {
      const results: CommandResult[] = [];
      where.run(command, (result) => results.push(result));
      await runUntil(simulated.kernel, simulated.kernel.nowMs() + 600_000, settle);
      return results[0] ?? { exitCode: -1, stdout: '', stderr: 'it did not end' };
    },
  };
}

export function kubeadmWorld(more: JsonObject = {}, workloads: readonly Json[] = []): JsonObject {
  return {
    cluster: { kind: 'kubeadm', version: '1.34.3', podNetwork: 'calico', ...more },
    groups: [{ name: 'workers', count: 1, type: 'm6i.large', boot: '10s' }],
    workloads,
  };
}

export function eksWorld(
  more: JsonObject = {},
  group: JsonObject = {},
  workloads: readonly Json[] = [],
): JsonObject {
  return {
    cluster: { kind: 'eks', version: '1.34.3', podNetwork: 'vpc-cni', ...more },
    groups: [
      { name: 'workers', count: 1, type: 'm6i.large', image: 'al2023', boot: '10s', ...group },
    ],
    workloads,
  };
}

export function conditionOf(object: JsonObject | null, type: string): string | null {
  const found = listAt(object ?? {}, 'status.conditions').find(
    (one) => textAt(one, 'type') === type,
  );
  return found === undefined ? null : textAt(found, 'status');
}

export function kubeletLines(machine: SimulatedMachine, part: string): readonly string[] {
  return machine
    .journal()
    .filter(({ unit, message }) => unit === 'kubelet' && message.includes(part))
    .map(({ message }) => message);
}
