import { kubeWriter } from '../../adapters/kubernetes/writes.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { systemRandom } from '../../adapters/system/random.ts';
import type { Recorder } from '../../ports/recorder.ts';
import { SourceError } from '../cli/context.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import type { RecordingLimits } from '../../collection/recording/recording.ts';
import { type LiveRecorder, openLiveRecorder } from '../cli/live/live-recording.ts';
import { type Clients, openClients } from '../cli/live/open-clients.ts';
import { openKubeTarget } from '../cli/live/open-kube-target.ts';
import { liveChecks, readyChecks } from './health.ts';
import { Controller, type StandingRecorder } from './program.ts';
import { endedBySignal, identity, sayOn, serveHealth } from './serving.ts';

export interface ControllerRun {
  readonly flags: LiveFlags;
  readonly listen: { readonly host: string; readonly port: number };
  readonly namespace: string;
  readonly writesReports: boolean;
  readonly writesEvents: boolean;
  /** A file or a URL of PostgreSQL; null to record nothing. */
  readonly record: string | null;
  readonly recordLimits: RecordingLimits;
  readonly keepReportsMs: number;
  readonly isDryRun: boolean;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Without --record, what was written stands in the log and the metrics alone. */
const NO_RECORDER: Pick<Recorder, 'append'> = { append: async () => 0 };

/** How long between two judgements nothing is missing, ms. */
const JUDGED_MS = 30_000;

async function recorderOf(
  { record, recordLimits }: ControllerRun,
  say: (line: string) => void,
): Promise<LiveRecorder | null> {
  if (record === null) return null;
  return openLiveRecorder({ target: record, limits: recordLimits, pauseMs: JUDGED_MS, say });
}

function recordingOf(recorder: LiveRecorder, clients: Clients, flags: LiveFlags): StandingRecorder {
  const { listener } = recorder;
  return { listener, take: async (standing) => recorder.take(standing, clients, flags) };
}

/** Runs the controller until a signal ends it, and serves its health meanwhile. */
export async function runUntilSignal(run: ControllerRun): Promise<void> {
  const { signal, stop } = endedBySignal();
  const { target, environment } = await openKubeTarget(run.flags);
  const clients = await openClients(run.flags);
  const { kube } = clients;
  if (kube === null)
    throw new SourceError(clients.refusals.map(({ message }) => message).join('\n'));
  const writes = kubeWriter(target, { environment, clock: systemClock });
  const say = sayOn(run.out);
  const recorder = await recorderOf(run, say);
  const recording = recorder === null ? null : recordingOf(recorder, clients, run.flags);
  const controller = new Controller(
    { ...run, cluster: run.flags.cluster ?? null, identity: identity() },
    {
      clients: { ...clients, kube },
      writes,
      recorder: recorder ?? NO_RECORDER,
      random: systemRandom,
      say,
      recording,
    },
  );
  try {
    const server = await served(run, controller);
    try {
      await controller.run(signal);
    } finally {
      await server.close();
    }
  } finally {
    stop();
    await Promise.all([writes.close(), clients.close()]);
    await recorder?.close();
  }
}

async function served(
  { listen, err }: ControllerRun,
  controller: Controller,
): ReturnType<typeof serveHealth> {
  const sources = {
    live: () => liveChecks(controller.state()),
    ready: () => readyChecks(controller.state()),
    metrics: () => controller.registry.text(),
  };
  return await serveHealth(listen, sources, err);
}
