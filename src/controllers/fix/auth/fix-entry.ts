import { at, isObject, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import type { AwsAction } from '../../../ports/aws-action.ts';
import type { AwsApi } from '../../../ports/aws-api.ts';
import { askForAll, askForOne } from '../aws-read.ts';
import { type FixOrder, type FixStep, type FixTools, undoCommand, type UndoNote } from '../fix.ts';
import { orRefused, outcomeOf, plainStep, withRetries } from '../step.ts';
import { decideEntry, decidePolicy, type EntryPlace, type EntryQuestion } from './decide-entry.ts';
import { type EntryChange, lostByEvents } from './lost-by.ts';

export interface EntryOrder extends FixOrder, EntryQuestion {}

/** What deletes an entry again; `made` is null until reading showed it. */
export const ENTRY_NOTE = 'access-entry';
/** The same of a policy. */
export const POLICY_NOTE = 'access-policy';

/**
 * Gives a role an access entry, where it has none, and the policy that its type needs. A run that
 * ended between the two is completed by the next one.
 */
export async function fixEntry(order: EntryOrder, tools: FixTools): Promise<readonly FixStep[]> {
  const { aws } = tools;
  const name = `access entry of ${order.role}`;
  if (aws === null)
    return [plainStep(name, 'refused', 'AWS could not be opened, so no access entry is made.')];
  const made = await withRetries(tools, async () =>
    orRefused(name, async () => attempt(order, aws, tools)),
  );
  if (order.type !== 'auto' || made.outcome === 'refused' || made.outcome === 'unclear')
    return [made];
  const policy = await orRefused(name, async () => associate(order, aws, tools));
  return [made, policy];
}

/** The entry of a role; null where EKS says that it has none. @throws PortError */
export async function seenEntry(
  aws: AwsApi,
  { cluster, role }: EntryPlace,
): Promise<JsonObject | null> {
  const input = { clusterName: cluster, principalArn: role };
  const answer = await askForOne(aws, { service: 'eks', operation: 'DescribeAccessEntry', input });
  const entry = at(answer ?? undefined, 'accessEntry');
  return isObject(entry) ? entry : null;
}

async function attempt(order: EntryOrder, aws: AwsApi, tools: FixTools): Promise<FixStep> {
  const name = `access entry of ${order.role}`;
  const seen = await seenEntry(aws, order);
  const decision = decideEntry(seen, order);
  if (decision.do === 'nothing') return plainStep(name, 'not-needed', decision.why);
  const lostBy = await lostByEvents(aws, order, CHANGES[decision.do]);
  if (decision.do === 'refuse')
    return { ...plainStep(name, 'refused', decision.why), commands: decision.commands, lostBy };
  const { diff, input } = decision;
  if (order.isDryRun) {
    const why = 'AWS cannot check this beforehand; nothing was sent.';
    return { ...plainStep(name, 'would-write', why), diff, lostBy };
  }
  await tools.keep(noteOf(order, null));
  const isThere = async (): Promise<boolean> => (await seenEntry(aws, order)) !== null;
  const action = actionOf(order, 'CreateAccessEntry', input, null);
  const { outcome, why } = await tools.performAws(action, isThere);
  if (outcome !== 'done') return { ...plainStep(name, outcomeOf(outcome), why), diff, lostBy };
  return { ...(await verified(order, aws, tools)), diff, lostBy };
}

/** An entry of another type was made anew by somebody; one that is missing was deleted. */
const CHANGES: Readonly<Record<'create' | 'refuse', readonly EntryChange[]>> = {
  create: ['DeleteAccessEntry'],
  refuse: ['CreateAccessEntry'],
};

function noteOf({ cluster, role, type }: EntryOrder, made: JsonObject | null): UndoNote {
  return { kind: ENTRY_NOTE, cluster, role, type, made };
}

/** What tells whether an entry still is the one that was made, and as it was made. */
export function stateOf(entry: JsonObject): JsonObject {
  const groups = listAt(entry, 'kubernetesGroups').filter((group) => typeof group === 'string');
  return {
    arn: textAt(entry, 'accessEntryArn'),
    createdAt: textAt(entry, 'createdAt'),
    type: textAt(entry, 'type'),
    username: textAt(entry, 'username'),
    groups: groups.toSorted(),
  };
}

function actionOf(
  order: EntryOrder,
  operation: string,
  input: JsonObject,
  seen: JsonObject | null,
): AwsAction {
  return {
    id: `${order.id}-${operation}`,
    object: { kind: 'AccessEntry', name: order.role, seen },
    call: { service: 'eks', operation, input },
    why: order.why,
    askedBy: 'fix auth',
    undo: { text: 'Delete the access entry', command: undoCommand(order.id) },
  };
}

/** An entry that was made is listed a moment later. */
const SHOWN_AFTER_MS = [0, 1000, 2000, 4000];

async function verified(order: EntryOrder, aws: AwsApi, tools: FixTools): Promise<FixStep> {
  const name = `access entry of ${order.role}`;
  const { clock } = tools;
  for (const delayMs of SHOWN_AFTER_MS) {
    if (delayMs > 0) await clock.sleep(delayMs);
    const seen = await seenEntry(aws, order);
    if (seen === null || decideEntry(seen, order).do !== 'nothing') continue;
    await tools.keep(noteOf(order, stateOf(seen)));
    return plainStep(name, 'written', `${order.role} has its access entry, as reading shows.`);
  }
  return plainStep(name, 'unclear', 'EKS took the access entry and does not show it yet.');
}

async function associate(order: EntryOrder, aws: AwsApi, tools: FixTools): Promise<FixStep> {
  const name = `access policy of ${order.role}`;
  const policies = async (): Promise<readonly JsonObject[]> => policiesOf(aws, order);
  const seen = order.isDryRun ? [] : await policies();
  const input = decidePolicy(seen, order, aws.partition);
  if (input === null) return plainStep(name, 'not-needed', 'The policy is associated already.');
  const policyArn = textAt(input, 'policyArn') ?? '';
  const diff = [`+ ${policyArn} for the whole cluster`];
  if (order.isDryRun)
    return { ...plainStep(name, 'would-write', 'AWS cannot check this beforehand.'), diff };
  const { cluster, role } = order;
  const note = { kind: POLICY_NOTE, cluster, role, policyArn };
  await tools.keep({ ...note, made: null });
  const isThere = async (): Promise<boolean> =>
    decidePolicy(await policies(), order, aws.partition) === null;
  const action = actionOf(order, 'AssociateAccessPolicy', input, {});
  const { outcome, why } = await tools.performAws(action, isThere);
  if (outcome !== 'done') return { ...plainStep(name, outcomeOf(outcome), why), diff };
  const made = (await policies()).find((one) => textAt(one, 'policyArn') === policyArn);
  if (made !== undefined) await tools.keep({ ...note, made: policyStateOf(made) });
  return { ...plainStep(name, 'written', why), diff };
}

/** What tells whether a policy still is as it was associated. */
export function policyStateOf(policy: JsonObject): JsonObject {
  const scope = at(policy, 'accessScope') ?? null;
  const [associatedAt, modifiedAt] = [textAt(policy, 'associatedAt'), textAt(policy, 'modifiedAt')];
  return { associatedAt, modifiedAt, scope };
}

/** Policies of the entry of a role. @throws PortError */
export async function policiesOf(
  aws: AwsApi,
  { cluster, role }: EntryPlace,
): Promise<readonly JsonObject[]> {
  const input = { clusterName: cluster, principalArn: role };
  const call = { service: 'eks', operation: 'ListAssociatedAccessPolicies', input } as const;
  return await askForAll(aws, call, 'associatedAccessPolicies');
}
