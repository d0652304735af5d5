import type { PlannedGroup } from '../domain/planned/groups.ts';
import type { PlannedMachine } from '../domain/planned/machine.ts';
import { freeIn } from '../domain/planned/room.ts';
import type { Planned } from '../evidence/planned.ts';
import { freeBlocksOf, subnetOf } from './subnet.ts';

/** What the subnets of a group have for machines and pods, before anything is launched. */
export interface PlannedRoom {
  readonly subnets: readonly Planned<'aws/subnet'>[];
  /** Free addresses of all of them. */
  readonly addresses: number;
  /** Aligned /28 blocks of all of them. */
  readonly blocks: number;
}

/** Counts the subnets of a group; null unless the plan makes every one of them. */
export function prefixRoom(
  { subnets: named }: PlannedGroup,
  { subnets }: PlannedMachine,
): PlannedRoom | null {
  if (named === null || named.length === 0 || subnets.length < named.length) return null;
  const nothing = { addresses: [], blocks: [] };
  const rooms = subnets.map((subnet) => {
    const range = subnet.change === 'create' ? subnetOf(subnet.value) : null;
    const free = freeIn(subnet);
    return range === null || free === null
      ? null
      : { free, blocks: Math.max(0, freeBlocksOf(range.cidr, nothing)) };
  });
  const known = rooms.filter((room) => room !== null);
  if (known.length < rooms.length) return null;
  const sumOf = (counts: readonly number[]): number => counts.reduce((sum, one) => sum + one, 0);
  return {
    subnets,
    addresses: sumOf(known.map(({ free }) => free)),
    blocks: sumOf(known.map(({ blocks }) => blocks)),
  };
}
