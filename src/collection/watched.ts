import { at, type Json, type JsonObject, listAt, textAt } from '../evidence/json.ts';
import type { KubeResource, KubeSelection } from '../ports/kube-api.ts';
import { EVENTS, KUBE_LISTS, NODES, PODS } from './resources.ts';

/** Objects whose changes between two looks are a reason to look again. */
export interface WatchedKind {
  readonly resource: KubeResource;
  readonly selection: KubeSelection;
  /** True for kinds that only some clusters have. */
  readonly isOptional: boolean;
  /** True where a new object, or one that is gone, means a machine that AWS is to be asked about. */
  readonly isOfMachines: boolean;
  /** What of an object matters: a heartbeat leaves it as it is. */
  readonly markOf: (object: JsonObject) => string;
}

function picked(values: readonly Json[], keys: readonly string[]): Json {
  return values.map((value) => keys.map((key) => at(value, key) ?? null));
}

/** Conditions without their times and messages, in which numbers count up. */
function conditionsOf(object: JsonObject): Json {
  return picked(listAt(object, 'status.conditions'), ['type', 'status', 'reason']);
}

function fieldsOf(object: JsonObject, paths: readonly string[]): Json {
  return paths.map((path) => at(object, path) ?? null);
}

const NODE_FIELDS = [
  'metadata.deletionTimestamp',
  'metadata.labels',
  'spec.providerID',
  'spec.unschedulable',
  'spec.taints',
  'status.addresses',
  'status.allocatable',
];

function markOfNode(node: JsonObject): string {
  return JSON.stringify([fieldsOf(node, NODE_FIELDS), conditionsOf(node)]);
}

const POD_FIELDS = ['metadata.deletionTimestamp', 'spec.nodeName', 'status.phase', 'status.reason'];
const CONTAINER_FIELDS = [
  'name',
  'ready',
  'restartCount',
  'state.waiting.reason',
  'state.terminated.reason',
];

function markOfPod(pod: JsonObject): string {
  const containers = ['status.initContainerStatuses', 'status.containerStatuses'].map((path) =>
    picked(listAt(pod, path), CONTAINER_FIELDS),
  );
  return JSON.stringify([fieldsOf(pod, POD_FIELDS), conditionsOf(pod), containers]);
}

const CLAIM_FIELDS = ['metadata.deletionTimestamp', 'status.providerID', 'status.nodeName'];

function markOfClaim(claim: JsonObject): string {
  return JSON.stringify([fieldsOf(claim, CLAIM_FIELDS), conditionsOf(claim)]);
}

function markOfRequest(request: JsonObject): string {
  const isIssued = textAt(request, 'status.certificate') !== null;
  return JSON.stringify([isIssued, conditionsOf(request)]);
}

const EVENT_FIELDS = ['involvedObject.name', 'reason', 'message'];

/** An Event that is repeated only counts up. */
function markOfEvent(event: JsonObject): string {
  return JSON.stringify(fieldsOf(event, EVENT_FIELDS));
}

function kind(
  resource: KubeResource,
  markOf: WatchedKind['markOf'],
  more: Partial<WatchedKind> = {},
): WatchedKind {
  const usual = { selection: {}, isOptional: false, isOfMachines: false };
  return { resource, markOf, ...usual, ...more };
}

function planned(name: string, markOf: WatchedKind['markOf'], isOfMachines = false): WatchedKind[] {
  return KUBE_LISTS.filter(({ resource }) => resource.kind === name).map(
    ({ resource, isOptional }) => kind(resource, markOf, { isOptional, isOfMachines }),
  );
}

/** What is watched of every cluster. Of Events only the warnings about Nodes: the rest never ends. */
export const WATCHED_KINDS: readonly WatchedKind[] = [
  kind(NODES, markOfNode, { isOfMachines: true }),
  kind(PODS, markOfPod, { selection: { namespace: 'kube-system' } }),
  ...planned('NodeClaim', markOfClaim, true),
  ...planned('CertificateSigningRequest', markOfRequest),
  kind(EVENTS, markOfEvent, {
    selection: { fieldSelector: 'involvedObject.kind=Node,type=Warning' },
  }),
];

const NODE_NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

/** All Pods of one Node; null for a name that no Node can have. */
export function podsOfNode(node: string): WatchedKind | null {
  if (!NODE_NAME.test(node)) return null;
  return kind(PODS, markOfPod, { selection: { fieldSelector: `spec.nodeName=${node}` } });
}
