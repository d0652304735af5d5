import { systemClock } from '../../../adapters/system/clock.ts';
import type { CollectedDocument } from '../../../collection/document.ts';
import type { LiveEvidence } from '../../../collection/observe.ts';
import { Recording, type RecordingLimits } from '../../../collection/recording/recording.ts';
import { SeenLook } from '../../../collection/recording/seen.ts';
import { rollCallOf } from '../../../diagnosis/roll-call/roll-call.ts';
import { SourceError } from '../context.ts';
import type { LiveFlags } from './flags.ts';
import type { Clients } from './open-clients.ts';
import { openForWriting, told } from './record-target.ts';

export interface RecordOptions {
  /** A file or a URL of PostgreSQL. */
  readonly target: string;
  readonly limits: RecordingLimits;
  /** Between two looks, ms. */
  readonly pauseMs: number;
  readonly say: (line: string) => void;
}

type Look = (onDocument: (document: CollectedDocument) => void) => Promise<LiveEvidence>;

/** Records the looks at one cluster. */
export interface LookRecorder {
  readonly look: (
    clients: Pick<Clients, 'described'>,
    flags: LiveFlags,
    look: Look,
  ) => Promise<LiveEvidence>;
  readonly close: () => Promise<void>;
}

/** A look may take a minute and more; what is longer than some of them is a gap. */
const GAP_LOOKS = 3;
const LOOK_MS = 60_000;

export async function openLookRecorder(options: RecordOptions): Promise<LookRecorder> {
  const { target, limits, say, pauseMs } = options;
  const recorder = await openForWriting(target, systemClock.nowMs(), say);
  const recording = new Recording({
    recorder,
    limits,
    say,
    pauseMs: GAP_LOOKS * (pauseMs + LOOK_MS),
  });
  // A cluster keeps the name under which its first look was recorded.
  let cluster: string | null = null;
  return {
    async look(clients, flags, look) {
      const seen = new SeenLook();
      const onDocument = (document: CollectedDocument): void => seen.add(document);
      try {
        const live = await look(onDocument);
        cluster ??= flags.cluster ?? live.cluster ?? placeOf(clients);
        const name = cluster;
        await told(async () => recording.take(lookOf(live, seen, name)));
        return live;
      } catch (error) {
        if (error instanceof SourceError && cluster !== null)
          await missed(recording, cluster, error.message);
        throw error;
      }
    },
    close: async () => told(async () => recorder.close()),
  };
}

async function missed(recording: Recording, cluster: string, why: string): Promise<void> {
  const moment = { cluster, nowMs: systemClock.nowMs(), skewMs: null };
  await told(async () => recording.missed(why, moment));
}

/** Where AWS tells no name, that of the kubeconfig. */
function placeOf({ described }: Pick<Clients, 'described'>): string {
  return described?.clusterName ?? described?.contextName ?? described?.server ?? 'cluster';
}

function lookOf(
  { observations, document, nowMs, skewMs, cluster: known }: LiveEvidence,
  seen: SeenLook,
  cluster: string,
): Parameters<Recording['take']>[0] {
  return {
    cluster,
    nowMs,
    // Its clock is as far ahead of this one as this one is behind it.
    skewMs: skewMs === null ? null : -skewMs,
    seen,
    document,
    roll: rollCallOf({ observations, document, nowMs, expected: [] }),
    refusals: observations.collection?.refusals ?? [],
    isAwsAsked: known !== null && seen.whole.has('Instance'),
  };
}
