import type { SpotNode } from '../../domain/nodes/spot-node.ts';
import { percentText } from '../../domain/words.ts';
import type { SpotStanding } from '../../readers/spot/answers.ts';
import { RecentMap } from '../../runtime/recent-map.ts';
import type { SeenPrice, SpotLook } from '../spot-watch.ts';
import type { Happening } from './change.ts';

/** Far more pools and notices than a region has; the oldest are forgotten beyond it. */
const KEPT_MAX = 20_000;
const EC2 = 'ec2';

/** What changed on the Spot market and on Spot Instances since the looks before. */
export class SpotChanges {
  readonly #prices = new RecentMap<SeenPrice>(KEPT_MAX);
  readonly #notices = new RecentMap<string>(KEPT_MAX);

  /** Prices that were not reported yet, in the order of time. */
  ofPrices({ prices }: Pick<SpotLook, 'prices'>): readonly Happening[] {
    return (prices ?? [])
      .toSorted((a, b) => a.atMs - b.atMs)
      .flatMap((price) => {
        const pool = `${price.type} ${price.zone}`;
        const before = this.#prices.get(pool);
        if (before !== undefined && price.atMs <= before.atMs) return [];
        this.#prices.set(pool, price);
        return before?.dollars === price.dollars ? [] : [priceHappening(price, before ?? null)];
      });
  }

  /** What EC2 itself says of Spot Instances: that it takes them, and that it took them. */
  ofStandings({ standings }: Pick<SpotLook, 'standings'>): readonly Happening[] {
    return (standings ?? []).flatMap((one) => {
      const { instanceId, interruption } = one;
      if (interruption === null || !this.#isNew(instanceId, interruption)) return [];
      return [standingHappening(one, interruption)];
    });
  }

  /** What Nodes show of notices to their machines. */
  ofNodes(nodes: Iterable<SpotNode>): readonly Happening[] {
    return [...nodes].flatMap((node) => {
      const { notice, name, uid } = node;
      if (notice === null) {
        this.#notices.delete(uid);
        return [];
      }
      if (notice.kind === 'scheduled') return [];
      if (!this.#isNew(uid, `${notice.kind} ${notice.sinceMs ?? ''}`)) return [];
      return [noticeHappening(name, node, notice)];
    });
  }

  #isNew(key: string, told: string): boolean {
    if (this.#notices.get(key) === told) return false;
    this.#notices.set(key, told);
    return true;
  }
}

function priceHappening(price: SeenPrice, before: SeenPrice | null): Happening {
  const { type, zone, atMs, dollars } = price;
  const moved = before === null ? null : dollars / before.dollars - 1;
  const sign = moved !== null && moved > 0 ? '+' : '';
  const words = moved === null ? '' : `, ${sign}${percentText(moved)}`;
  return {
    atMs,
    subject: `${type} ${zone}`,
    subjectKind: 'SpotPool',
    kind: 'spot-price',
    source: EC2,
    parts: [type, zone, dollars],
    what: `${type} in ${zone} costs $${dollars.toFixed(4)} an hour${words}`,
    more: { type, zone, dollars, before: before?.dollars ?? null },
  };
}

function standingHappening(one: SpotStanding, interruption: 'marked' | 'taken'): Happening {
  const { instanceId, type, zone, code, sinceMs } = one;
  const place = type === '' || zone === '' ? '' : ` (${type} in ${zone})`;
  const isMarked = interruption === 'marked';
  return {
    atMs: sinceMs,
    subject: instanceId,
    subjectKind: 'Machine',
    kind: isMarked ? 'spot-notice' : 'spot-interrupted',
    source: EC2,
    parts: [instanceId, interruption],
    what: isMarked
      ? `EC2 takes Spot Instance ${instanceId}${place} within two minutes (${code})`
      : `EC2 took Spot Instance ${instanceId}${place} (${code})`,
    more: { notice: isMarked ? 'interruption' : null, instanceId, type, zone, code },
  };
}

function noticeHappening(
  name: string,
  { instanceId, type, zone, uid }: SpotNode,
  { kind, sinceMs, shownBy }: NonNullable<SpotNode['notice']>,
): Happening {
  const isRebalance = kind === 'rebalance';
  const what = isRebalance ? 'EC2 recommends to replace' : 'EC2 takes';
  return {
    atMs: sinceMs,
    subject: name,
    subjectKind: 'Node',
    uid,
    kind: 'spot-notice',
    source: 'node',
    parts: [uid, kind, sinceMs],
    what: `${what} the Spot Instance of Node ${name} (${shownBy})`,
    more: { notice: isRebalance ? 'rebalance' : 'interruption', instanceId, type, zone },
  };
}
