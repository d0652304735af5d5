import { at, isObject, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import type { AwsAction } from '../../../ports/aws-action.ts';
import type { AwsApi } from '../../../ports/aws-api.ts';
import { askOnce } from '../aws-read.ts';
import { type FixOrder, type FixStep, type FixTools, undoCommand, type UndoNote } from '../fix.ts';
import { orRefused, outcomeOf, plainStep } from '../step.ts';

/** Causes that another hop mends. */
export const HOP_LIMIT_CAUSES: ReadonlySet<string> = new Set(['imds-hop-limit-too-low']);
/** What sets the limit back. */
export const HOP_LIMIT_NOTE = 'imds-hop-limit';
/** A pod's network namespace is one hop more than the host. */
const HOPS_OF_PODS = 2;

export const HOP_LIMIT_DISTURBS: readonly string[] = [
  'Pods that are not on the network of the host can then get the credentials of the role of the node.',
  'New machines have the limit of their launch template or EC2NodeClass: change it there too.',
];

export type HopDecision =
  | { readonly do: 'nothing' | 'refuse'; readonly why: string }
  | { readonly do: 'modify'; readonly from: number; readonly to: number };

/** What is to be done about the metadata options of an instance; null where EC2 shows none. */
export function decideHops(
  options: JsonObject | null,
  wanted: { readonly from: number | null; readonly to: number },
): HopDecision {
  const hops = Number(textAt(options ?? undefined, 'HttpPutResponseHopLimit') ?? Number.NaN);
  if (options === null || Number.isNaN(hops))
    return { do: 'refuse', why: 'EC2 does not show its metadata options.' };
  if (textAt(options, 'State') === 'pending')
    return { do: 'refuse', why: 'Another change of its metadata options is under way.' };
  if (hops === wanted.to || (wanted.from === null && hops > wanted.to))
    return { do: 'nothing', why: `Its hop limit is ${hops} already.` };
  if (wanted.from !== null && hops !== wanted.from)
    return { do: 'refuse', why: `Its hop limit is ${hops} by now, as somebody else set it.` };
  return { do: 'modify', from: hops, to: wanted.to };
}

interface HopOrder extends FixOrder {
  readonly instanceId: string;
  readonly from: number | null;
  readonly to: number;
}

/** Lets answers of instance metadata make the hop to pods. */
export async function fixHops(
  order: FixOrder,
  instanceId: string,
  tools: FixTools,
): Promise<FixStep> {
  return await setHops({ ...order, instanceId, from: null, to: HOPS_OF_PODS }, tools);
}

/** Sets the limit back, where it still is as the fix set it. */
export async function undoHops(note: UndoNote, order: FixOrder, tools: FixTools): Promise<FixStep> {
  const instanceId = textAt(note, 'instanceId') ?? '';
  const [from, to] = [Number(textAt(note, 'to')), Number(textAt(note, 'from'))];
  return await setHops({ ...order, instanceId, from, to }, tools);
}

async function setHops(order: HopOrder, tools: FixTools): Promise<FixStep> {
  const name = `instance ${order.instanceId}`;
  const { aws } = tools;
  if (aws === null) return plainStep(name, 'refused', 'AWS could not be opened.');
  return await orRefused(name, async () => attempt(order, name, aws, tools));
}

async function optionsOf(aws: AwsApi, instanceId: string): Promise<JsonObject | null> {
  const input = { InstanceIds: [instanceId] };
  const answer = await askOnce(aws, { service: 'ec2', operation: 'DescribeInstances', input });
  const [reservation] = listAt(answer, 'Reservations');
  const options = at(listAt(reservation, 'Instances')[0], 'MetadataOptions');
  return isObject(options) ? options : null;
}

async function attempt(
  order: HopOrder,
  name: string,
  aws: AwsApi,
  tools: FixTools,
): Promise<FixStep> {
  const options = await optionsOf(aws, order.instanceId);
  const decision = decideHops(options, order);
  if (decision.do !== 'modify')
    return plainStep(name, decision.do === 'nothing' ? 'not-needed' : 'refused', decision.why);
  const { from, to } = decision;
  const diff = [`- HttpPutResponseHopLimit: ${from}`, `+ HttpPutResponseHopLimit: ${to}`];
  const { instanceId } = order;
  if (!order.isDryRun) await tools.keep({ kind: HOP_LIMIT_NOTE, instanceId, from, to });
  const isSet = async (): Promise<boolean> =>
    decideHops(await optionsOf(aws, instanceId), order).do === 'nothing';
  const { outcome, why } = await tools.performAws(actionOf(order, options ?? {}), isSet);
  if (outcome !== 'done') return { ...plainStep(name, outcomeOf(outcome), why), diff };
  if (order.isDryRun) return { ...plainStep(name, 'would-write', why), diff };
  const ended = (await isSet()) ? 'written' : 'unclear';
  const told = ended === 'written' ? `Its hop limit is ${to}, as reading shows.` : why;
  return { ...plainStep(name, ended, told), diff };
}

function actionOf({ id, why, instanceId, to }: HopOrder, seen: JsonObject): AwsAction {
  const input = { InstanceId: instanceId, HttpPutResponseHopLimit: to };
  return {
    id: `${id}-${instanceId}`,
    object: { kind: 'Instance', name: instanceId, seen },
    call: { service: 'ec2', operation: 'ModifyInstanceMetadataOptions', input },
    why,
    askedBy: 'fix imds',
    undo: { text: 'Set the hop limit back', command: undoCommand(id) },
  };
}
