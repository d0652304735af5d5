import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { shownBeginning } from '../../evidence/redact.ts';
import { isoMs } from '../../evidence/time.ts';

export interface SeenTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export interface SeenCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** ms since the epoch by the clock of who wrote it; null when it does not say. */
  readonly heartbeatMs: number | null;
  readonly transitionMs: number | null;
}

/** What the gate needs to know of a Node. */
export interface NodeFacts {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdMs: number | null;
  /** True while its deletion waits for a finalizer. */
  readonly isLeaving: boolean;
  /** null before the kubelet has told it. */
  readonly bootId: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Values longer than `VALUE_CHARS_MAX` are cut. */
  readonly annotations: Readonly<Record<string, string>>;
  /** In the order of the object, by which a patch names them. */
  readonly taints: readonly SeenTaint[];
  /** By type. */
  readonly conditions: ReadonlyMap<string, SeenCondition>;
  /** Names of allocatable resources of which there is some. */
  readonly resources: ReadonlySet<string>;
  readonly providerId: string | null;
}

/** A proof cannot ask for a longer value. */
export const VALUE_CHARS_MAX = 512;
const MESSAGE_CHARS_MAX = 256;
const ENTRIES_MAX = 512;

/** Words that thousands of Nodes share are kept once. */
const SHARED = new Map<string, string>();
const SHARED_MAX = 5_000;

function shared(word: string): string {
  const known = SHARED.get(word);
  if (known !== undefined) return known;
  if (SHARED.size < SHARED_MAX) SHARED.set(word, word);
  return word;
}

function cutTexts(value: Json | undefined): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  const texts: [string, string][] = [];
  for (const [key, entry] of Object.entries(value).slice(0, ENTRIES_MAX))
    if (typeof entry === 'string') texts.push([key, shared(entry.slice(0, VALUE_CHARS_MAX + 1))]);
  return Object.fromEntries(texts);
}

function taintOf(entry: Json): SeenTaint {
  const text = (field: string): string => shared(textAt(entry, field) ?? '');
  return { key: text('key'), value: text('value'), effect: text('effect') };
}

/** What is longer is cut without showing half a secret, by which nobody would know it. */
function messageOf(text: string): string {
  return text.length <= MESSAGE_CHARS_MAX ? text : shownBeginning(text, MESSAGE_CHARS_MAX);
}

function conditionOf(entry: Json): readonly [string, SeenCondition] {
  const text = (field: string): string => shared(textAt(entry, field) ?? '');
  return [
    text('type'),
    {
      status: text('status'),
      reason: text('reason'),
      message: shared(messageOf(textAt(entry, 'message') ?? '')),
      heartbeatMs: isoMs(textAt(entry, 'lastHeartbeatTime')),
      transitionMs: isoMs(textAt(entry, 'lastTransitionTime')),
    },
  ];
}

/** A quantity is none when it has no digit but zeros: `0`, `0Ki`, `0.0`. */
function isSome(quantity: Json): boolean {
  const text = typeof quantity === 'number' ? String(quantity) : quantity;
  return typeof text === 'string' && /^\+?\d*\.?\d*/.exec(text)?.[0].match(/[1-9]/) !== null;
}

function resourcesOf(node: JsonObject): ReadonlySet<string> {
  const found = at(node, 'status.allocatable');
  if (!isObject(found)) return new Set();
  const some = Object.entries(found).filter(([, quantity]) => isSome(quantity));
  return new Set(some.map(([name]) => shared(name)));
}

/** Reads a Node; null for an object without a name, UID or version. */
export function readNode(node: JsonObject): NodeFacts | null {
  const name = textAt(node, 'metadata.name');
  const uid = textAt(node, 'metadata.uid');
  const resourceVersion = textAt(node, 'metadata.resourceVersion');
  if (name === null || uid === null || resourceVersion === null) return null;
  return {
    name,
    uid,
    resourceVersion,
    createdMs: isoMs(textAt(node, 'metadata.creationTimestamp')),
    isLeaving: textAt(node, 'metadata.deletionTimestamp') !== null,
    bootId: textAt(node, 'status.nodeInfo.bootID') || null,
    labels: cutTexts(at(node, 'metadata.labels')),
    annotations: cutTexts(at(node, 'metadata.annotations')),
    taints: listAt(node, 'spec.taints').map(taintOf),
    conditions: new Map(listAt(node, 'status.conditions').map(conditionOf)),
    resources: resourcesOf(node),
    providerId: textAt(node, 'spec.providerID'),
  };
}

export function hasTaint(
  node: NodeFacts,
  { key, effect }: { readonly key: string; readonly effect: string },
): boolean {
  return node.taints.some((taint) => taint.key === key && taint.effect === effect);
}
