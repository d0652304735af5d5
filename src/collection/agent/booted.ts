import type { Clock } from '../../ports/clock.ts';
import type { Host } from '../../ports/host.ts';
import { PortError } from '../../ports/port-error.ts';
import { settled } from './probe.ts';

/** When the machine booted, by the wall clock, ms; now where the machine does not tell. */
export async function bootedMs(host: Host, clock: Clock): Promise<number> {
  const bytes = await settled(host.readFile('/proc/uptime', 100));
  const nowMs = clock.nowMs();
  if (bytes instanceof PortError) return nowMs;
  const seconds = Number(new TextDecoder().decode(bytes).split(' ', 1)[0]);
  return Number.isFinite(seconds) && seconds > 0 ? nowMs - seconds * 1000 : nowMs;
}
