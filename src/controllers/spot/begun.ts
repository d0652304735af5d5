import { at, type Json, listAt, textAt } from '../../evidence/json.ts';
import type { BegunAct } from './facts.ts';

/** As it is noted, so that another start of the program continues from there. */
export function begunNote(begun: readonly BegunAct[]): Json {
  return { begun: begun.map((act) => ({ ...act })) };
}

/** What is noted; an entry that is none is left out. */
export function begunIn(note: Json | undefined): readonly BegunAct[] {
  return listAt(note, 'begun').flatMap((one) => {
    const [rule, uid, node] = ['rule', 'uid', 'node'].map((key) => textAt(one, key));
    const atMs = at(one, 'atMs');
    return rule && uid && node && typeof atMs === 'number' ? [{ rule, uid, node, atMs }] : [];
  });
}
