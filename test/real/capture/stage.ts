/** What scenarios run on: programs, a control plane, AWS and machines, each started when first asked. */
import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { programFolder, cacheFolder } from '../../../tools/real-parts/places.ts';
import { type Bench, openBench, until } from '../bench.ts';
import { type ControlPlane, startControlPlane } from '../control-plane.ts';
import { type Moto, startMoto } from '../moto.ts';
import { partPath } from '../parts.ts';
import { clearCluster } from './clear-cluster.ts';
import { type Machine, type MachineOptions, startMachine } from './machine.ts';
import { type Command, runProgram, type Said } from './run-program.ts';

/** Where the machine sees the API server; its certificate names it. */
export const API_SERVER = '10.0.16.4:6443';
export const NODE_NAME = 'ip-10-0-31-7.eu-west-1.compute.internal';
export const NODE_ADDRESS = '10.0.31.7';

export interface Stage {
  readonly bench: Bench;
  readonly run: (command: Command) => Promise<Said>;
  /** With controllers and scheduler; cleared of what earlier scenarios left. */
  readonly controlPlane: () => Promise<ControlPlane>;
  /** The same as it stands, not cleared. */
  readonly plane: () => Promise<ControlPlane>;
  readonly moto: () => Promise<Moto>;
  /** A new one for every scenario; it sees the control plane if one was asked for before. */
  readonly machine: (options?: Partial<MachineOptions>) => Promise<Machine>;
  /** Runs a kubectl as the administrator of the control plane. */
  readonly kubectl: (args: readonly string[], version?: string, input?: string) => Promise<Said>;
  /** Text without what is of this computer alone. */
  readonly plain: (text: string) => string;
  /** Ends what one scenario started; the control plane and moto stay. */
  readonly clear: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export function openStage(): Stage {
  let bench = openBench();
  const benches = [bench];
  const machines: Machine[] = [];
  let plane: Promise<ControlPlane> | null = null;
  let aws: Promise<Moto> | null = null;
  const controlPlane = async (): Promise<ControlPlane> => {
    const isNew = plane === null;
    plane ??= startControlPlane({
      controllers: true,
      scheduler: true,
      controllerFlags: ['--node-monitor-grace-period=10s', '--node-monitor-period=1s'],
    });
    const made = await plane;
    if (isNew) await untilServiceAccount(made);
    else await clearCluster(made.client);
    return made;
  };
  const reaches = async (): Promise<Readonly<Record<string, number>>> =>
    plane === null ? {} : { [API_SERVER]: Number(new URL((await plane).url).port) };
  const endScenario = async (): Promise<void> => {
    for (const machine of machines.splice(0)) machine.close();
    await bench.close();
  };
  return {
    get bench() {
      return bench;
    },
    run: runProgram,
    controlPlane,
    plane: () => plane ?? controlPlane(),
    moto: () => (aws ??= startMoto()),
    machine: async (options = {}) => {
      const place = { name: NODE_NAME, address: NODE_ADDRESS, reaches: await reaches() };
      const machine = await startMachine(bench, { ...place, ...options });
      machines.push(machine);
      return machine;
    },
    kubectl: async (args, version, input) => {
      const { kubeconfigPath } = await (plane ?? controlPlane());
      const program = partPath(version === undefined ? 'kubectl' : `kubectl-${version}`);
      const env = { KUBECONFIG: kubeconfigPath };
      return runProgram({ program, args, env, ...(input === undefined ? {} : { input }) });
    },
    plain: (text) => plainText(text, [bench.dir]),
    clear: async () => {
      await endScenario();
      bench = openBench();
      benches.push(bench);
    },
    close: async () => {
      await endScenario();
      await (await plane)?.stop();
      await (await aws)?.stop();
    },
  };
}

/** Without it no pod is admitted; a controller makes it a moment after the start. */
async function untilServiceAccount({ client }: ControlPlane): Promise<void> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default';
  await until('the service account default', () => client.find(path));
}

/** Paths and ports that say where this ran, as they would be on a machine. */
function plainText(text: string, folders: readonly string[]): string {
  const programs = programFolder(cacheFolder());
  const moved = folders.reduce((left, folder) => left.replaceAll(folder, '/tmp'), text);
  return controlGroups()
    .reduce((left, group) => left.replaceAll(group, '/system.slice'), moved)
    .replaceAll(release(), '6.1.155-176.282.amzn2023.x86_64')
    .replaceAll(programs, '/usr/bin')
    .replaceAll(/\/tmp\/rollcall-real-\w+/g, '/etc/kubernetes')
    .replaceAll(/(?<=https:\/\/)127\.0\.0\.1:\d{5}/g, API_SERVER)
    .replaceAll(/\bkubectl-\d\.\d+\b/g, 'kubectl');
}

/** Of this process, which its programs inherit and write down. */
function controlGroups(): readonly string[] {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trimEnd().split('\n');
  return lines.map((line) => line.split(':').at(-1) ?? '').filter((path) => path.length > 1);
}
