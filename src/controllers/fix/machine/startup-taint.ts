import { isObject, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import type { Action } from '../../../ports/action.ts';
import type { KubeApi } from '../../../ports/kube-api.ts';
import { PortError } from '../../../ports/port-error.ts';
import { NODES } from '../../gate/plan.ts';
import { type FixOrder, type FixStep, type FixTools, undoCommand, type UndoNote } from '../fix.ts';
import { orRefused, outcomeOf, plainStep, withRetries } from '../step.ts';
import type { NamedMachine } from './named-machines.ts';

/** Causes in which whoever takes a startup taint away has done so once and will not again. */
export const TAINT_CAUSES: ReadonlySet<string> = new Set([
  'startup-taint-added-after-removal',
  'startup-taint-removal-lost',
]);
/** What puts a taint back. */
export const TAINT_NOTE = 'node-taint';

export const TAINT_DISTURBS: readonly string[] = [
  'The scheduler places pods on these nodes at once.',
];

interface SeenTaint {
  readonly at: number;
  readonly taint: JsonObject;
}

/** The taints of a Node that a finding names in its sentence; never one of a cordon or a condition. */
export function namedTaints(node: JsonObject, summary: string): readonly SeenTaint[] {
  const words = new Set(summary.split(/[^\w./-]+/).map((word) => word.replace(/[.,;]$/, '')));
  return listAt(node, 'spec.taints').flatMap((taint, at) => {
    const key = textAt(taint, 'key') ?? '';
    const isOfKubernetes = /^node(?:\.cloudprovider)?\.kubernetes\.io\//.test(key);
    return isObject(taint) && !isOfKubernetes && words.has(key) ? [{ at, taint }] : [];
  });
}

/** Takes a startup taint off the Node of a machine, where the finding names it. */
export async function fixTaint(
  order: FixOrder,
  machine: NamedMachine,
  tools: FixTools,
): Promise<FixStep> {
  const name = machine.node ?? '';
  const object = `Node ${name}`;
  return await withRetries(tools, async () =>
    orRefused(object, async () => attempt(order, { ...machine, name }, tools)),
  );
}

async function nodeNamed(kube: KubeApi, name: string): Promise<JsonObject | null> {
  try {
    return await kube.get(NODES, { namespace: null, name });
  } catch (error) {
    if (error instanceof PortError && error.failure === 'not-found') return null;
    throw error;
  }
}

function taintText(taint: JsonObject): string {
  const value = textAt(taint, 'value');
  const middle = value === null || value === '' ? '' : `=${value}`;
  return `${textAt(taint, 'key') ?? ''}${middle}:${textAt(taint, 'effect') ?? ''}`;
}

async function attempt(
  order: FixOrder,
  { name, summary }: NamedMachine & { readonly name: string },
  tools: FixTools,
): Promise<FixStep> {
  const object = `Node ${name}`;
  const node = await nodeNamed(tools.kube, name);
  if (node === null) return plainStep(object, 'refused', 'The Node is gone.');
  const named = namedTaints(node, summary);
  if (named.length === 0)
    return plainStep(object, 'not-needed', 'It has no startup taint that the finding names.');
  const uid = textAt(node, 'metadata.uid') ?? '';
  const diff = named.map(({ taint }) => `- ${taintText(taint)}`);
  if (!order.isDryRun)
    for (const { taint } of named) await tools.keep({ kind: TAINT_NOTE, name, uid, taint });
  // From the last to the first, as places move up.
  const operations = named
    .toReversed()
    .map(({ at }) => ({ op: 'remove', path: `/spec/taints/${at}` }));
  const { outcome, why } = await tools.perform(actionOf(order, node, operations));
  if (outcome !== 'done') return { ...plainStep(object, outcomeOf(outcome), why), diff };
  if (order.isDryRun) return { ...plainStep(object, 'would-write', why), diff };
  const left = namedTaints((await nodeNamed(tools.kube, name)) ?? {}, summary);
  return left.length === 0
    ? { ...plainStep(object, 'written', 'The taint is gone, as reading the Node shows.'), diff }
    : { ...plainStep(object, 'overwritten', 'Another program put the taint back at once.'), diff };
}

function actionOf(
  { id, why }: FixOrder,
  node: JsonObject,
  operations: readonly JsonObject[],
): Action {
  const name = textAt(node, 'metadata.name') ?? '';
  const uid = textAt(node, 'metadata.uid') ?? '';
  const resourceVersion = textAt(node, 'metadata.resourceVersion') ?? '';
  return {
    id: `${id}/${name}/${resourceVersion}`,
    object: { resource: NODES, namespace: null, name, seen: { uid, resourceVersion } },
    write: { verb: 'patch', patch: { type: 'json', operations }, requires: 'same-version' },
    why,
    askedBy: 'fix taint',
    undo: { text: 'Put the taint back', command: undoCommand(id) },
  };
}

/** Puts a taint back on the same Node, unless it has it. */
export async function undoTaint(
  note: UndoNote,
  order: FixOrder,
  tools: FixTools,
): Promise<FixStep> {
  const object = `Node ${textAt(note, 'name') ?? ''}`;
  return await withRetries(tools, async () =>
    orRefused(object, async () => putBack(note, order, object, tools)),
  );
}

async function putBack(
  note: UndoNote,
  order: FixOrder,
  object: string,
  tools: FixTools,
): Promise<FixStep> {
  const node = await nodeNamed(tools.kube, textAt(note, 'name') ?? '');
  const { taint = null } = note;
  if (node === null || textAt(node, 'metadata.uid') !== textAt(note, 'uid') || !isObject(taint))
    return plainStep(object, 'refused', 'It is another Node by now.');
  const taints = listAt(node, 'spec.taints').filter(isObject);
  if (taints.some((one) => taintText(one) === taintText(taint)))
    return plainStep(object, 'not-needed', 'It has the taint.');
  const operation =
    taints.length === 0
      ? { op: 'add', path: '/spec/taints', value: [taint] }
      : { op: 'add', path: '/spec/taints/-', value: taint };
  const { outcome, why } = await tools.perform(actionOf(order, node, [operation]));
  const diff = [`+ ${taintText(taint)}`];
  if (outcome !== 'done') return { ...plainStep(object, outcomeOf(outcome), why), diff };
  return { ...plainStep(object, order.isDryRun ? 'would-write' : 'written', why), diff };
}
