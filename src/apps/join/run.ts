import { openHost } from '../../adapters/host/open.ts';
import { openHostWrites } from '../../adapters/host/writes.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { systemRandom } from '../../adapters/system/random.ts';
import { readJoinCommand } from '../../collection/join/command.ts';
import { type JoinLookTools, lookAtJoin } from '../../collection/join/look.ts';
import { type JoinMachine, readJoinMachine } from '../../collection/join/machine.ts';
import { shortText } from '../../collection/host/machine.ts';
import { JOIN_RULES } from '../../controllers/join/rules.ts';
import { type JoinState, joinStateOf, newJoin } from '../../controllers/join/state.ts';
import { type JoinEnd, JoinSupervisor, type JoinTools } from '../../controllers/join/supervisor.ts';
import type { Host } from '../../ports/host.ts';
import type { HostWrites } from '../../ports/host-writes.ts';
import { untilSignal } from '../agent/until-signal.ts';
import { JoinClients } from './clients.ts';
import { CommandRunner } from './commands.ts';
import type { JoinRun } from './join-run.ts';
import { commandWithName } from './name.ts';

export interface JoinOutcome {
  /** null when another join holds this machine. */
  readonly end: JoinEnd | null;
  /** The end of what COMMAND printed. */
  readonly output: string;
}

const STATE_BYTES_MAX = 64 * 1024;
const RESTART_MS = 120_000;

/** Joins this machine; a signal ends it, and a start again goes on where it was. */
export async function runJoin(run: JoinRun): Promise<JoinOutcome> {
  const host = openHost(systemClock);
  const writes = openHostWrites(systemClock);
  const held = await writes.hold(`join${run.folder}`);
  if (held === null) return { end: null, output: '' };
  try {
    return await supervised(run, host, writes);
  } finally {
    await held.release();
  }
}

async function supervised(run: JoinRun, host: Host, writes: HostWrites): Promise<JoinOutcome> {
  const machine = await readJoinMachine(host, run.instanceId);
  const clients = new JoinClients(host, run.region ?? machine.region);
  const runner = new CommandRunner(writes, run);
  const parts: Parts = { run, host, writes, machine, clients, runner };
  const path = `${run.folder}/join.json`;
  const state = await stateAt(path, parts);
  let end: JoinEnd = { step: null, state };
  try {
    const { tools, canReset } = await toolsOf(path, parts);
    const rules = { ...JOIN_RULES, ...run.rules, canReset };
    const supervisor = new JoinSupervisor(tools, rules, state);
    await untilSignal(async (signal) => {
      end = await supervisor.run(signal);
    });
    // The next join, of this boot or of another, starts from the beginning.
    if (end.step !== null) await writes.removeFile(path).catch(() => undefined);
  } finally {
    await clients.close();
  }
  return { end, output: runner.output() };
}

interface Parts {
  readonly run: JoinRun;
  readonly host: Host;
  readonly writes: HostWrites;
  readonly machine: JoinMachine;
  readonly clients: JoinClients;
  readonly runner: CommandRunner;
}

async function stateAt(path: string, { host, machine }: Parts): Promise<JoinState> {
  const nowMs = systemClock.monotonicMs();
  const known = await shortText(host, path, STATE_BYTES_MAX);
  const { instanceId } = machine;
  return (
    (known === null ? null : joinStateOf(known, instanceId, nowMs)) ?? newJoin(instanceId, nowMs)
  );
}

interface OpenTools {
  readonly tools: JoinTools;
  readonly canReset: boolean;
}

async function toolsOf(path: string, parts: Parts): Promise<OpenTools> {
  const { run, host, writes, machine, clients, runner } = parts;
  const { flavour, endpoint } = await readJoinCommand(host, run.command);
  const isKubeadm = flavour === 'kubeadm';
  const aws = run.asksCloud ? async () => clients.aws() : null;
  const naming = { host, writes, machine, aws, isKubeadm, say: run.output };
  const command = run.isAutoNamed ? await commandWithName(run.command, naming) : run.command;
  const reset = resetOf(run, isKubeadm);
  const look: JoinLookTools = {
    host,
    clock: systemClock,
    machine,
    endpoint,
    isKubeadm,
    aws,
    kubeconfig: run.kubeconfig,
    nodeName: run.nodeName,
    cluster: run.cluster,
    unit: run.unit,
    kube: async (kubeconfig) => clients.kube(kubeconfig),
    isCommandRunning: async () => runner.isRunning(),
  };
  const tools: JoinTools = {
    clock: systemClock,
    random: systemRandom,
    say: run.say,
    look: async (wants) => lookAtJoin(look, wants),
    run: async () => runner.run(command),
    reset: async () => runner.run(reset),
    restartKubelet: async () => writes.restartUnit(run.unit, RESTART_MS),
    keep: async (text) => writes.replaceFile(path, text),
  };
  return { tools, canReset: reset.length > 0 };
}

function resetOf({ reset, command }: JoinRun, isKubeadm: boolean): readonly string[] {
  if (reset !== null) return reset;
  return isKubeadm ? [command[0] ?? 'kubeadm', 'reset', '--force'] : [];
}
