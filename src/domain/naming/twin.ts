import type { KubeNode } from '../../evidence/kinds.ts';
import { instanceIdIn, ipInName } from '../../evidence/names.ts';
import { shown } from '../words.ts';

/** What of a Node object tells whose it is. */
export type NodeTies = Pick<
  KubeNode,
  'name' | 'providerId' | 'internalIp' | 'ready' | 'createdMs'
> & { readonly machineId?: string | null };

/** What ties a Node object to a machine. */
export interface MachineTies {
  readonly instanceId: string | null;
  readonly privateIp: string | null;
  /** Its Node's name today, or the one that it will have. */
  readonly nodeName: string;
  /** Names it has had: old hostnames, old certificate names. */
  readonly formerNames: readonly string[];
  /** /etc/machine-id, where a Node showed it. */
  readonly machineId?: string | null;
}

export interface Twin {
  readonly node: NodeTies;
  readonly by: 'provider-id' | 'former-name' | 'machine-id' | 'address';
  /**
   * A providerID, a former name, or machine-id and address together are proof; an address alone may
   * have been given to a new machine, and images with a machine-id of their own give it to many.
   */
  readonly confidence: 'definite' | 'possible';
  readonly sentence: string;
}

function tieOf(node: NodeTies, machine: MachineTies): Pick<Twin, 'by' | 'confidence'> | null {
  const id = node.providerId === null ? null : instanceIdIn(node.providerId);
  if (id !== null && machine.instanceId !== null)
    return id === machine.instanceId ? { by: 'provider-id', confidence: 'definite' } : null;
  if (machine.formerNames.some((name) => name.toLowerCase() === node.name))
    return { by: 'former-name', confidence: 'definite' };
  const address = node.internalIp ?? ipInName(node.name);
  const isSame = address !== null && address === machine.privateIp;
  if (!isSame) return null;
  const isSameSystem = (node.machineId ?? '') !== '' && node.machineId === machine.machineId;
  return isSameSystem
    ? { by: 'machine-id', confidence: 'definite' }
    : { by: 'address', confidence: 'possible' };
}

const BY: Readonly<Record<Twin['by'], string>> = {
  'provider-id': 'its providerID names the same instance',
  'former-name': 'the machine had that name',
  'machine-id': 'it has the same machine-id and address',
  address: 'it has the same address, which a new machine may have inherited',
};

function twinFrom(node: NodeTies, machine: MachineTies): Twin | null {
  const tie = node.name === machine.nodeName ? null : tieOf(node, machine);
  if (tie === null) return null;
  const state = node.ready === true ? 'is still Ready' : 'is not Ready';
  const is = tie.confidence === 'definite' ? 'is' : 'may be';
  const sentence = `Node ${shown(node.name)} ${is} the same machine under another name: ${BY[tie.by]}; it ${state}.`;
  return { node, ...tie, sentence };
}

const ORDER: readonly Twin['by'][] = ['provider-id', 'former-name', 'machine-id', 'address'];

/**
 * The Node object that the same machine left behind under another name, the surest one first;
 * null without one. A Node whose providerID names another instance is never one.
 */
export function twinOf(nodes: readonly NodeTies[], machine: MachineTies): Twin | null {
  const twins = nodes.map((node) => twinFrom(node, machine)).filter((twin) => twin !== null);
  const sorted = twins.toSorted(
    (a, b) =>
      ORDER.indexOf(a.by) - ORDER.indexOf(b.by) ||
      (a.node.createdMs ?? 0) - (b.node.createdMs ?? 0) ||
      (a.node.name < b.node.name ? -1 : 1),
  );
  return sorted[0] ?? null;
}
