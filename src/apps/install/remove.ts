import { at, isObject, type JsonObject, textAt } from '../../evidence/json.ts';
import { PART_OF, PRODUCT } from '../../manifests/objects.ts';
import { resourceOf } from '../../manifests/kinds.ts';
import type { Action, ActionObject } from '../../ports/action.ts';
import { nameOf } from './apply.ts';
import { found, type Session } from './session.ts';

const UNINSTALL = 'uninstall';

export interface Removal {
  /** True to remove the kinds too, and with them every gate and report. */
  readonly removesKinds: boolean;
}

/** The label tells that it is ours; a kind is known by its group. */
function isOurs(object: JsonObject): boolean {
  if (textAt(object, 'spec.group') === 'rollcall.dev') return true;
  const labels = at(object, 'metadata.labels');
  return isObject(labels) && labels[PART_OF] === PRODUCT;
}

function stays(object: JsonObject, { removesKinds }: Removal): boolean {
  const kind = textAt(object, 'kind');
  return kind === 'Namespace' || (kind === 'CustomResourceDefinition' && !removesKinds);
}

function deletion(object: ActionObject): Action {
  return {
    id: `${UNINSTALL}/${nameOf(object)}/${object.seen?.uid ?? ''}`,
    object,
    write: { verb: 'delete', requires: 'same-object', propagation: 'Background' },
    why: { kind: 'request', name: UNINSTALL, text: 'delete it' },
    askedBy: UNINSTALL,
    undo: { text: 'Install it again', command: 'rollcall install --yes' },
  };
}

async function removeOne(session: Session, wanted: JsonObject): Promise<boolean> {
  const resource = resourceOf(wanted);
  const namespace = textAt(wanted, 'metadata.namespace');
  const name = textAt(wanted, 'metadata.name') ?? '';
  const there = await found(async () => session.api.get(resource, { namespace, name }));
  if (there === null) return true;
  const uid = textAt(there, 'metadata.uid') ?? '';
  const resourceVersion = textAt(there, 'metadata.resourceVersion') ?? '';
  const object = { resource, namespace, name, seen: { uid, resourceVersion } };
  if (!isOurs(there)) {
    session.say(`${nameOf(object)}: left, as it has no label ${PART_OF}=${PRODUCT}`);
    return true;
  }
  const { outcome, why, failure } = await session.perform(deletion(object));
  const isDone = outcome === 'done' || failure === 'not-found';
  const word = session.isDryRun ? 'would delete it' : 'deleted';
  session.say(`${nameOf(object)}: ${isDone ? word : why}`);
  return isDone;
}

/**
 * Deletes objects of an installation from the last to the first, only those that are ours.
 *
 * @returns how many could not be deleted
 * @throws PortError where one cannot be read
 */
export async function removeAll(
  session: Session,
  objects: readonly JsonObject[],
  removal: Removal,
): Promise<number> {
  let failed = 0;
  for (const object of objects.toReversed())
    if (!stays(object, removal) && !(await removeOne(session, object))) failed += 1;
  return failed;
}
