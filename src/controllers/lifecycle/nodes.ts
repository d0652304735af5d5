import { UNINITIALIZED } from '../../domain/naming/seen-names.ts';
import type { Seen } from '../../evidence/fact.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import { happened, instanceIdOf, type LookContext, proofOf, type Whose } from './context.ts';
import type { Happening } from './happening.ts';
import type { LifecycleMemory, NodeMemory } from './memory.ts';

const GROUP_LABEL = 'eks.amazonaws.com/nodegroup';

function claimOf(node: KubeNode, id: string | null, { claims }: LookContext): string | null {
  const claim = claims.get(node.name) ?? claims.get(id ?? '');
  return claim?.value.name ?? null;
}

function isTainted({ taints }: KubeNode, key: string): boolean {
  return (taints ?? []).some((taint) => taint.key === key);
}

/** What does not change in the life of a Node, or is learned once. */
function lasting(
  uid: string,
  node: KubeNode,
  before: NodeMemory | null,
  context: LookContext,
): Pick<
  NodeMemory,
  'uid' | 'name' | 'instanceId' | 'claim' | 'machineId' | 'formerInstance' | 'firstSeenMs' | 'clues'
> {
  const { memory, facts } = context;
  const { name } = node;
  const found = before?.hasProviderId === true ? null : instanceIdOf(node, context);
  const instanceId = found ?? before?.instanceId ?? null;
  const claim = claimOf(node, instanceId, context) ?? before?.claim ?? null;
  const machineId = node.machineId ?? before?.machineId ?? null;
  const kept = { uid, name, instanceId, claim, machineId };
  if (before !== null) {
    const { formerInstance, firstSeenMs, clues } = before;
    return { ...kept, formerInstance, firstSeenMs, clues };
  }
  const formerInstance = formerInstanceOf(name, uid, memory);
  return { ...kept, formerInstance, firstSeenMs: facts.nowMs, clues: [] };
}

/** A Node as it is remembered from now on. */
function remembered(
  uid: string,
  node: KubeNode,
  before: NodeMemory | null,
  context: LookContext,
): NodeMemory {
  return {
    ...lasting(uid, node, before, context),
    hasProviderId: node.providerId !== null,
    group: node.labels[GROUP_LABEL] ?? null,
    createdMs: node.createdMs,
    lastSeenMs: context.facts.nowMs,
    isReady: node.ready === true,
    isInitialized: !isTainted(node, UNINITIALIZED),
    isCordoned: node.unschedulable ?? before?.isCordoned ?? false,
    deletionAskedMs: node.deletionAskedMs,
  };
}

/** The last one that had this name, by when it was created. */
function predecessorOf(name: string, uid: string, memory: LifecycleMemory): NodeMemory | null {
  const all = [
    ...[...memory.tombstones.values()].map(({ node }) => node),
    ...[...memory.gone.values()].map(({ node }) => node),
    ...memory.nodes.values(),
  ];
  const former = all.filter((one) => one.name === name && one.uid !== uid);
  return former.toSorted(youngestFirst)[0] ?? null;
}

function youngestFirst(a: NodeMemory, b: NodeMemory): number {
  return (b.createdMs ?? 0) - (a.createdMs ?? 0) || (a.uid < b.uid ? -1 : 1);
}

function formerInstanceOf(name: string, uid: string, memory: LifecycleMemory): string | null {
  return predecessorOf(name, uid, memory)?.instanceId ?? null;
}

function whose({ name, uid, instanceId }: NodeMemory): Whose {
  return { node: name, uid, instanceId };
}

function machineAgainst(former: string | null, now: string | null): 'same' | 'other' | 'unknown' {
  if (former === null || now === null) return 'unknown';
  return former === now ? 'same' : 'other';
}

/** A Node that was not there at the last look. */
function arrived(
  after: NodeMemory,
  fact: Seen<KubeNode>,
  context: LookContext,
): readonly Happening[] {
  const { value } = fact;
  const whoseIs = whose(after);
  const proof = [proofOf(fact, `Node ${value.name} uid ${after.uid}`, value.createdMs)];
  const registered = happened(context, 'registered', value.createdMs, { ...whoseIs, proof });
  const former = predecessorOf(after.name, after.uid, context.memory);
  if (former === null) return [registered];
  const machine = machineAgainst(former.instanceId, after.instanceId);
  const detail = `uid before: ${former.uid}`;
  const again = { ...whoseIs, detail, machine, proof };
  return [registered, happened(context, 're-created', value.createdMs, again)];
}

/** Another instance stands under the name, by its id or by the machine-id that its kubelet reports. */
function reused(
  before: NodeMemory | null,
  after: NodeMemory,
  fact: Seen<KubeNode>,
  context: LookContext,
): readonly Happening[] {
  const { formerInstance, instanceId } = after;
  const isNewlyKnown = (before?.instanceId ?? null) === null && instanceId !== null;
  const isOther = machineAgainst(formerInstance, instanceId) === 'other' && isNewlyKnown;
  const wasMachine = before?.machineId ?? '';
  const isRebuilt = wasMachine !== '' && (after.machineId ?? '') !== wasMachine;
  if (!isOther && !isRebuilt) return [];
  const detail = isOther
    ? `instance before: ${formerInstance ?? ''}`
    : `machine-id before: ${wasMachine}`;
  const excerpt = `Node ${after.name} providerID ${fact.value.providerId ?? 'none'} machineID ${after.machineId ?? ''}`;
  const proof = [proofOf(fact, excerpt, null)];
  return [happened(context, 'name-reused', null, { ...whose(after), detail, proof })];
}

