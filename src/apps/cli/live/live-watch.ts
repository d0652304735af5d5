import { systemClock } from '../../../adapters/system/clock.ts';
import { systemRandom } from '../../../adapters/system/random.ts';
import type { CliContext } from '../context.ts';
import { Alarm } from '../../../runtime/alarm.ts';
import { endOnInterrupt, type LiveQuestion, lookWith } from './diagnose-cluster.ts';
import { lookingAgain, type Repeat } from './look-again.ts';
import type { LiveEvidence } from '../../../collection/observe.ts';
import { openClients } from './open-clients.ts';
import type { WatchNotice } from './watch-notices.ts';
import { watchCluster } from './watched-clusters.ts';

export interface LiveWatchOptions {
  /** One for each cluster. */
  readonly questions: readonly LiveQuestion[];
  readonly context: CliContext;
  /** Between two looks when nothing changes, ms. */
  readonly pauseMs: number;
  readonly tell: (notices: readonly WatchNotice[]) => void;
}

/** Looks at all clusters, one after the other. */
export type LookAtAll = () => Promise<readonly LiveEvidence[]>;

/** A cluster that is asked over the same connections in every look. */
interface OpenCluster {
  readonly look: () => Promise<LiveEvidence>;
  readonly notices: () => readonly WatchNotice[];
  readonly close: () => Promise<void>;
}

async function openCluster(
  question: LiveQuestion,
  alarm: Alarm,
  { context, pauseMs, questions }: LiveWatchOptions,
): Promise<OpenCluster> {
  const clients = await openClients(question.flags);
  const means = { clock: systemClock, random: systemRandom };
  const watched = await watchCluster(clients, alarm, means);
  const place = questions.length > 1 ? (question.flags.context ?? null) : null;
  return {
    async look() {
      watched.beginLook();
      const seen = await lookWith({ ...clients, aws: watched.aws }, question, context);
      const isOfNames = question.names.length > 0;
      if (isOfNames) watched.follow(seen.document.subjects.map(({ node }) => node));
      return seen;
    },
    notices: () => watched.notices(pauseMs, place),
    async close() {
      await watched.stop();
      await clients.close();
    },
  };
}

/** Opens and watches the clusters for as long as `use` takes; an interrupt ends the program. */
export async function withLiveWatch<R>(
  options: LiveWatchOptions,
  use: (look: LookAtAll, repeat: Repeat) => Promise<R>,
): Promise<R> {
  const { questions, pauseMs, tell } = options;
  const alarm = new Alarm(systemClock);
  const stop = endOnInterrupt();
  const open: OpenCluster[] = [];
  try {
    for (const question of questions) open.push(await openCluster(question, alarm, options));
    const notices = (): readonly WatchNotice[] => open.flatMap((one) => one.notices());
    const look = async (): Promise<readonly LiveEvidence[]> => {
      const seen: LiveEvidence[] = [];
      for (const one of open) seen.push(await one.look());
      return seen;
    };
    return await use(look, lookingAgain({ clock: systemClock, alarm, pauseMs, notices, tell }));
  } finally {
    await Promise.all(open.map((one) => one.close()));
    stop();
  }
}
