import type { ChangeList } from './change.ts';

/** One machine by two of its names, for as long as this UID lives. */
export interface MachineLink {
  readonly node?: string;
  readonly claim?: string;
  /** UID of the Node or the claim. */
  readonly uid: string;
  readonly instance: string;
  readonly atMs: number | null;
}

/** Records that names belong together, so that either finds the other. */
export function addLink(list: ChangeList, { node, claim, uid, instance, atMs }: MachineLink): void {
  const name = node ?? claim ?? uid;
  const kind = node === undefined ? 'NodeClaim' : 'Node';
  const shared = { atMs, uid, kind: 'link', source: kind } as const;
  const more = { instance, uid, node: node ?? null, claim: claim ?? null };
  list.add({
    ...shared,
    subject: instance,
    subjectKind: 'Machine',
    parts: [instance, uid],
    what: `${kind} ${name} belongs to this machine`,
    more,
  });
  list.add({
    ...shared,
    subject: name,
    subjectKind: kind,
    parts: [name, uid, instance],
    what: `its machine is ${instance}`,
    more,
  });
}
