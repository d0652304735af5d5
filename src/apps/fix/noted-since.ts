import { textAt } from '../../evidence/json.ts';
import type { FixSession } from './session.ts';

/** How many objects a fix has taken away since a moment, or may have, by the records of this machine. */
export async function notedSince(
  { ids, notesOf }: FixSession,
  { fix, kind }: { readonly fix: string; readonly kind: string },
  sinceMs: number,
): Promise<number> {
  let count = 0;
  for (const id of await ids()) {
    if (!id.startsWith(`${fix}-`)) continue;
    const notes = (await notesOf(id)) ?? [];
    count += notes.filter(
      (note) => textAt(note, 'kind') === kind && Number(textAt(note, 'atMs') ?? 0) > sinceMs,
    ).length;
  }
  return count;
}
