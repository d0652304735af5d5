import type { Observations } from '../../evidence/observations.ts';
import type { RollCallDocument, RollCallRow } from './document.ts';

/**
 * False where a machine may be missing in a roll call, as Nodes or instances could not be listed.
 *
 * @param hasAws true where AWS is asked too
 */
export function areRowsWhole(
  { listings, collection }: Pick<Observations, 'listings' | 'collection'>,
  hasAws: boolean,
): boolean {
  const areNodesListed = listings.some(({ kind }) => kind === 'kube/Node');
  const refusals = collection?.refusals ?? [];
  return (
    areNodesListed && !(hasAws && refusals.some(({ call }) => call === 'ec2:DescribeInstances'))
  );
}

function identityOf({ name, instanceId }: RollCallRow): string {
  return instanceId ?? name;
}

/** A roll call in which machines may be missing, with those of the one before. */
export function withUnread(
  previous: RollCallDocument | null,
  next: RollCallDocument,
): RollCallDocument {
  const known = new Set(next.rows.map(identityOf));
  const unread = (previous?.rows ?? []).filter((row) => !known.has(identityOf(row)));
  return unread.length === 0 ? next : { ...next, rows: [...next.rows, ...unread] };
}
