import { locatorAt } from '../../evidence/fact.ts';
import type { PassageReading } from '../passage.ts';
import { leasesSaid, speaksOfLease } from './dhcp-lease.ts';
import { clocksSaid, speaksOfClock } from './host-clock.ts';

/** Reads what programs and files of a machine say of its clock and of its DHCP leases. */
export function readOwnState(
  { collector, document }: PassageReading,
  text: string,
  lines: readonly string[],
): void {
  const locator = collector.locatorOf(document);
  if (speaksOfClock(text)) {
    for (const { value, by, line, about } of clocksSaid(lines)) {
      const origin = { by, locator: locatorAt(locator, line), line, about: [about] };
      collector.fact(document, 'host/clock', value, origin);
    }
  }
  if (!speaksOfLease(text)) return;
  for (const { value, by, line, about } of leasesSaid(text, lines)) {
    const origin = { by, locator: locatorAt(locator, line), line, about };
    collector.fact(document, 'host/dhcp-lease', value, origin);
  }
}
