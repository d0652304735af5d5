import { openHost } from '../../adapters/host/open.ts';
import { kubeClient, type KubeClient } from '../../adapters/kubernetes/client.ts';
import { isDirect } from '../../adapters/kubernetes/direct.ts';
import type { KubeEnvironment } from '../../adapters/kubernetes/environment.ts';
import { inClusterTarget } from '../../adapters/kubernetes/in-cluster.ts';
import { DEFAULT_KUBE_LIMITS } from '../../adapters/kubernetes/limits.ts';
import { PlainWire } from '../../adapters/kubernetes/plain-wire.ts';
import { systemKubeEnvironment } from '../../adapters/kubernetes/system-environment.ts';
import type { KubeTarget } from '../../adapters/kubernetes/target.ts';
import { kubeWriter, type KubeWriter } from '../../adapters/kubernetes/writes.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { staySmall } from '../../adapters/system/memory.ts';
import { systemRandom } from '../../adapters/system/random.ts';
import { bootedMs } from '../../collection/agent/booted.ts';
import type { ApiServerAddress } from '../../collection/agent/api-server.ts';
import { lookAtMachine, readMachineState } from '../../collection/agent/machine-state.ts';
import { kubeletFinder } from '../../collection/agent/kubelet-finder.ts';
import type { MachineView } from '../../collection/agent/metadata.ts';
import { AgentPlaces } from '../../collection/agent/places.ts';
import { probeNamed, type ProbeSettings } from '../../collection/agent/probes.ts';
import type { ProbeName } from '../../domain/nodes/agent-probes.ts';
import { AgentKeeper, type AgentRoute } from '../../controllers/agent/keeper.ts';
import type { ProbeRules } from '../../controllers/agent/decide.ts';
import type { Recorder } from '../../ports/recorder.ts';
import { untilSignal } from './until-signal.ts';
import { type Listen, serveAgent } from './serve.ts';

export interface AgentRun {
  readonly kubeconfig: string | null;
  readonly context: string | null;
  readonly node: string;
  readonly namespace: string;
  readonly probes: readonly ProbeName[];
  readonly settings: Omit<ProbeSettings, 'apiServer'>;
  /** Given addresses of the API server; empty to ask for them. */
  readonly direct: readonly ApiServerAddress[];
  readonly rules: ProbeRules;
  /** A file in which another agent keeps what the machine's network shows; null to look itself. */
  readonly machineState: string | null;
  readonly machineRoot: string | null;
  readonly listen: Listen;
  readonly writesConditions: boolean;
  readonly isDryRun: boolean;
  readonly say: (line: string) => void;
  readonly err: (text: string) => void;
}

/** What is written is in the log and the metrics. */
const NO_RECORDER: Pick<Recorder, 'append'> = { append: async () => 0 };

/** A name that every API server's certificate has. */
const SERVER_NAME = 'kubernetes.default.svc';

interface Clients {
  readonly api: KubeClient;
  readonly writes: KubeWriter;
}

function clientsOf(target: KubeTarget, environment: KubeEnvironment): Clients {
  // Both speak over the same connections.
  const wire = isDirect(target) ? { wire: new PlainWire(target, DEFAULT_KUBE_LIMITS) } : {};
  const options = { environment, clock: systemClock, ...wire };
  return { api: kubeClient(target, options), writes: kubeWriter(target, options) };
}

/** The service address, and then the API server's own, for when the first leads nowhere. */
class Routes {
  readonly #target: KubeTarget;
  readonly #environment: KubeEnvironment;
  readonly #open = new Map<string, AgentRoute & Clients>();

  constructor(target: KubeTarget, environment: KubeEnvironment) {
    this.#target = target;
    this.#environment = environment;
  }

  get main(): AgentRoute & Clients {
    return this.#route('through the service address', this.#target);
  }

  to(addresses: readonly ApiServerAddress[]): readonly AgentRoute[] {
    const { tls } = this.#target;
    const direct = addresses.map(({ host, port }) => {
      const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
      const named = { ...tls, serverName: tls.serverName ?? SERVER_NAME };
      return this.#route(`directly at ${server}`, { ...this.#target, server, tls: named });
    });
    return [this.main, ...direct];
  }

  async close(): Promise<void> {
    const all = [...this.#open.values()];
    await Promise.all(all.flatMap(({ api, writes }) => [api.close(), writes.close()]));
  }

  #route(words: string, target: KubeTarget): AgentRoute & Clients {
    const known = this.#open.get(target.server);
    if (known !== undefined) return known;
    const route = { words, ...clientsOf(target, this.#environment) };
    this.#open.set(target.server, route);
    return route;
  }
}

function serviceOf(env: NodeJS.ProcessEnv): ApiServerAddress | null {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = Number(env['KUBERNETES_SERVICE_PORT'] ?? 443);
  return host === '' ? null : { host, port };
}

function viewOf({ machineState, machineRoot }: AgentRun): MachineView {
  const host = openHost(systemClock);
  if (machineState !== null) return async () => readMachineState(host, machineState);
  const findKubelet = kubeletFinder();
  const machine = { host, root: machineRoot };
  return async () => lookAtMachine(machine, systemClock.nowMs(), findKubelet);
}

/** In a pod its service account, without what reads kubeconfigs. */
async function targetOf(
  { kubeconfig, context }: AgentRun,
  environment: KubeEnvironment,
): Promise<KubeTarget> {
  const isNamed = kubeconfig !== null || context !== null || 'KUBECONFIG' in environment.env;
  const own = isNamed ? null : await inClusterTarget(environment);
  if (own !== null) return own;
  const { loadKubeTarget } = await import('../../adapters/kubernetes/kubeconfig.ts');
  return loadKubeTarget(environment, {
    ...(kubeconfig === null ? {} : { kubeconfig }),
    ...(context === null ? {} : { context }),
  });
}

/** Looks until a signal ends it, and serves its health meanwhile. */
export async function runAgent(run: AgentRun): Promise<void> {
  staySmall();
  const environment = systemKubeEnvironment(systemClock);
  const target = await targetOf(run, environment);
  const routes = new Routes(target, environment);
  try {
    await untilSignal(async (signal) => {
      const keeper = await keeperOf(run, routes, target);
      const server = await serveAgent(run.listen, keeper, run.rules, run);
      try {
        await keeper.run(signal);
      } finally {
        await server.close();
      }
    });
  } finally {
    await routes.close();
  }
}

async function keeperOf(run: AgentRun, routes: Routes, target: KubeTarget): Promise<AgentKeeper> {
  const { node, namespace, direct: given } = run;
  const host = openHost(systemClock);
  const { api } = routes.main;
  const places = new AgentPlaces({ api, clock: systemClock, node, namespace, given });
  const service = serviceOf(process.env);
  const { authorityPem: caPem, serverName } = target.tls;
  const apiServer = { service, serverName: serverName ?? SERVER_NAME, caPem };
  const tools = {
    host,
    clock: systemClock,
    random: systemRandom,
    places,
    view: viewOf(run),
  };
  const settings = { ...run.settings, apiServer };
  return new AgentKeeper({
    node,
    probes: run.probes.map((name) => probeNamed(name, tools, settings)),
    rules: run.rules,
    routes: () => routes.to(places.direct()),
    recorder: NO_RECORDER,
    clock: systemClock,
    random: systemRandom,
    bootedMs: await bootedMs(host, systemClock),
    writesConditions: run.writesConditions,
    isDryRun: run.isDryRun,
    say: run.say,
  });
}
