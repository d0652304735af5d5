import { isReady, type NodeView } from '../objects/node.ts';

export type ZoneState = 'normal' | 'partial' | 'full';

/** Of `--unhealthy-zone-threshold`. */
const UNHEALTHY_SHARE = 0.55;
/** Of `--large-cluster-size-threshold`. */
const LARGE_ZONE = 50;
/** Nodes a second: `--node-eviction-rate` and `--secondary-node-eviction-rate`. */
const EVICTION_RATE = 0.1;
const SECONDARY_RATE = 0.01;
/** A zone with fewer unready nodes is never called partly disrupted. */
const UNHEALTHY_MIN = 3;

/** ComputeZoneState of the node lifecycle controller. */
export function zoneState(ready: number, unready: number): ZoneState {
  if (unready > 0 && ready === 0) return 'full';
  const share = unready / (ready + unready);
  return unready >= UNHEALTHY_MIN && share >= UNHEALTHY_SHARE ? 'partial' : 'normal';
}

/** How many nodes a second get the taint of effect NoExecute in a zone. */
export function evictionRate(state: ZoneState, nodes: number): number {
  if (state !== 'partial') return EVICTION_RATE;
  return nodes > LARGE_ZONE ? SECONDARY_RATE : 0;
}

export interface Zones {
  readonly sizes: ReadonlyMap<string, number>;
  readonly states: ReadonlyMap<string, ZoneState>;
  /** Nothing is evicted anywhere while every zone is down: the fault may be on this side. */
  readonly areAllDown: boolean;
}

export function zoneOf(node: NodeView): string {
  const { labels } = node;
  const region = labels['topology.kubernetes.io/region'] ?? '';
  return `${region}/${labels['topology.kubernetes.io/zone'] ?? ''}`;
}

export function zonesOf(nodes: Iterable<NodeView>): Zones {
  const counts = new Map<string, { ready: number; unready: number }>();
  for (const node of nodes) {
    const zone = zoneOf(node);
    const count = counts.get(zone) ?? { ready: 0, unready: 0 };
    if (isReady(node)) count.ready++;
    else count.unready++;
    counts.set(zone, count);
  }
  const states = new Map<string, ZoneState>();
  const sizes = new Map<string, number>();
  for (const [zone, { ready, unready }] of counts) {
    states.set(zone, zoneState(ready, unready));
    sizes.set(zone, ready + unready);
  }
  const all = [...states.values()];
  return { sizes, states, areAllDown: all.length > 0 && all.every((state) => state === 'full') };
}
