import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { Action } from '../../../ports/action.ts';
import { type FixOrder, type FixStep, type FixTools, undoCommand } from '../fix.ts';
import { lastWriterOf } from '../last-writer.ts';
import { orRefused, outcomeOf, plainStep, withRetries } from '../step.ts';
import { AWS_AUTH, awsAuthNamed, awsAuthObject, readAwsAuth } from './config-map.ts';
import { covers, decideMap, type MapDecision, mappedBy } from './decide-map.ts';
import { lostByWriter } from './lost-by.ts';
import type { MapEditor } from './map-editor.ts';
import type { RoleMapping } from './node-mapping.ts';

export interface MapOrder extends FixOrder {
  readonly mapping: RoleMapping;
  readonly editor: MapEditor;
  /** The controller, or the command that was typed. */
  readonly askedBy?: string;
  /** True where an entry that the role has by now is left alone, whatever it gives. */
  readonly isMissing?: boolean;
}

/** What takes an entry of aws-auth out again. */
export const MAP_NOTE = 'aws-auth-entry';

/**
 * Maps a role in aws-auth. The write carries the version that was read; where somebody else wrote
 * meanwhile, it is read and decided again. What was written is read back.
 */
export async function fixMap(order: MapOrder, tools: FixTools): Promise<FixStep> {
  return await withRetries(tools, async () =>
    orRefused(AWS_AUTH, async () => attempt(order, tools)),
  );
}

async function attempt(order: MapOrder, tools: FixTools): Promise<FixStep> {
  const configMap = await readAwsAuth(tools.kube);
  const decision = decideMap(configMap, order.mapping, order.editor);
  if (order.isMissing === true && decision.do === 'edit' && isMapped(order, configMap))
    return plainStep(AWS_AUTH, 'refused', 'The role has another entry by now, which stays.');
  if (decision.do === 'nothing') return plainStep(AWS_AUTH, 'not-needed', decision.why);
  if (decision.do === 'refuse') return plainStep(AWS_AUTH, 'refused', decision.why);
  if (!order.isDryRun) await tools.keep(noteOf(order, decision));
  const { outcome, why } = await tools.perform(actionOf(order, configMap, decision));
  const shown = { diff: decision.diff, lostBy: [lostByWriter(configMap)] };
  if (outcome !== 'done') return { ...plainStep(AWS_AUTH, outcomeOf(outcome), why), ...shown };
  if (order.isDryRun) return { ...plainStep(AWS_AUTH, 'would-write', why), ...shown };
  return { ...(await verified(order, tools)), ...shown };
}

function isMapped({ mapping, editor }: MapOrder, configMap: JsonObject | null): boolean {
  const roles = editor.readRoles(textAt(configMap ?? undefined, 'data.mapRoles') ?? '');
  return roles.ok && mappedBy(roles.entries, mapping.arn) !== null;
}

type Change = Extract<MapDecision, { do: 'create' | 'edit' }>;

function noteOf({ mapping }: MapOrder, { inserted }: Change): JsonObject {
  return { kind: MAP_NOTE, arn: mapping.arn, inserted };
}

function actionOf(
  { id, why, mapping, askedBy = 'fix auth' }: MapOrder,
  configMap: JsonObject | null,
  { mapRoles }: Change,
): Action {
  const version = textAt(configMap ?? undefined, 'metadata.resourceVersion') ?? 'new';
  return {
    id: `${id}/aws-auth/${version}`,
    object: awsAuthObject(configMap),
    write:
      configMap === null
        ? { verb: 'create', object: awsAuthNamed(mapRoles) }
        : {
            verb: 'patch',
            patch: { type: 'merge', change: { data: { mapRoles } } },
            requires: 'same-version',
          },
    why,
    askedBy,
    undo: { text: `Take the entry of ${mapping.arn} out again`, command: undoCommand(id) },
  };
}

async function verified({ mapping, editor }: MapOrder, tools: FixTools): Promise<FixStep> {
  const configMap = await readAwsAuth(tools.kube);
  const roles = editor.readRoles(textAt(configMap ?? undefined, 'data.mapRoles') ?? '');
  const entry = roles.ok ? mappedBy(roles.entries, mapping.arn) : null;
  if (entry !== null && covers(entry, mapping)) {
    const version = textAt(configMap ?? undefined, 'metadata.resourceVersion') ?? '';
    const why = `aws-auth maps ${mapping.arn} as a node, as reading version ${version} shows.`;
    return plainStep(AWS_AUTH, 'written', why);
  }
  const writer = lastWriterOf(configMap);
  const by = writer === null ? 'another program' : writer;
  const why = `The entry was written and is gone again: ${by} wrote aws-auth after it. Add the role there, or move to access entries.`;
  return plainStep(AWS_AUTH, 'overwritten', why);
}
