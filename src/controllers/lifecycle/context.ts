import type { Instance } from '../../evidence/aws/instance.ts';
import type { Seen } from '../../evidence/fact.ts';
import type { KubeNode } from '../../evidence/kinds.ts';
import type { NodeClaim } from '../../evidence/kube/machines.ts';
import { instanceIdIn } from '../../evidence/names.ts';
import { excerptOf } from '../../evidence/redact.ts';
import { instanceOfNode } from '../../domain/naming/seen-names.ts';
import type { LifecycleFacts } from './facts.ts';
import { noticedNow } from './gaps.ts';
import type { Happening, Noticed, Proof } from './happening.ts';
import type { LifecycleMemory } from './memory.ts';

/** A look with what is asked of it again and again. */
export interface LookContext {
  readonly facts: LifecycleFacts;
  readonly memory: LifecycleMemory;
  readonly noticed: Noticed;
  readonly instances: ReadonlyMap<string, Seen<Instance>>;
  readonly claims: ReadonlyMap<string, Seen<NodeClaim>>;
}

export function contextOf(memory: LifecycleMemory, facts: LifecycleFacts): LookContext {
  const byId = facts.instances.items.map((one) => [one.value.InstanceId ?? '', one] as const);
  return {
    facts,
    memory,
    noticed: noticedNow(memory, facts),
    instances: new Map(byId),
    claims: new Map(facts.claims.items.toSorted(byName).flatMap(claimKeys)),
  };
}

function byName(a: Seen<NodeClaim>, b: Seen<NodeClaim>): number {
  return a.value.name < b.value.name ? -1 : 1;
}

/** A claim names its Node, its instance, or both. */
function claimKeys(claim: Seen<NodeClaim>): readonly (readonly [string, Seen<NodeClaim>])[] {
  const { nodeName, providerID } = claim.value.status ?? {};
  const id = instanceIdIn(providerID ?? '');
  return [nodeName ?? null, id].flatMap((key) =>
    key === null || key === '' ? [] : [[key, claim] as const],
  );
}

/** The instance of a Node: by its providerID or name, else the running one with its address. */
export function instanceIdOf(node: KubeNode, { facts }: LookContext): string | null {
  const named = instanceIdIn(`${node.providerId ?? ''} ${node.name}`);
  if (named !== null || node.providerId !== null) return named;
  const found = facts.instances.items.find(
    ({ value }) => value.PrivateDnsName?.toLowerCase() === node.name && isUp(value),
  );
  return (found ?? instanceOfNode(node, facts.instances.items))?.value.InstanceId ?? null;
}

function isUp(instance: Instance): boolean {
  return instance.State?.Name === 'running';
}

/** A line that a fact shows. */
export function proofOf(
  fact: { readonly by: string; readonly locator: string },
  excerpt: string,
  atMs: number | null,
): Proof {
  return { source: fact.by, locator: fact.locator, excerpt: excerptOf(excerpt), atMs };
}

const PLAIN = {
  node: null,
  uid: null,
  instanceId: null,
  detail: null,
  machine: null,
  attribution: null,
  proof: [],
} as const;

/** Whose Node it is. */
export type Whose = Partial<Pick<Happening, 'node' | 'uid' | 'instanceId'>>;

/**
 * A happening at a time that an object tells, or at that of the look.
 *
 * @param objectMs null where the object does not tell
 */
export function happened(
  context: LookContext,
  kind: Happening['kind'],
  objectMs: number | null,
  more: Partial<Happening> = {},
): Happening {
  const { facts, noticed, memory } = context;
  const notBeforeMs = noticed.how === 'live' ? memory.lookedMs : noticed.gapFromMs;
  const time =
    objectMs === null
      ? ({ atMs: facts.nowMs, from: 'look', notBeforeMs } as const)
      : ({ atMs: objectMs, from: 'object', notBeforeMs: null } as const);
  return { ...PLAIN, ...more, kind, time, noticed };
}
