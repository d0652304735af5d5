/** Probes on a machine in memory. */
import type { ProbeTools } from '../../src/collection/agent/probe.ts';
import type { MachineState } from '../../src/collection/agent/machine-state.ts';
import type { NodeProbe } from '../../src/ports/node-probe.ts';
import { virtualClock } from '../ports/fake/clock.ts';
import { createFakeHost, type FakeMachine } from '../ports/fake/host.ts';

export const TIMES = { intervalMs: 10_000, timeoutMs: 5_000 };
export const ROLES = 'http://169.254.169.254/latest/meta-data/iam/security-credentials/';
export const TOKEN = 'PUT http://169.254.169.254/latest/api/token';

export function toolsOf(machine: FakeMachine): ProbeTools {
  return { host: createFakeHost(machine), clock: virtualClock() };
}

/** `yes Reachable` */
export async function verdictOf(probe: NodeProbe): Promise<string> {
  const { answer, reason } = await probe.look(new AbortController().signal);
  return `${answer} ${reason}`;
}

export async function messageOf(probe: NodeProbe): Promise<string> {
  return (await probe.look(new AbortController().signal)).message;
}

export function stateOf(
  { clock }: ProbeTools,
  change: Partial<MachineState> = {},
): () => Promise<MachineState> {
  const path = { rules: [], flows: [], ownAddresses: [] };
  return async () => ({
    atMs: clock.nowMs(),
    path,
    nodeRole: 'node',
    notices: [],
    kubeletStartedMs: null,
    ...change,
  });
}
