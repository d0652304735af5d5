import { at, type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import { isoMs } from '../../evidence/time.ts';
import { ChangeList, type Changes, type Notes } from './change.ts';
import type { SeenObjects } from './seen.ts';

const PREFIX = 'machine/';

/**
 * What happened to the instances since they were noted.
 *
 * @param isWhole false where AWS was not asked, or did not answer for all of them
 */
export function machineChanges(seen: SeenObjects, notes: Notes, isWhole: boolean): Changes {
  const list = new ChangeList();
  const ids = new Set<string>();
  for (const instance of seen.instances ?? []) {
    const id = textAt(instance, 'InstanceId') ?? '';
    if (ids.has(id)) continue;
    ids.add(id);
    addMachine(list, instance, id, notes.get(PREFIX + id));
  }
  if (!isWhole) return list;
  for (const [id, note] of notes)
    if (id.startsWith(PREFIX) && !ids.has(id.slice(PREFIX.length))) addGone(list, id, note);
  return list;
}

function addMachine(
  list: ChangeList,
  instance: JsonObject,
  id: string,
  before: Json | undefined,
): void {
  const launched = textAt(instance, 'LaunchTime');
  const state = textAt(instance, 'state');
  if (launched !== null && textAt(before, 'launched') !== launched)
    addLaunched(list, instance, id, { launched, isAgain: before !== undefined });
  if (state !== null && textAt(before, 'state') !== state)
    addState(list, instance, id, { state, changes: Number(at(before, 'changes') ?? 0) });
  if (
    before !== undefined &&
    textAt(before, 'launched') === launched &&
    textAt(before, 'state') === state
  )
    return;
  const changes = Number(at(before, 'changes') ?? -1) + 1;
  list.notes.set(PREFIX + id, { launched, state, changes });
}

const MACHINE = { subjectKind: 'Machine', source: 'ec2' } as const;

function addLaunched(
  list: ChangeList,
  instance: JsonObject,
  id: string,
  { launched, isAgain }: { readonly launched: string; readonly isAgain: boolean },
): void {
  const type = textAt(instance, 'InstanceType') ?? 'machine';
  const lifecycle = textAt(instance, 'InstanceLifecycle');
  const zone = textAt(instance, 'zone');
  const image = textAt(instance, 'ImageId');
  const where = zone === null ? '' : ` in ${zone}`;
  const from = image === null ? '' : ` from ${image}`;
  list.add({
    ...MACHINE,
    atMs: isoMs(launched),
    subject: id,
    kind: 'machine-launched',
    parts: [id, launched],
    what: `${isAgain ? 'started again' : 'launched'}: ${lifecycle === null ? '' : `${lifecycle} `}${type}${where}${from}`,
    more: { type, zone, image, lifecycle, dns: textAt(instance, 'PrivateDnsName') },
  });
}

/** EC2 writes when and by whom: `User initiated (2026-05-01 10:00:00 GMT)`. */
function transitionMs(reason: string | null): number | null {
  const match = /\((\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) (?:GMT|UTC)\)/.exec(reason ?? '');
  return match === null ? null : isoMs(`${match[1]}T${match[2]}Z`);
}

function addState(
  list: ChangeList,
  instance: JsonObject,
  id: string,
  { state, changes }: { readonly state: string; readonly changes: number },
): void {
  const reason = textAt(instance, 'StateTransitionReason');
  const why = textAt(instance, 'why');
  const isEnding = state !== 'running' && state !== 'pending';
  const told = [why, reason].filter((text) => text !== null && text !== '').join('; ');
  list.add({
    ...MACHINE,
    atMs: isEnding ? transitionMs(reason) : null,
    subject: id,
    kind: 'machine-state',
    parts: [id, state, textAt(instance, 'LaunchTime'), isEnding ? reason : changes],
    what: `instance is ${state}${isEnding && told !== '' ? `: ${told}` : ''}`,
    more: { state, reason, why },
  });
}

/** EC2 forgets an instance about an hour after it ended. */
function addGone(list: ChangeList, id: string, note: Json): void {
  const instance = id.slice(PREFIX.length);
  list.notes.set(id, null);
  if (textAt(note, 'state') === 'terminated') return;
  list.add({
    ...MACHINE,
    atMs: null,
    subject: instance,
    kind: 'machine-gone',
    parts: [instance, textAt(note, 'launched')],
    what: `EC2 no longer lists instance ${instance}`,
  });
}
