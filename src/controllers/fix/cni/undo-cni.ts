import { at, isObject, type JsonObject, textAt } from '../../../evidence/json.ts';
import type { FixOrder, FixStep, FixTools, UndoNote } from '../fix.ts';
import { orRefused, plainStep, withRetries } from '../step.ts';
import {
  AWS_NODE,
  cniContainerOf,
  readAwsNode,
  variableOf,
  type Variables,
  variablesDiff,
} from './aws-node.ts';
import { setVariables } from './fix-cni.ts';

/** Gives the VPC CNI its former variables, where they still are as the fix wrote them. */
export async function undoCni(note: UndoNote, order: FixOrder, tools: FixTools): Promise<FixStep> {
  return await withRetries(tools, async () =>
    orRefused(AWS_NODE, async () => attempt(note, order, tools)),
  );
}

/** Those that nobody changed since, with their former values. */
function formerOf(env: readonly JsonObject[], note: UndoNote): Variables {
  const [before, after] = [at(note, 'before'), at(note, 'after')];
  if (!isObject(before) || !isObject(after)) return new Map();
  const same = Object.keys(after).filter((name) => variableOf(env, name) === textAt(after, name));
  return new Map(
    same
      .map((name) => [name, textAt(before, name)] as const)
      .filter(([name, value]) => variableOf(env, name) !== value),
  );
}

async function attempt(note: UndoNote, order: FixOrder, tools: FixTools): Promise<FixStep> {
  const daemonSet = await readAwsNode(tools.kube);
  const container = daemonSet === null ? null : cniContainerOf(daemonSet);
  if (daemonSet === null || container === null || textAt(daemonSet, 'metadata.uid') !== note['uid'])
    return plainStep(AWS_NODE, 'refused', 'It is another DaemonSet by now.');
  const variables = formerOf(container.env, note);
  if (variables.size === 0)
    return plainStep(AWS_NODE, 'not-needed', 'None of the values is as the fix wrote it.');
  const diff = variablesDiff(container.env, variables);
  const change = { daemonSet, container, variables };
  return { ...(await setVariables({ ...order, askedBy: 'fix undo' }, change, tools)), diff };
}
