import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { Action } from '../../../ports/action.ts';
import type { FixOrder, FixStep, FixTools, UndoNote } from '../fix.ts';
import { orRefused, outcomeOf, plainStep, withRetries } from '../step.ts';
import { AWS_AUTH, awsAuthObject, readAwsAuth } from './config-map.ts';
import { entryDiff } from './entry-diff.ts';
import type { MapEditor } from './map-editor.ts';

/**
 * Takes an entry of aws-auth out again, where it still is there as it was written, whatever others
 * wrote around it meanwhile.
 */
export async function undoMap(
  note: UndoNote,
  order: FixOrder,
  { tools, editor }: { readonly tools: FixTools; readonly editor: MapEditor },
): Promise<FixStep> {
  return await withRetries(tools, async () =>
    orRefused(AWS_AUTH, async () => attempt(note, order, tools, editor)),
  );
}

async function attempt(
  note: UndoNote,
  order: FixOrder,
  tools: FixTools,
  editor: MapEditor,
): Promise<FixStep> {
  const configMap = await readAwsAuth(tools.kube);
  const text = textAt(configMap ?? undefined, 'data.mapRoles') ?? '';
  const inserted = textAt(note, 'inserted') ?? '';
  if (configMap === null || !text.includes(inserted))
    return plainStep(AWS_AUTH, 'not-needed', 'The entry is not there as it was written.');
  const left = editor.withoutInserted(text, inserted);
  if (left === null) {
    const why = 'Without the entry the others would be read in another way; remove it by hand.';
    return plainStep(AWS_AUTH, 'refused', why);
  }
  const { outcome, why } = await tools.perform(actionOf(note, order, configMap, left));
  const diff = entryDiff(text, inserted, '-');
  if (outcome !== 'done') return { ...plainStep(AWS_AUTH, outcomeOf(outcome), why), diff };
  return { ...plainStep(AWS_AUTH, order.isDryRun ? 'would-write' : 'written', why), diff };
}

function actionOf(
  note: UndoNote,
  { id, why }: FixOrder,
  configMap: JsonObject,
  mapRoles: string,
): Action {
  const version = textAt(configMap, 'metadata.resourceVersion') ?? '';
  const role = textAt(note, 'arn') ?? '<node-role-arn>';
  return {
    id: `${id}/undo/${version}`,
    object: awsAuthObject(configMap),
    write: {
      verb: 'patch',
      patch: { type: 'merge', change: { data: { mapRoles } } },
      requires: 'same-version',
    },
    why,
    askedBy: 'fix undo',
    undo: { text: 'Map the role again', command: `rollcall fix auth --yes --role ${role}` },
  };
}
