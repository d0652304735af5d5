import { kubeWriter } from '../../adapters/kubernetes/writes.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { systemRandom } from '../../adapters/system/random.ts';
import type { Recorder } from '../../ports/recorder.ts';
import { whenAborted } from '../../runtime/abort.ts';
import { errorFields } from '../../runtime/log/logger.ts';
import { MetricsRegistry } from '../../runtime/metrics/registry.ts';
import { together } from '../../runtime/together.ts';
import { SourceError } from '../cli/context.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { type LiveRecorder, openLiveRecorder } from '../cli/live/live-recording.ts';
import { addressIn } from '../cli/options/address.ts';
import { collectOften } from '../../adapters/system/memory.ts';
import { type Clients, openClients } from '../cli/live/open-clients.ts';
import { openKubeTarget } from '../cli/live/open-kube-target.ts';
import type { OpenConfiguration } from './configuration.ts';
import { liveChecks, readyChecks } from './health.ts';
import { eventsOf } from './opened-events.ts';
import { janitorOf } from './opened-janitor.ts';
import { Controller, type ControllerSettings, type StandingRecorder } from './program.ts';
import { identity, serveHealth } from './serving.ts';
import { webhookOf } from './webhook.ts';

export interface ControllerRun {
  readonly flags: LiveFlags;
  readonly configuration: OpenConfiguration;
}

/** Without --record, what was written stands in the log and the metrics alone. */
const NO_RECORDER: Pick<Recorder, 'append' | 'notes'> = {
  append: async () => 0,
  notes: async () => new Map(),
};

interface Signals {
  /** Aborted by SIGTERM, as a Pod is asked to end, and by SIGINT. */
  readonly ended: AbortSignal;
  /** Waits for the signal. @throws what is a bug of reading the configuration again */
  readonly run: (stop: AbortSignal) => Promise<void>;
  readonly stop: () => void;
}

/** Without a file SIGHUP ends the program, as a terminal that closes means it. */
function listenToSignals({ reload, log }: OpenConfiguration): Signals {
  const ending = new AbortController();
  const bug = Promise.withResolvers<void>();
  const end = (): void => ending.abort();
  const again = (): void => {
    log.info('SIGHUP: reads the configuration again');
    reload?.().catch(bug.reject);
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  if (reload !== null) process.on('SIGHUP', again);
  return {
    ended: ending.signal,
    run: async (stop) => Promise.race([bug.promise, whenAborted(stop)]),
    stop: () => {
      process.removeListener('SIGTERM', end);
      process.removeListener('SIGINT', end);
      process.removeListener('SIGHUP', again);
    },
  };
}

/** How long between two judgements nothing is missing, ms. */
const JUDGED_MS = 30_000;
const MIB = 1024 * 1024;

async function recorderOf({ current, log }: OpenConfiguration): Promise<LiveRecorder | null> {
  const { record, keep, maxSize, nodeLogs: readsNodeLogs } = current();
  if (record === null) return null;
  const limits = { keepMs: keep, bytesMax: maxSize * MIB };
  const say = (line: string): void => log.warn(line);
  return openLiveRecorder({ target: record, limits, pauseMs: JUDGED_MS, readsNodeLogs, say });
}

function recordingOf(recorder: LiveRecorder, clients: Clients, flags: LiveFlags): StandingRecorder {
  const { listener } = recorder;
  return { listener, take: async (standing) => recorder.take(standing, clients, flags) };
}

function settingsOf({ flags, configuration }: ControllerRun): ControllerSettings {
  const { current } = configuration;
  const { namespace, reports, events, auth } = current();
  return {
    cluster: flags.cluster ?? null,
    namespace,
    identity: identity(),
    writesReports: reports,
    writesEvents: events,
    auth,
    live: () => {
      const { keepReports, dryRun } = current();
      return { keepReportsMs: keepReports, isDryRun: dryRun };
    },
  };
}

/** Runs the controller until a signal ends it, and serves its health meanwhile. */
export async function runUntilSignal(run: ControllerRun): Promise<void> {
  const { flags, configuration } = run;
  const signals = listenToSignals(configuration);
  const { target, environment } = await openKubeTarget(flags);
  const clients = await openClients(flags);
  collectOften();
  const { kube } = clients;
  if (kube === null)
    throw new SourceError(clients.refusals.map(({ message }) => message).join('\n'));
  const writes = kubeWriter(target, { environment, clock: systemClock });
  const recorder = await recorderOf(configuration);
  const recording = recorder === null ? null : recordingOf(recorder, clients, flags);
  const registry = new MetricsRegistry();
  const settings = settingsOf(run);
  const janitor = janitorOf(configuration, settings, {
    flags,
    clients,
    registry,
    recorder: recorder ?? NO_RECORDER,
  });
  const events = eventsOf(configuration, flags, clients);
  const controller = new Controller(settings, {
    clients: { ...clients, kube },
    writes,
    recorder: recorder ?? NO_RECORDER,
    random: systemRandom,
    log: configuration.log,
    recording,
    registry,
    webhook: webhookOf(configuration, registry),
    janitor: janitor?.janitor ?? null,
    awsEvents: events?.events ?? null,
  });
  declareConfiguration(registry, configuration);
  try {
    const server = await served(configuration, controller);
    try {
      const parts = [controller, configuration, signals];
      await together(
        parts.map((part) => async (stop) => part.run(stop)),
        signals.ended,
      );
    } finally {
      await server.close();
    }
  } finally {
    signals.stop();
    janitor?.close();
    events?.close();
    await Promise.all([writes.close(), clients.close()]);
    await recorder?.close();
  }
}

function declareConfiguration(registry: MetricsRegistry, { isRefused }: OpenConfiguration): void {
  const refused = registry.gauge({
    name: 'rollcall_configuration_refused',
    help: '1 while the configuration file is refused and what was read before is kept.',
  });
  registry.beforeReading(() => refused.set(isRefused() ? 1 : 0));
}

async function served(
  { current, log }: OpenConfiguration,
  controller: Controller,
): ReturnType<typeof serveHealth> {
  const { listen } = current();
  const sources = {
    live: () => liveChecks(controller.state()),
    ready: () => readyChecks(controller.state()),
    metrics: () => controller.registry.text(),
  };
  return serveHealth(addressIn('listen', listen), sources, {
    onServing: (port) => log.info(`serves /metrics, /livez and /readyz on port ${port}`, { port }),
    onBug: (error) => log.error('/metrics failed', errorFields(error)),
  });
}
