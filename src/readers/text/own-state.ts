import type { PassageReading } from '../passage.ts';
import { leasesSaid, speaksOfLease } from './dhcp-lease.ts';
import { clocksSaid, speaksOfClock } from './host-clock.ts';

/** Reads what programs and files of a machine say of its clock and of its DHCP leases. */
export function readOwnState(
  { collector, document }: PassageReading,
  lines: readonly string[],
): void {
  const text = lines.join('\n');
  if (speaksOfClock(text)) {
    for (const { value, by, line, about } of clocksSaid(lines)) {
      const origin = { by, locator: collector.locatorAt(document, line), line, about: [about] };
      collector.fact(document, 'host/clock', value, origin);
    }
  }
  if (!speaksOfLease(text)) return;
  for (const { value, by, line, about } of leasesSaid(text, lines)) {
    const origin = { by, locator: collector.locatorAt(document, line), line, about };
    collector.fact(document, 'host/dhcp-lease', value, origin);
  }
}
