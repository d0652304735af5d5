import { systemClock } from '../../../adapters/system/clock.ts';
import { settle } from '../../../adapters/system/settle.ts';
import type { LiveEvidence } from '../../../collection/observe.ts';
import { allListeners } from '../../../collection/resident/all-listeners.ts';
import { LastWords } from '../../../collection/recording/last-words.ts';
import { lookOf } from '../../../collection/recording/look.ts';
import { EvidencePile } from '../../../collection/recording/pile.ts';
import { Recording, type RecordingLimits } from '../../../collection/recording/recording.ts';
import { SeenCluster } from '../../../collection/recording/seen.ts';
import type { ResidentListener } from '../../../collection/resident/listener.ts';
import type { Recorder } from '../../../ports/recorder.ts';
import type { LiveFlags } from './flags.ts';
import type { Clients } from './open-clients.ts';
import { openForWriting, told } from './record-target.ts';

export interface RecordOptions {
  /** A file or a URL of PostgreSQL. */
  readonly target: string;
  readonly limits: RecordingLimits;
  /** True to read logs of machines that go through their kubelets, which needs `get nodes/proxy`. */
  readonly readsNodeLogs?: boolean;
  /** Longest time between two judgements, ms. */
  readonly pauseMs: number;
  readonly say: (line: string) => void;
}

/** Records what a resident hears and judges of one cluster. */
export interface LiveRecorder {
  readonly listener: ResidentListener;
  readonly take: (standing: LiveEvidence, clients: Clients, flags: LiveFlags) => Promise<void>;
  /** Records an intention or its outcome, before and after a write. */
  readonly append: Recorder['append'];
  /** What is noted of a cluster, by id. */
  readonly notes: Recorder['notes'];
  readonly close: () => Promise<void>;
}

/** A judgement may take a minute in a large cluster; what is longer than some of them is a gap. */
const GAP_PAUSES = 3;
const JUDGEMENT_MS = 60_000;

export async function openLiveRecorder(options: RecordOptions): Promise<LiveRecorder> {
  const { target, limits, say } = options;
  const recorder = await openForWriting(target, systemClock.nowMs(), say);
  const pauseMs = GAP_PAUSES * (options.pauseMs + JUDGEMENT_MS);
  const recording = new Recording({ recorder, limits, say, pauseMs, turn: settle });
  const seen = new SeenCluster();
  const pile = new EvidencePile();
  const ending = new AbortController();
  let lastWords: LastWords | null = null;
  // A cluster keeps the name under which its first look was recorded.
  let cluster: string | null = null;
  return {
    listener: allListeners([seen, pile]),
    async take(standing, clients, flags) {
      const name = cluster ?? flags.cluster ?? standing.cluster ?? placeOf(clients);
      cluster = name;
      const { readsNodeLogs = false } = options;
      lastWords ??= new LastWords({ clients, readsNodeLogs, end: ending.signal });
      lastWords.ask(standing.observations, standing.nowMs);
      const look = { ...lookOf(standing, seen.take(), name, pile), lastWords: lastWords.take() };
      await told(async () => recording.take(look));
    },
    append: async (...events) => recorder.append(...events),
    notes: async (name) => recorder.notes(name),
    close: async () => {
      ending.abort();
      await told(async () => recorder.close());
    },
  };
}

/** Where AWS tells no name, that of the kubeconfig. */
export function placeOf({ described }: Pick<Clients, 'described'>): string {
  return described?.clusterName ?? described?.contextName ?? described?.server ?? 'cluster';
}
