import { POLL_MS } from '../../../collection/resident/feeds.ts';
import { KeptNews } from '../../../collection/resident/kept-news.ts';
import { receiveMachineNews } from '../../../collection/resident/machine-news.ts';
import type { MachineNews } from '../../../evidence/aws/machine-news.ts';
import type { AwsEvents } from '../../../ports/aws-events.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { PortError } from '../../../ports/port-error.ts';
import type { Random } from '../../../ports/random.ts';
import type { WatchNotice } from './watch-notices.ts';

export interface WatchEventsTools {
  readonly clock: Clock;
  readonly random: Random;
  /** Tells whoever keeps the roll call. */
  readonly report: (news: readonly MachineNews[]) => void;
}

/** What AWS reports of machines while somebody watches. */
export class WatchEvents {
  readonly #events: AwsEvents;
  readonly #kept = new KeptNews();
  #trouble: PortError | null = null;

  constructor(events: AwsEvents) {
    this.#events = events;
  }

  /** A standing begins to be shown; the answer is called when it is shown and recorded. */
  taking(): () => void {
    return this.#kept.taking();
  }

  /** @throws what is a bug and no failure of the queue */
  async run({ report, clock, random }: WatchEventsTools, signal: AbortSignal): Promise<void> {
    await receiveMachineNews(
      {
        events: this.#events,
        clock,
        random,
        onNews: async (news) => this.#kept.keep(() => report(news)),
        onTrouble: (error) => {
          this.#trouble = error;
        },
      },
      signal,
    );
  }

  notices(): readonly WatchNotice[] {
    if (this.#trouble === null) return [];
    const instead = `AWS is asked every ${POLL_MS / 1000} s`;
    return [
      {
        key: 'aws-events',
        line: `Events of AWS are not received: ${this.#trouble.message.replace(/\.$/, '')}; ${instead}`,
        kinds: [],
        over: 'Events of AWS are received again',
      },
    ];
  }
}
