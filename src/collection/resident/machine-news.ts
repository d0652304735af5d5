import type { MachineNews } from '../../evidence/aws/machine-news.ts';
import type { AwsEvents } from '../../ports/aws-events.ts';
import type { Clock } from '../../ports/clock.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';
import { readMachineNews } from '../../readers/aws/machine-news.ts';
import { isAbortOf, pause, whenAborted } from '../../runtime/abort.ts';
import { Backoff } from '../../runtime/backoff.ts';

export interface MachineNewsOptions {
  readonly events: AwsEvents;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends once the news are kept: until then a queue offers them again. */
  readonly onNews: (news: readonly MachineNews[]) => Promise<void>;
  /** Hears of each failure to receive, and null when messages are received again. */
  readonly onTrouble: (error: PortError | null) => void;
}

/** A queue that is away is asked again so often. */
const AGAIN = { leastMs: 1_000, mostMs: 60_000 };

/** Receives news until the signal ends it. @throws what is a bug and no failure of the queue */
export async function receiveMachineNews(
  options: MachineNewsOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, onTrouble } = options;
  const backoff = new Backoff(random, AGAIN);
  let isTroubled = false;
  while (!signal.aborted)
    try {
      await receiveOnce(options, signal);
      backoff.reset();
      if (isTroubled) onTrouble(null);
      isTroubled = false;
    } catch (error) {
      if (isAbortOf(signal, error)) return;
      if (!(error instanceof PortError)) throw error;
      isTroubled = true;
      onTrouble(error);
      await pause(clock, backoff.nextMs(), signal);
    }
}

/** Messages that say nothing of machines are removed too, as nobody else reads them. */
async function receiveOnce(
  { events, onNews }: MachineNewsOptions,
  signal: AbortSignal,
): Promise<void> {
  const messages = await events.receive(signal);
  if (messages.length === 0) return;
  const news = messages.flatMap(({ body }) => readMachineNews(body) ?? []);
  if (news.length > 0) await Promise.race([onNews(news), whenAborted(signal)]);
  signal.throwIfAborted();
  await events.remove(messages, signal);
}
