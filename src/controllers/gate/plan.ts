import { notEnforcedText } from '../../domain/nodes/not-enforced.ts';
import type { JsonObject } from '../../evidence/json.ts';
import type { Action } from '../../ports/action.ts';
import type { KubeResource } from '../../ports/kube-api.ts';
import { type Adoption, adoptionText } from './adoption.ts';
import type { Decision } from './decide.ts';
import { hasTaint, type NodeFacts, type SeenTaint } from './node-facts.ts';
import type { GatePolicy, GateTaint, TaintRelease } from './policy.ts';
import {
  kubeletNote,
  keyOfPolicy,
  notEnforcedKey,
  notEnforcedMs,
  openedBy,
  recordKey,
  recordText,
  timeText,
} from './record.ts';
import type { NodeMemory } from './memory.ts';

export const NODES: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  isNamespaced: false,
};

/** One policy with what it decided. */
export interface Decided {
  readonly policy: GatePolicy;
  readonly decision: Decision;
  /** What is missing, or who proves it. */
  readonly why: string;
}

export interface PlanInput {
  readonly node: NodeFacts;
  readonly memory: NodeMemory;
  /** Of every policy that selects the node. */
  readonly decided: readonly Decided[];
  /** Taints that go unless one of these policies has an opinion about them. */
  readonly releases?: readonly TaintRelease[];
  /** Taints of other programs that go, of those whose time has come. */
  readonly adoptions?: readonly Adoption[];
  /** Wall clock, ms. */
  readonly nowMs: number;
}

const CONTROLLER = 'gate';

/** What a policy wants of a taint of its own: a wish to keep it outweighs one to remove it. */
const WEIGHTS = { remove: 0, keep: 1, put: 2 } as const;
type Wish = keyof typeof WEIGHTS;

interface Wanted {
  readonly taint: Pick<GateTaint, 'key' | 'value'> & { readonly effect: string };
  readonly wish: Wish;
}

/** @returns nothing for a taint about which the policy has no opinion */
function wantedOf({ policy, decision }: Decided): readonly Wanted[] {
  const { taint } = policy;
  const regressTaint = policy.regressTaint ?? taint;
  const both = regressTaint === taint ? [taint] : [taint, regressTaint];
  switch (decision.act) {
    case 'open':
      return both.map((one) => ({ taint: one, wish: 'remove' }));
    case 'put-startup':
      return [{ taint, wish: 'put' }];
    case 'put-regress':
      return [{ taint: regressTaint, wish: 'put' }];
    default:
      // A policy that is done with a node says nothing more about its taint.
      return decision.reason === 'StaysOpen'
        ? []
        : both.map((one) => ({ taint: one, wish: 'keep' }));
  }
}

function merged(decided: readonly Decided[]): readonly Wanted[] {
  const all = new Map<string, Wanted>();
  for (const wanted of decided.flatMap(wantedOf)) {
    const key = `${wanted.taint.key}:${wanted.taint.effect}`;
    const known = all.get(key);
    if (known === undefined || WEIGHTS[wanted.wish] > WEIGHTS[known.wish]) all.set(key, wanted);
  }
  return [...all.values()];
}

/** Whether a taint is among those that go. */
export function isReleased({ key, effect }: SeenTaint, release: TaintRelease): boolean {
  const isOfKey = release.isPrefix ? key.startsWith(release.key) : key === release.key;
  return isOfKey && (release.effect === null || release.effect === effect);
}

/** Taints of the node that a document gave up, and about which no policy has an opinion. */
function released({ node, releases = [], decided }: PlanInput): readonly Wanted[] {
  if (releases.length === 0) return [];
  const isOfPolicy = ({ key, effect }: SeenTaint): boolean =>
    decided.some(({ policy: { taint, regressTaint } }) =>
      [taint, regressTaint].some((one) => one?.key === key && one.effect === effect),
    );
  return node.taints
    .filter((taint) => releases.some((one) => isReleased(taint, one)) && !isOfPolicy(taint))
    .map((taint) => ({ taint, wish: 'remove' }));
}

/** Taints whose owner has been gone for long enough. */
export function dueAdoptions(adoptions: readonly Adoption[]): readonly Adoption[] {
  return adoptions.filter(({ restMs }) => restMs === 0);
}

function removals(node: NodeFacts, wanted: readonly Wanted[]): readonly JsonObject[] {
  const isGone = (index: number): boolean =>
    wanted.some(
      ({ taint, wish }) =>
        wish === 'remove' &&
        taint.key === node.taints[index]?.key &&
        taint.effect === node.taints[index].effect,
    );
  // From the last to the first, as places move up.
  const places = [...node.taints.keys()].filter(isGone).toReversed();
  return places.map((index) => ({ op: 'remove', path: `/spec/taints/${index}` }));
}

function additions(node: NodeFacts, wanted: readonly Wanted[]): readonly JsonObject[] {
  const missing = wanted
    .filter(({ taint, wish }) => wish === 'put' && !hasTaint(node, taint))
    .map(({ taint: { key, value, effect } }) => ({
      key,
      ...(value === '' ? {} : { value }),
      effect,
    }));
  if (missing.length === 0) return [];
  if (node.taints.length === 0) return [{ op: 'add', path: '/spec/taints', value: missing }];
  return missing.map((value) => ({ op: 'add', path: '/spec/taints/-', value }));
}