function readyChange(
  before: NodeMemory | null,
  after: NodeMemory,
  fact: Seen<KubeNode>,
  context: LookContext,
): readonly Happening[] {
  if ((before?.isReady ?? false) === after.isReady) return [];
  const condition = fact.value.conditions.find(({ type }) => type === 'Ready');
  const changedMs = condition?.changedMs ?? null;
  const status = condition?.status ?? 'Unknown';
  const reason = condition?.reason ?? '';
  const proof = [
    proofOf(
      fact,
      `Node ${after.name} condition Ready=${status} ${reason} ${condition?.message ?? ''}`,
      changedMs,
    ),
  ];
  const detail = reason === '' ? null : reason;
  const kind = after.isReady ? 'ready' : 'not-ready';
  return [happened(context, kind, changedMs, { ...whose(after), detail, proof })];
}

function initializedChange(
  before: NodeMemory | null,
  after: NodeMemory,
  fact: Seen<KubeNode>,
  context: LookContext,
): readonly Happening[] {
  // Without a cloud provider there is no such taint, and nothing that takes it away.
  const wasSeen = before === null ? after.hasProviderId : !before.isInitialized;
  if (!after.isInitialized || !wasSeen) return [];
  const excerpt = `Node ${after.name} has no taint ${UNINITIALIZED}, providerID ${fact.value.providerId ?? 'none'}`;
  const proof = [proofOf(fact, excerpt, null)];
  return [happened(context, 'initialized', null, { ...whose(after), proof })];
}

function cordonChange(
  before: NodeMemory | null,
  after: NodeMemory,
  fact: Seen<KubeNode>,
  context: LookContext,
): readonly Happening[] {
  if ((before?.isCordoned ?? false) === after.isCordoned) return [];
  const writer = fact.value.cordonWriters.at(-1) ?? null;
  const by = writer === null ? '' : `, last written by ${writer.manager}`;
  const excerpt = `Node ${after.name} spec.unschedulable ${after.isCordoned}${by}`;
  const proof = [proofOf(fact, excerpt, writer?.atMs ?? null)];
  const kind = after.isCordoned ? 'cordoned' : 'uncordoned';
  const more = { ...whose(after), detail: writer?.manager ?? null, proof };
  return [happened(context, kind, writer?.atMs ?? null, more)];
}

function deletionChange(
  before: NodeMemory | null,
  after: NodeMemory,
  fact: Seen<KubeNode>,
  context: LookContext,
): readonly Happening[] {
  const askedMs = after.deletionAskedMs;
  if (askedMs === null || (before?.deletionAskedMs ?? null) !== null) return [];
  const proof = [proofOf(fact, `Node ${after.name} has a metadata.deletionTimestamp`, askedMs)];
  return [happened(context, 'deletion-asked', askedMs, { ...whose(after), proof })];
}

const CHANGES = [reused, readyChange, initializedChange, cordonChange, deletionChange];

function knownBefore(uid: string, memory: LifecycleMemory): NodeMemory | null {
  const gone = memory.gone.get(uid) ?? memory.tombstones.get(uid);
  return memory.nodes.get(uid) ?? gone?.node ?? null;
}

/** A list from a stale cache lacked it, or etcd was restored from a backup. */
function backAgain(after: NodeMemory, fact: Seen<KubeNode>, context: LookContext): Happening {
  const proof = [proofOf(fact, `Node ${after.name} uid ${after.uid} is listed again`, null)];
  const detail = `uid as before: ${after.uid}`;
  return happened(context, 're-created', null, { ...whose(after), detail, machine: 'same', proof });
}

/** What the Nodes that were seen are remembered as, and what happened to them. */
export interface NodesSeen {
  readonly nodes: ReadonlyMap<string, NodeMemory>;
  readonly happenings: readonly Happening[];
}

/** Compares the Nodes of a look with those that are remembered; the first look only remembers. */
export function nodesSeen(context: LookContext): NodesSeen {
  const { facts, memory } = context;
  const isFirst = (memory.reads.get('nodes')?.readMs ?? null) === null;
  const nodes = new Map<string, NodeMemory>();
  const happenings: Happening[] = [];
  for (const fact of facts.nodes.items) {
    const { uid } = fact.value;
    if (uid === null || nodes.has(uid)) continue;
    const before = knownBefore(uid, memory);
    const after = remembered(uid, fact.value, before, context);
    nodes.set(uid, after);
    if (isFirst && before === null) continue;
    if (before === null) happenings.push(...arrived(after, fact, context));
    if (memory.tombstones.has(uid)) happenings.push(backAgain(after, fact, context));
    happenings.push(...CHANGES.flatMap((change) => change(before, after, fact, context)));
  }
  return { nodes, happenings };
}
