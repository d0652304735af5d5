import { linkKeys, type MachineName } from '../evidence/names.ts';
import type { Observations } from '../evidence/observations.ts';

const HOST_KINDS: ReadonlySet<MachineName['kind']> = new Set(['host', 'private-dns', 'node']);

/** Names that an archive gives to the machine that it was made on. */
interface Archive {
  readonly ids: Map<string, MachineName>;
  readonly hosts: Map<string, MachineName>;
}

/**
 * The instance id that a collector wrote into its archive, with the one host whose logs are in it:
 * they are one machine. An archive with logs of several hosts proves nothing.
 */
export function archiveLinks({
  documents,
  hits,
}: Observations): readonly (readonly MachineName[])[] {
  const archives = new Map<string, Archive>();
  for (const { container, machines } of documents) {
    const ids = machines.filter(({ kind }) => kind === 'instance-id');
    if (container === null || ids.length === 0) continue;
    const archive = archives.get(container) ?? { ids: new Map(), hosts: new Map() };
    for (const id of ids) archive.ids.set(id.value, id);
    archives.set(container, archive);
  }
  for (const { about, onMachine, document } of hits) {
    const archive = archives.get(documents[document]?.container ?? '');
    if (!onMachine || about === null || !HOST_KINDS.has(about.kind)) continue;
    archive?.hosts.set(linkKeys(about)[0] ?? about.value, about);
  }
  return [...archives.values()]
    .filter(({ ids, hosts }) => ids.size === 1 && hosts.size === 1)
    .map(({ ids, hosts }) => [...ids.values(), ...hosts.values()]);
}
