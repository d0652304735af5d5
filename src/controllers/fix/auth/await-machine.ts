import { type JsonObject, textAt } from '../../../evidence/json.ts';
import { instanceIdIn } from '../../../evidence/names.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { KubeApi, KubeResource } from '../../../ports/kube-api.ts';
import { isTransient, PortError } from '../../../ports/port-error.ts';

const NODES: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  isNamespaced: false,
};
const LOOK_EVERY_MS = 5000;

/** UIDs of the Nodes that there are. @throws PortError */
export async function nodeUids(kube: KubeApi): Promise<ReadonlySet<string>> {
  return new Set((await nodesOf(kube)).map((node) => textAt(node, 'metadata.uid') ?? ''));
}

async function nodesOf(kube: KubeApi): Promise<readonly JsonObject[]> {
  const nodes: JsonObject[] = [];
  for await (const { items } of kube.list(NODES)) nodes.push(...items);
  return nodes;
}

export interface AwaitedMachine {
  /** UIDs of the Nodes of before, which prove nothing. */
  readonly before: ReadonlySet<string>;
  /** Ids of machines of the role; where none is known, any new Node counts. */
  readonly machines: readonly string[];
  readonly limitMs: number;
}

/**
 * Waits until a machine got in: a Node that was not there before, of one of the machines where its
 * providerID or name tells.
 *
 * @returns the name of its Node, null when the time is over
 * @throws PortError when Nodes may not be listed
 */
export async function awaitMachine(
  { before, machines, limitMs }: AwaitedMachine,
  { kube, clock }: { readonly kube: KubeApi; readonly clock: Clock },
): Promise<string | null> {
  const startMs = clock.monotonicMs();
  for (;;) {
    const fresh = (await newNodes(kube)).filter(
      (node) => !before.has(textAt(node, 'metadata.uid') ?? ''),
    );
    const found = fresh.find((node) => isOneOf(node, machines));
    if (found !== undefined) return textAt(found, 'metadata.name');
    if (clock.monotonicMs() - startMs + LOOK_EVERY_MS > limitMs) return null;
    await clock.sleep(LOOK_EVERY_MS);
  }
}

/** A list that fails for a while is tried at the next look. */
async function newNodes(kube: KubeApi): Promise<readonly JsonObject[]> {
  try {
    return await nodesOf(kube);
  } catch (error) {
    if (error instanceof PortError && isTransient(error)) return [];
    throw error;
  }
}

/** A Node whose instance nothing tells yet is taken for one of them. */
function isOneOf(node: JsonObject, machines: readonly string[]): boolean {
  const told = `${textAt(node, 'spec.providerID') ?? ''} ${textAt(node, 'metadata.name') ?? ''}`;
  const id = instanceIdIn(told);
  return machines.length === 0 || id === null || machines.includes(id);
}
