import { isEqual } from '../../../evidence/equal.ts';
import { at, isObject, type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import { shellWord } from '../../../domain/words.ts';
import type { AwsAction } from '../../../ports/aws-action.ts';
import type { AwsApi } from '../../../ports/aws-api.ts';
import type { FixOrder, FixStep, FixTools, UndoNote } from '../fix.ts';
import { orRefused, outcomeOf, plainStep } from '../step.ts';
import { AUTO_NODE_POLICY, deleteCommand, type EntryPlace } from './decide-entry.ts';
import {
  ENTRY_NOTE,
  policiesOf,
  POLICY_NOTE,
  policyStateOf,
  seenEntry,
  stateOf,
} from './fix-entry.ts';

/** What a fix noted of an entry or a policy last, once for each; other notes stay as they are. */
export function lastOfEach(notes: readonly UndoNote[]): readonly UndoNote[] {
  const keys = notes.map((note) => {
    const kind = textAt(note, 'kind');
    const isOnce = kind === ENTRY_NOTE || kind === POLICY_NOTE;
    return isOnce ? `${kind} ${textAt(note, 'role') ?? ''}` : null;
  });
  return notes.filter((_, index) => {
    const key = keys[index] ?? null;
    return key === null || !keys.includes(key, index + 1);
  });
}

interface Undo extends EntryPlace {
  readonly note: UndoNote;
  readonly order: FixOrder;
  readonly aws: AwsApi;
  readonly tools: FixTools;
}

type Attempt = (undo: Undo) => Promise<FixStep>;

async function guarded(
  name: string,
  attempt: Attempt,
  { note, order, tools }: Pick<Undo, 'note' | 'order' | 'tools'>,
): Promise<FixStep> {
  const { aws } = tools;
  if (aws === null) return plainStep(name, 'refused', 'AWS could not be opened.');
  const place = { cluster: textAt(note, 'cluster') ?? '', role: textAt(note, 'role') ?? '' };
  return await orRefused(name, async () => attempt({ ...place, note, order, aws, tools }));
}

/**
 * Deletes the access entry that a fix made, where it still is that one and as it was made, and
 * nobody gave it a policy since. EKS has no condition on a version, so it is read right before.
 */
export async function undoEntry(
  note: UndoNote,
  order: FixOrder,
  tools: FixTools,
): Promise<FixStep> {
  return await guarded(entryName(note), deleted, { note, order, tools });
}

/** Takes the policy from an entry that a fix associated, where it still is as it was. */
export async function undoPolicy(
  note: UndoNote,
  order: FixOrder,
  tools: FixTools,
): Promise<FixStep> {
  return await guarded(policyName(note), disassociated, { note, order, tools });
}

function entryName(note: UndoNote): string {
  return `access entry of ${textAt(note, 'role') ?? ''}`;
}

function policyName(note: UndoNote): string {
  return `access policy of ${textAt(note, 'role') ?? ''}`;
}

async function deleted(undo: Undo): Promise<FixStep> {
  const { note, aws, cluster, role } = undo;
  const name = entryName(note);
  const seen = await seenEntry(aws, undo);
  if (seen === null) return plainStep(name, 'not-needed', 'There is no such access entry.');
  const foreign = await whyForeign(undo, seen);
  if (foreign !== null) return { ...foreign, commands: [deleteCommand(undo)] };
  const type = textAt(seen, 'type') ?? '';
  const isGone = async (): Promise<boolean> => (await seenEntry(aws, undo)) === null;
  return await sent(undo, {
    name,
    diff: [
      `- access entry of cluster ${cluster}`,
      `-   principalArn: ${role}`,
      `-   type: ${type}`,
    ],
    action: actionOf(undo, 'DeleteAccessEntry', { clusterName: cluster, principalArn: role }, seen),
    isGone,
  });
}

/** Why an entry is not deleted; null where it is the one that was made. */
async function whyForeign(undo: Undo, seen: JsonObject): Promise<FixStep | null> {
  const { note, aws, order } = undo;
  const name = entryName(note);
  const made = at(note, 'made');
  if (!isObject(made)) return plainStep(name, 'refused', UNSURE);
  const diff = difference(made, stateOf(seen));
  if (diff.length > 0) return { ...plainStep(name, 'refused', CHANGED), diff };
  const policies = (await policiesOf(aws, undo)).map((one) => textAt(one, 'policyArn') ?? '');
  // A dry run has not taken the policy of the fix itself away.
  const others = policies.filter((arn) => !order.isDryRun || !arn.endsWith(`/${AUTO_NODE_POLICY}`));
  if (others.length === 0) return null;
  return { ...plainStep(name, 'refused', WITH_POLICIES), diff: others.map((arn) => `+ ${arn}`) };
}

const UNSURE =
  'The run that made it, if it did, ended before it was read, so it may be of somebody else. Delete it yourself where it is not.';
const CHANGED = 'Somebody changed it since, so it stays.';
const WITH_POLICIES = 'Somebody gave it a policy since, so it stays.';

/** Members that are not as they were noted, as lines. */
function difference(noted: JsonObject, now: JsonObject): readonly string[] {
  return Object.entries(now).flatMap(([name, value]) => {
    const before = noted[name] ?? null;
    if (isEqual(before, value)) return [];
    return [`- ${name}: ${shown(before)}`, `+ ${name}: ${shown(value)}`];
  });
}

function shown(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function disassociated(undo: Undo): Promise<FixStep> {
  const { note, aws, cluster, role } = undo;
  const name = policyName(note);
  const policyArn = textAt(note, 'policyArn') ?? '';
  const found = async (): Promise<JsonObject | undefined> =>
    (await policiesOf(aws, undo)).find((one) => textAt(one, 'policyArn') === policyArn);
  const seen = (await seenEntry(aws, undo)) === null ? undefined : await found();
  if (seen === undefined) return plainStep(name, 'not-needed', 'It is not associated.');
  const made = at(note, 'made');
  if (!isObject(made)) return plainStep(name, 'refused', UNSURE);
  const diff = difference(made, policyStateOf(seen));
  if (diff.length > 0) return { ...plainStep(name, 'refused', CHANGED), diff };
  const input = { clusterName: cluster, principalArn: role, policyArn };
  return await sent(undo, {
    name,
    diff: [`- ${policyArn} for the whole cluster`],
    action: actionOf(undo, 'DisassociateAccessPolicy', input, seen),
    isGone: async () => (await found()) === undefined,
  });
}

interface Removal {
  readonly name: string;
  readonly diff: readonly string[];
  readonly action: AwsAction;
  readonly isGone: () => Promise<boolean>;
}

async function sent(
  { order, tools }: Undo,
  { name, diff, action, isGone }: Removal,
): Promise<FixStep> {
  if (order.isDryRun) {
    const why = 'AWS cannot check this beforehand; nothing was sent.';
    return { ...plainStep(name, 'would-write', why), diff };
  }
  const { outcome, why, failure } = await tools.performAws(action, isGone);
  if (failure === 'not-found')
    return plainStep(name, 'not-needed', 'Somebody took it away at the same moment.');
  if (outcome !== 'done') return { ...plainStep(name, outcomeOf(outcome), why), diff };
  for (const delayMs of SHOWN_AFTER_MS) {
    await tools.clock.sleep(delayMs);
    if (await isGone()) return { ...plainStep(name, 'written', GONE), diff };
  }
  return { ...plainStep(name, 'unclear', `${why} Reading still shows it.`), diff };
}

const GONE = 'It is gone, as reading shows.';
/** What was taken away is listed a moment longer. */
const SHOWN_AFTER_MS = [0, 1000, 2000, 4000];

function actionOf(
  { order, cluster, role, note }: Undo,
  operation: string,
  input: JsonObject,
  seen: JsonObject,
): AwsAction {
  const type = textAt(note, 'type') ?? 'auto';
  const again = `rollcall fix auth --yes --cluster ${shellWord(cluster)} --role ${shellWord(role)} --node-type ${type}`;
  return {
    id: `${order.id}-${operation}`,
    object: { kind: 'AccessEntry', name: role, seen },
    call: { service: 'eks', operation, input },
    why: order.why,
    askedBy: 'fix undo',
    undo: { text: 'Let the role in again', command: again },
  };
}
