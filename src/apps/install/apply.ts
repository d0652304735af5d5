import { type JsonObject, textAt } from '../../evidence/json.ts';
import { resourceOf } from '../../manifests/kinds.ts';
import type { Action, ActionObject } from '../../ports/action.ts';
import type { Performed } from '../../runtime/perform.ts';
import { found, type Session } from './session.ts';

const INSTALL = 'install';
/** Another's change between reading and writing is seen by reading again. */
const TRIES = 3;

/** `Deployment rollcall/rollcall-gate` */
export function nameOf({ resource, namespace, name }: ActionObject): string {
  return `${resource.kind} ${namespace === null ? name : `${namespace}/${name}`}`;
}

/** What is known of an object of an installation. @throws PortError where that cannot be read */
export async function seenObject(session: Session, object: JsonObject): Promise<ActionObject> {
  const resource = resourceOf(object);
  const namespace = textAt(object, 'metadata.namespace');
  const name = textAt(object, 'metadata.name') ?? '';
  const there = await found(async () => session.api.get(resource, { namespace, name }));
  const uid = textAt(there ?? undefined, 'metadata.uid');
  const resourceVersion = textAt(there ?? undefined, 'metadata.resourceVersion');
  const seen = uid === null || resourceVersion === null ? null : { uid, resourceVersion };
  return { resource, namespace, name, seen };
}

function applyAction(object: ActionObject, content: JsonObject, isForced: boolean): Action {
  const isNew = object.seen === null;
  return {
    id: `${INSTALL}/${nameOf(object)}/${object.seen?.resourceVersion ?? 'new'}`,
    object,
    write: {
      verb: 'patch',
      patch: { type: 'apply', object: content, isForced },
      requires: 'same-version',
    },
    why: {
      kind: 'request',
      name: INSTALL,
      text: isNew ? 'it is not there' : 'it is to be as given',
    },
    askedBy: INSTALL,
    undo: { text: 'Remove the installation', command: 'rollcall uninstall' },
  };
}

function wordOf({ seen }: ActionObject, { object }: Performed): string {
  if (seen === null) return 'created';
  const version = textAt(object ?? undefined, 'metadata.resourceVersion');
  return version === seen.resourceVersion ? 'unchanged' : 'changed';
}

async function applyOne(
  session: Session,
  content: JsonObject,
  isForced: boolean,
): Promise<boolean> {
  let why = '';
  for (let tries = 0; tries < TRIES; tries += 1) {
    const object = await seenObject(session, content);
    const done = await session.perform(applyAction(object, content, isForced));
    if (done.outcome === 'done') {
      session.say(`${nameOf(object)}: ${wordOf(object, done)}`);
      return true;
    }
    why = `${nameOf(object)}: ${done.why}`;
    if (done.outcome !== 'conflict') break;
  }
  session.say(why);
  return false;
}

/**
 * Applies objects in their order, each only as it was seen right before.
 *
 * @returns how many could not be applied
 * @throws PortError where one cannot be read
 */
export async function applyAll(
  session: Session,
  objects: readonly JsonObject[],
  isForced: boolean,
): Promise<number> {
  let failed = 0;
  for (const object of objects) if (!(await applyOne(session, object, isForced))) failed += 1;
  return failed;
}
