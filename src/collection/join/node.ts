import { instanceIdIn } from '../../evidence/names.ts';
import { at, type JsonObject, textAt } from '../../evidence/json.ts';
import { excerptOf } from '../../evidence/redact.ts';
import type { JoinNode, JoinNodeLook } from '../../domain/nodes/join.ts';
import type { KubeApi, KubeResource } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import { projectNode } from '../../readers/kube/node.ts';
import type { JoinMachine } from './machine.ts';

const NODE: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  isNamespaced: false,
};

const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

/**
 * The Node under the first name that the credentials may read. Names are compared whole:
 * `ip-10-0-1-5` is not in `ip-10-0-1-50`.
 */
export async function lookAtNode(
  api: Pick<KubeApi, 'get'>,
  names: readonly string[],
  machine: JoinMachine,
): Promise<JoinNodeLook> {
  const looks: JoinNodeLook[] = [];
  for (const name of names) {
    const look = await lookAtNamed(api, name, machine);
    if (look.state === 'present') return look;
    looks.push(look);
  }
  // The kubelet may read its own Node only, so that "not found" is said of its own name alone.
  return looks.find(({ state }) => state === 'absent') ?? looks[0] ?? nameless();
}

function nameless(): JoinNodeLook {
  const message = 'This machine has no name by which its Node could be looked for.';
  return { state: 'unknown', why: 'no-answer', message };
}

async function lookAtNamed(
  api: Pick<KubeApi, 'get'>,
  name: string,
  machine: JoinMachine,
): Promise<JoinNodeLook> {
  try {
    return { state: 'present', node: joinNodeOf(await api.get(NODE, { name }), machine) };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return lookOfFailure(error, name);
  }
}

function lookOfFailure({ failure, message }: PortError, name: string): JoinNodeLook {
  if (failure === 'not-found') return { state: 'absent', name };
  const known = failure === 'unauthenticated' || failure === 'denied' ? failure : 'no-answer';
  return { state: 'unknown', why: known, message: excerptOf(message) };
}

/** A Node, and whether it is this machine's. */
export function joinNodeOf(value: JsonObject, machine: JoinMachine): JoinNode {
  const { name, uid, ready, conditions, taints, providerId, deletionAskedMs } = projectNode(value);
  const message = conditions.find(({ type }) => type === 'Ready')?.message ?? '';
  const bootId = textAt(value, 'status.nodeInfo.bootID')?.toLowerCase() ?? null;
  return {
    uid: uid ?? '',
    name,
    ...ownerOf(value, providerId, machine),
    isReady: conditions.some(({ type }) => type === 'Ready') ? ready : false,
    message: message === '' ? 'the kubelet has not reported yet.' : excerptOf(message),
    isInitialized: !(taints ?? []).some(({ key }) => key === UNINITIALIZED),
    isDeleting: deletionAskedMs !== null,
    isOfThisBoot: bootId === null || machine.bootId === null ? null : bootId === machine.bootId,
  };
}

/** One proof is enough for a Node of ours, and one against it too; the provider ID counts first. */
function ownerOf(
  value: JsonObject,
  providerId: string | null,
  { instanceId, systemUuid, machineId, bootId }: JoinMachine,
): Pick<JoinNode, 'owner' | 'ownerName'> {
  const named = providerId === null ? null : instanceIdIn(providerId);
  if (named !== null && instanceId !== null) {
    return named === instanceId
      ? { owner: 'ours', ownerName: null }
      : { owner: 'foreign', ownerName: `instance ${named}` };
  }
  const reported = (field: string): string | null => {
    const text = at(value, `status.nodeInfo.${field}`);
    return typeof text === 'string' && text !== '' ? text.toLowerCase() : null;
  };
  const pairs = [
    [reported('bootID'), bootId],
    [reported('systemUUID'), systemUuid],
    [reported('machineID'), machineId],
  ].filter(([theirs, ours]) => theirs !== null && ours !== null);
  if (pairs.some(([theirs, ours]) => theirs === ours)) return { owner: 'ours', ownerName: null };
  if (pairs.length <= 1) return { owner: 'unknown', ownerName: null };
  return { owner: 'foreign', ownerName: `the machine with system UUID ${reported('systemUUID')}` };
}
