import { locatorAt } from '../../evidence/fact.ts';
import type { PassageReading } from '../passage.ts';
import { leasesSaid, speaksOfLease } from './dhcp-lease.ts';
import { clocksSaid, speaksOfClock } from './host-clock.ts';

/** What a machine says of itself is short, or says at once what it is; logs are not searched for it. */
const SHORT_CHARACTERS = 64 * 1024;
const HEAD_CHARACTERS = 4 * 1024;

/** Reads what programs and files of a machine say of its clock and of its DHCP leases. */
export function readOwnState(
  { collector, document }: PassageReading,
  text: string,
  lines: readonly string[],
): void {
  const locator = collector.locatorOf(document);
  const head = text.length <= SHORT_CHARACTERS ? text : text.slice(0, HEAD_CHARACTERS);
  if (speaksOfClock(head)) {
    for (const { value, by, line, about } of clocksSaid(head.split(/\r?\n/))) {
      const origin = { by, locator: locatorAt(locator, line), line, about: [about] };
      collector.fact(document, 'host/clock', value, origin);
    }
  }
  if (!speaksOfLease(head)) return;
  for (const { value, by, line, about } of leasesSaid(text, lines)) {
    const origin = { by, locator: locatorAt(locator, line), line, about };
    collector.fact(document, 'host/dhcp-lease', value, origin);
  }
}
