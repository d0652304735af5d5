import { systemClock } from '../../adapters/system/clock.ts';
import type { AwsEvents } from '../../ports/aws-events.ts';
import { pause } from '../../runtime/abort.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import type { Clients } from '../cli/live/open-clients.ts';
import { openQueue } from '../cli/live/open-queue.ts';
import type { OpenConfiguration } from './configuration.ts';

/** A queue whose connections are its own. */
export interface OpenedEvents {
  readonly events: AwsEvents;
  readonly close: () => void;
}

/** How often it is looked at whether a dry run is over, ms. */
const HELD_MS = 5_000;

/**
 * The queue that the configuration names; null where it names none. In a dry run messages stay in it.
 *
 * @throws SourceError
 */
export function eventsOf(
  { current }: OpenConfiguration,
  flags: LiveFlags,
  clients: Clients,
): OpenedEvents | null {
  const { awsEvents: url } = current();
  if (url === null) return null;
  const opened = openQueue(url, flags, clients);
  const receive: AwsEvents['receive'] = async (signal) => {
    if (!current().dryRun) return opened.receive(signal);
    await pause(systemClock, HELD_MS, signal);
    return [];
  };
  return {
    events: { receive, remove: async (messages, signal) => opened.remove(messages, signal) },
    close: () => opened.close(),
  };
}
