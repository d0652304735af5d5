import { KeptNews } from '../../collection/resident/kept-news.ts';
import { receiveMachineNews } from '../../collection/resident/machine-news.ts';
import type { MachineNews } from '../../evidence/aws/machine-news.ts';
import type { AwsEvents } from '../../ports/aws-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { Logger } from '../../runtime/log/logger.ts';
import type { MetricsRegistry } from '../../runtime/metrics/registry.ts';

const KINDS: readonly MachineNews['kind'][] = [
  'state',
  'spot',
  'rebalance',
  'maintenance',
  'hook',
  'scaling',
];

export interface MachineNewsTools {
  readonly events: AwsEvents;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly registry: MetricsRegistry;
  /** Tells whoever keeps the roll call. */
  readonly report: (news: readonly MachineNews[]) => void;
}

/** Receives what AWS reports of machines, and removes it once it is part of a standing. */
export class MachineNewsPart {
  readonly #tools: MachineNewsTools;
  readonly #heard: (kind: MachineNews['kind']) => void;
  readonly #failing: (isFailing: boolean) => void;
  readonly #kept = new KeptNews();

  constructor(tools: MachineNewsTools) {
    this.#tools = tools;
    const heard = tools.registry.counter({
      name: 'rollcall_aws_events_total',
      help: 'Events of EventBridge about machines that were received, by kind.',
      labels: { kind: KINDS },
    });
    const failing = tools.registry.gauge({
      name: 'rollcall_aws_events_failing',
      help: '1 while events cannot be received or removed from their queue.',
    });
    this.#heard = (kind) => heard.add({ kind });
    this.#failing = (isFailing) => failing.set(isFailing ? 1 : 0);
    this.#failing(false);
  }

  /** A standing begins to be taken; the answer is called when it is taken and recorded. */
  taking(): () => void {
    return this.#kept.taking();
  }

  /** @throws what is a bug and no failure of the queue */
  async run(signal: AbortSignal): Promise<void> {
    const { events, clock, random, log } = this.#tools;
    await receiveMachineNews(
      {
        events,
        clock,
        random,
        onNews: async (news) => this.#take(news),
        onTrouble: (error) => {
          this.#failing(error !== null);
          if (error === null) log.info('events of AWS are received again');
          else log.warn(`Events of AWS are not received: ${error.message}`);
        },
      },
      signal,
    );
  }

  async #take(news: readonly MachineNews[]): Promise<void> {
    for (const { kind } of news) this.#heard(kind);
    await this.#kept.keep(() => this.#tools.report(news));
  }
}
