import type { RandomStream } from '../../kernel/random.ts';
import type { CniAnswer, CniPlugin } from './network.ts';

/** What a plugin takes to make a pod's interface, median. */
const ADD_MS = 120;

/** A plugin that hands out the addresses of one block and has enough of them. */
export function addressPlugin(name: string, block: string, random: RandomStream): CniPlugin {
  const held = new Map<string, string>();
  const free: string[] = [];
  let next = 2;
  const take = (): string | null => {
    const freed = free.shift();
    if (freed !== undefined) return freed;
    if (next >= 255) return null;
    return `${block}.${next++}`;
  };
  const add = (pod: string): CniAnswer => {
    const tookMs = random.lognormal(ADD_MS, 0.4);
    const known = held.get(pod);
    if (known !== undefined) return { ok: true, address: known, tookMs };
    const address = take();
    if (address === null) {
      const message = `plugin type="${name}" failed (add): no IP addresses available in range set: ${block}.1-${block}.254`;
      return { ok: false, message, tookMs };
    }
    held.set(pod, address);
    return { ok: true, address, tookMs };
  };
  const remove = (pod: string): void => {
    const address = held.get(pod);
    if (address === undefined) return;
    held.delete(pod);
    free.push(address);
  };
  return { name, hostInterface: 'cali', add, remove };
}
