import type { KubeNode } from '../evidence/kinds.ts';
import { factsOfKind } from '../evidence/fact-values.ts';
import { hostPart, linkKeys, type MachineName, plainName } from '../evidence/names.ts';
import type { FactRecord } from '../evidence/observations.ts';

/** Keys by which names are known to be one machine's. */
export type KeysOf = (name: MachineName) => readonly string[];

/** True for two Nodes that cannot be one machine under an old and a new name. */
function areApart(one: KubeNode, other: KubeNode): boolean {
  if (one.name === other.name || one.internalIp === other.internalIp) return false;
  if (one.machineId !== null && one.machineId === other.machineId) return false;
  return one.providerId === null || one.providerId !== other.providerId;
}

export function isNode(fact: FactRecord): fact is FactRecord<'kube/Node'> {
  return fact.kind === 'kube/Node';
}

type NodeRecords = readonly FactRecord<'kube/Node'>[];

const SHARED = new WeakMap<NodeRecords, ReadonlySet<string>>();

/** Host parts that Nodes of different machines have under different domains; made once of a list. */
function sharedHosts(nodes: NodeRecords): ReadonlySet<string> {
  const known = SHARED.get(nodes) ?? hostsSharedBy(nodes);
  SHARED.set(nodes, known);
  return known;
}

function hostsSharedBy(nodes: NodeRecords): ReadonlySet<string> {
  const first = new Map<string, KubeNode>();
  const shared = new Set<string>();
  for (const { value } of nodes) {
    const host = hostPart({ kind: 'node', value: value.name });
    if (host === null || host === value.name || value.internalIp === null) continue;
    const known = first.get(host);
    if (known === undefined) first.set(host, value);
    else if (areApart(known, value)) shared.add(host);
  }
  return shared;
}

/**
 * `linkKeys` as far as the Nodes here allow: a host part that several machines have links by the
 * whole name alone, and says nothing where it stands without a domain.
 */
export function keysAmong(facts: readonly FactRecord[]): KeysOf {
  const shared = sharedHosts(factsOfKind(facts, 'kube/Node'));
  if (shared.size === 0) return linkKeys;
  return (name) => {
    const host = hostPart(name);
    if (host === null || !shared.has(host)) return linkKeys(name);
    const whole = plainName(name);
    return whole === host ? [] : [`name:${whole}`];
  };
}
