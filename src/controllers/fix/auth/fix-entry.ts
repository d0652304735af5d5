import { at, isObject, type JsonObject, textAt } from '../../../evidence/json.ts';
import type { AwsAction } from '../../../ports/aws-action.ts';
import type { AwsApi } from '../../../ports/aws-api.ts';
import { askForAll, askForOne } from '../aws-read.ts';
import type { FixOrder, FixStep, FixTools } from '../fix.ts';
import { orRefused, outcomeOf, plainStep, withRetries } from '../step.ts';
import { decideEntry, decidePolicy, deleteCommand, type EntryQuestion } from './decide-entry.ts';

export interface EntryOrder extends FixOrder, EntryQuestion {}

/** What a person needs to take an entry away again; Rollcall deletes none. */
export const ENTRY_NOTE = 'access-entry';

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

async function seenEntry(
  aws: AwsApi,
  { cluster, role }: EntryQuestion,
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
  if (decision.do === 'refuse')
    return { ...plainStep(name, 'refused', decision.why), commands: decision.commands };
  const { diff, input } = decision;
  if (order.isDryRun) {
    const why = 'AWS cannot check this beforehand; nothing was sent.';
    return { ...plainStep(name, 'would-write', why), diff };
  }
  await tools.keep({ kind: ENTRY_NOTE, command: deleteCommand(order) });
  const isThere = async (): Promise<boolean> => (await seenEntry(aws, order)) !== null;
  const action = actionOf(order, 'CreateAccessEntry', input, null);
  const { outcome, why } = await tools.performAws(action, isThere);
  if (outcome !== 'done') return { ...plainStep(name, outcomeOf(outcome), why), diff };
  return { ...(await verified(order, aws, tools)), diff };
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
    undo: { text: 'Delete the access entry', command: deleteCommand(order) },
  };
}

/** An entry that was made is listed a moment later. */
const SHOWN_AFTER_MS = [0, 1000, 2000, 4000];

async function verified(order: EntryOrder, aws: AwsApi, { clock }: FixTools): Promise<FixStep> {
  const name = `access entry of ${order.role}`;
  for (const delayMs of SHOWN_AFTER_MS) {
    if (delayMs > 0) await clock.sleep(delayMs);
    const decision = decideEntry(await seenEntry(aws, order), order);
    if (decision.do === 'nothing')
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
  const diff = [`+ ${textAt(input, 'policyArn') ?? ''} for the whole cluster`];
  if (order.isDryRun)
    return { ...plainStep(name, 'would-write', 'AWS cannot check this beforehand.'), diff };
  const isThere = async (): Promise<boolean> =>
    decidePolicy(await policies(), order, aws.partition) === null;
  const action = actionOf(order, 'AssociateAccessPolicy', input, {});
  const { outcome, why } = await tools.performAws(action, isThere);
  const ended = outcome === 'done' ? 'written' : outcomeOf(outcome);
  return { ...plainStep(name, ended, why), diff };
}

async function policiesOf(
  aws: AwsApi,
  { cluster, role }: EntryQuestion,
): Promise<readonly JsonObject[]> {
  const input = { clusterName: cluster, principalArn: role };
  const call = { service: 'eks', operation: 'ListAssociatedAccessPolicies', input } as const;
  return await askForAll(aws, call, 'associatedAccessPolicies');
}
