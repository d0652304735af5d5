import { kubeClient } from '../../adapters/kubernetes/client.ts';
import { isDirect } from '../../adapters/kubernetes/direct.ts';
import { Http2Wire } from '../../adapters/kubernetes/http2-wire.ts';
import { DEFAULT_KUBE_LIMITS } from '../../adapters/kubernetes/limits.ts';
import { kubeWriter } from '../../adapters/kubernetes/writes.ts';
import type { OpenHttpServer } from '../../adapters/http/server.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { systemRandom } from '../../adapters/system/random.ts';
import { PortError } from '../../ports/port-error.ts';
import { SourceError } from '../cli/context.ts';
import type { Address } from '../cli/options/address.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { openKubeTarget } from '../cli/live/open-kube-target.ts';
import { endedBySignal, identity, sayOn, serveHealth } from '../controller/serving.ts';
import { nidhoggReading } from './nidhogg-file.ts';
import { NODE_GATE_KIND } from './policy-kinds.ts';
import { GateProgram } from './program.ts';
import type { GateTools } from './tools.ts';

export interface GateRun {
  readonly flags: LiveFlags;
  /** Each serves health and metrics. */
  readonly listens: readonly Address[];
  readonly namespace: string;
  readonly isDryRun: boolean;
  /** A configuration file of nidhogg; null for none. */
  readonly nidhoggConfig: string | null;
  /** Namespace of the Lease of the Node Readiness Controller; null to follow none of its rules. */
  readonly rulesNamespace: string | null;
  /** True to do no more than nidhogg or the Node Readiness Controller, with their rights. */
  readonly isReplacement: boolean;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

interface Opened {
  readonly tools: GateTools;
  readonly close: () => Promise<void>;
}

/** @throws SourceError where no cluster is named */
async function opened({ flags, out }: GateRun): Promise<Opened> {
  const { target, environment } = await openKubeTarget(flags).catch((error: unknown) => {
    if (error instanceof PortError) throw new SourceError(error.message);
    throw error;
  });
  // One connection for everything: what is read and what is written costs less of both sides.
  const patience = { clock: systemClock };
  const wire = isDirect(target)
    ? { wire: new Http2Wire(target, DEFAULT_KUBE_LIMITS, patience) }
    : {};
  const options = { environment, clock: systemClock, ...wire };
  const api = kubeClient(target, options);
  const writes = kubeWriter(target, options);
  const leaseWrites = kubeWriter(target, options);
  const tools = {
    api,
    writes,
    leaseApi: api,
    leaseWrites,
    // Its writes are in the log, the metrics and the Events.
    recorder: null,
    clock: systemClock,
    random: systemRandom,
    say: sayOn(out),
  };
  const close = async (): Promise<void> => {
    await Promise.all([api.close(), writes.close(), leaseWrites.close()]);
  };
  return { tools, close };
}

async function whileServing(
  { listens, err }: GateRun,
  program: GateProgram,
  work: () => Promise<void>,
): Promise<void> {
  const sources = {
    live: () => [],
    ready: () => program.readyChecks(),
    metrics: () => program.registry.text(),
  };
  const servers: OpenHttpServer[] = [];
  try {
    for (const listen of listens)
      servers.push(
        await serveHealth(listen, sources, {
          onServing: (port) => err(`Serves /metrics, /livez and /readyz on port ${port}.\n`),
          onBug: (error) => err(`/metrics: ${error instanceof Error ? error.message : 'failed'}\n`),
        }),
      );
    await work();
  } finally {
    for (const server of servers) await server.close();
  }
}

/** Keeps the gates of a cluster until a signal ends it, and serves its health meanwhile. */
export async function runGateUntilSignal(run: GateRun): Promise<void> {
  const fixed = run.nidhoggConfig === null ? [] : [nidhoggReading(run.nidhoggConfig)];
  const { signal, stop } = endedBySignal();
  const { tools, close } = await opened(run);
  const { namespace, rulesNamespace, isDryRun, isReplacement } = run;
  const same = { namespace, rulesNamespace, isDryRun, isReplacement, fixed };
  const policyKinds = isReplacement ? [] : [NODE_GATE_KIND];
  const settings = { ...same, identity: identity(), policyKinds };
  const program = new GateProgram(settings, tools);
  try {
    await whileServing(run, program, async () => await program.run(signal));
  } finally {
    stop();
    await close();
  }
}
