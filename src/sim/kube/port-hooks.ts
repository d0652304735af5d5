import type { PortError } from '../../ports/port-error.ts';
import type { WatchEvent } from './contract.ts';
import type { AskedName } from './port-failure.ts';

/** What happens between a client and the API server. */
export interface PortHooks {
  /** How long a request or an event is on its way, ms; nothing is planned for none. */
  readonly delayMs?: (asked: AskedName) => number;
  /** Asked before every request; what it answers is thrown instead. */
  readonly fault?: (asked: AskedName) => PortError | null;
  /** Asked after every write was answered; what it answers is thrown in place of the answer. */
  readonly loses?: (asked: AskedName) => PortError | null;
  /** What of an event of a watch arrives: nothing, the event, or more than it. */
  readonly arrives?: (asked: AskedName, event: WatchEvent) => readonly WatchEvent[];
}