/** A Node that was there before the policy could not be born with its taint. */
function isOlder({ createdMs }: NodeFacts, policy: GatePolicy): boolean {
  return createdMs !== null && policy.createdMs !== null && createdMs < policy.createdMs;
}

/** The annotation of a Node that never had the taint; one that lost it had it before. */
function markOfUnenforced(
  { policy, decision }: Decided,
  { node, memory, nowMs }: PlanInput,
): readonly (readonly [string, string])[] {
  const key = notEnforcedKey(policy);
  const isLost = memory.seenShut.has(keyOfPolicy(policy));
  if (key === null || decision.act !== 'put-startup' || isLost || isOlder(node, policy)) return [];
  return notEnforcedMs(policy, node) === null
    ? [[key, notEnforcedText(node.uid, timeText(nowMs), policy.taint)]]
    : [];
}

/** Annotations that go with an opening; what is there stays, but for our own record. */
function marksOf(
  { policy, decision }: Decided,
  input: PlanInput,
): readonly (readonly [string, string])[] {
  const { node, memory, nowMs } = input;
  if (decision.act !== 'open') return [];
  const marks = policy.openingMarks
    .filter(({ key }) => !Object.hasOwn(node.annotations, key))
    .map(({ key, value }) => [key, value ?? timeText(nowMs)] as const);
  const key = recordKey(policy);
  const note = kubeletNote(policy, node);
  const noted = note === null ? marks : [...marks, note];
  if (key === null || openedBy(policy, node, memory) === 'now') return noted;
  return [...noted, [key, recordText(node, nowMs)]];
}

/** Where an annotation is, for a patch. */
export function annotationPath(key: string): string {
  return `/metadata/annotations/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Marks that several policies share are written when the last of them opens. */
function sharedWithShut(decided: readonly Decided[]): ReadonlySet<string> {
  const shut = decided.filter(({ decision }) => decision.act !== 'open');
  return new Set(shut.flatMap(({ policy }) => policy.openingMarks.map(({ key }) => key)));
}

function annotations(input: PlanInput): readonly JsonObject[] {
  const waiting = sharedWithShut(input.decided);
  const all = input.decided.flatMap((one) => [
    ...marksOf(one, input),
    ...markOfUnenforced(one, input),
  ]);
  const marks = new Map(all.filter(([key]) => !waiting.has(key)));
  if (marks.size === 0) return [];
  if (Object.keys(input.node.annotations).length === 0)
    return [{ op: 'add', path: '/metadata/annotations', value: Object.fromEntries(marks) }];
  return [...marks].map(([key, value]) => ({ op: 'add', path: annotationPath(key), value }));
}

function reasonOf(
  decided: readonly Decided[],
  given: readonly Wanted[],
  adopted: readonly Adoption[],
): Action['why'] {
  const changing = decided.filter(({ decision }) => decision.act !== 'keep');
  const first = changing[0] ?? decided[0];
  const texts = changing.map(
    ({ policy, decision, why }) => `${policy.source.name}: ${decision.reason} (${why})`,
  );
  const left = given.map(({ taint }) => `no policy wants ${taint.key}:${taint.effect} any more`);
  const text = [...texts, ...left, ...adopted.map(adoptionText)].join('; ');
  return { kind: 'rule', name: first?.policy.source.name ?? CONTROLLER, text };
}

/** True where no part of a plan has anything to do, as at most looks. */
function isAtRest({ decided, releases = [], adoptions = [] }: PlanInput): boolean {
  if (releases.length > 0 || adoptions.length > 0) return false;
  return decided.every(({ decision }) => decision.act === 'keep');
}

/**
 * One patch for what all policies decided about one Node; null where nothing changes. It names
 * only taints of these policies, and is a conflict for a Node that changed since it was seen.
 */
export function planOf(input: PlanInput): Action | null {
  const { node } = input;
  if (isAtRest(input)) return null;
  const active = input.decided.filter(({ policy }) => !policy.isDryRun);
  const given = released({ ...input, decided: active });
  const adopted = dueAdoptions(input.adoptions ?? []);
  const taken = adopted.map(({ taint }): Wanted => ({ taint, wish: 'remove' }));
  const wanted = [...merged(active), ...given, ...taken];
  const operations = [
    ...removals(node, wanted),
    ...additions(node, wanted),
    ...annotations({ ...input, decided: active }),
  ];
  if (operations.length === 0) return null;
  return actionOf(node, operations, reasonOf(active, given, adopted));
}

/** A patch of a Node as it was seen. */
export function actionOf(
  { name, uid, resourceVersion }: NodeFacts,
  operations: readonly JsonObject[],
  why: Action['why'],
): Action {
  const patch = { type: 'json', operations } as const;
  return {
    id: `${CONTROLLER}/${name}/${resourceVersion}`,
    object: { resource: NODES, namespace: null, name, seen: { uid, resourceVersion } },
    write: { verb: 'patch', patch, requires: 'same-version' },
    why,
    askedBy: CONTROLLER,
    undo: {
      text: 'A gate keeps its taint until its proofs hold; a dry run changes nothing',
      command: `rollcall gate explain ${name}`,
    },
  };
}
