import { at, type Json, type JsonObject, listAt, textAt, textsAt } from '../../../evidence/json.ts';
import {
  conditionOf,
  controllerOf,
  keyOf,
  nameOf,
  namespaceOf,
  type Owner,
  uidOf,
} from './meta.ts';
import { quantityOf } from './quantity.ts';
import { type Toleration, tolerationsOf } from './taints.ts';

export type Requests = ReadonlyMap<string, number>;

/** What of a pod's spec decides where it may go; specs change once in a pod's life, if at all. */
export interface PodSpec {
  readonly nodeName: string;
  readonly schedulerName: string;
  readonly isHostNetwork: boolean;
  readonly tolerations: readonly Toleration[];
  readonly requests: Requests;
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** `requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`; null when absent. */
  readonly nodeTerms: readonly Json[] | null;
  /** The one node a DaemonSet meant, by `matchFields`; null for others. */
  readonly pinnedTo: string | null;
  readonly hostPorts: readonly string[];
  /** Names of the claims of its volumes. */
  readonly claims: readonly string[];
  readonly priority: number;
  readonly gates: number;
}

export interface PodView {
  readonly object: JsonObject;
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly spec: PodSpec;
  readonly owner: Owner | null;
  readonly phase: string;
  readonly isTerminating: boolean;
  /** Succeeded or Failed: it uses nothing any more. */
  readonly isOver: boolean;
  readonly isReady: boolean;
  /** Of the template it was made from, for pods of DaemonSets. */
  readonly revision: string;
}

const SPECS = new WeakMap<object, PodSpec>();
const VIEWS = new WeakMap<JsonObject, PodView>();
const NO_SPEC: JsonObject = {};

/** The pod as controllers read it; read once for each version. */
export function podView(object: JsonObject): PodView {
  const known = VIEWS.get(object);
  if (known !== undefined) return known;
  const view = readPod(object);
  VIEWS.set(object, view);
  return view;
}

function readPod(object: JsonObject): PodView {
  const phase = textAt(object, 'status.phase') ?? 'Pending';
  return {
    object,
    key: keyOf(object),
    namespace: namespaceOf(object),
    name: nameOf(object),
    uid: uidOf(object),
    spec: podSpec(object),
    owner: controllerOf(object),
    phase,
    isTerminating: textAt(object, 'metadata.deletionTimestamp') !== null,
    isOver: phase === 'Succeeded' || phase === 'Failed',
    isReady: conditionOf(object, 'Ready')?.status === 'True',
    revision: textAt(object, 'metadata.labels.controller-revision-hash') ?? '',
  };
}

/** The spec of a pod, or of a template that has `spec` in its place. */
export function podSpec(object: JsonObject): PodSpec {
  const found = at(object, 'spec');
  const spec = typeof found === 'object' && found !== null ? (found as JsonObject) : NO_SPEC;
  const known = SPECS.get(spec);
  if (known !== undefined) return known;
  const read = readSpec(spec);
  SPECS.set(spec, read);
  return read;
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

function readSpec(spec: JsonObject): PodSpec {
  const required = at(spec, `affinity.nodeAffinity.${REQUIRED}`);
  const nodeTerms = required === undefined ? null : listAt(required, 'nodeSelectorTerms');
  return {
    nodeName: textAt(spec, 'nodeName') ?? '',
    schedulerName: textAt(spec, 'schedulerName') ?? 'default-scheduler',
    isHostNetwork: textAt(spec, 'hostNetwork') === 'true',
    tolerations: tolerationsOf(spec),
    requests: requestsOf(spec),
    nodeSelector: textsAt(spec, 'nodeSelector'),
    nodeTerms,
    pinnedTo: pinnedNode(nodeTerms),
    hostPorts: hostPortsOf(spec),
    claims: claimsOf(spec),
    priority: Number(textAt(spec, 'priority') ?? 0),
    gates: listAt(spec, 'schedulingGates').length,
  };
}

/** PreFilter of the scheduler's NodeAffinity: terms that all name their node narrow the search. */
function pinnedNode(terms: readonly Json[] | null): string | null {
  if (terms?.length !== 1) return null;
  const [field] = listAt(terms[0], 'matchFields');
  if (textAt(field, 'key') !== 'metadata.name' || textAt(field, 'operator') !== 'In') return null;
  const values = listAt(field, 'values');
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : null;
}

/** Sum over containers or the largest init container, whichever is more, plus the overhead. */
function requestsOf(spec: JsonObject): Requests {
  const sum = new Map<string, number>();
  for (const container of listAt(spec, 'containers'))
    for (const [resource, amount] of requestOf(container))
      sum.set(resource, (sum.get(resource) ?? 0) + amount);
  for (const container of listAt(spec, 'initContainers'))
    for (const [resource, amount] of requestOf(container))
      sum.set(resource, Math.max(sum.get(resource) ?? 0, amount));
  for (const [resource, amount] of amountsOf(spec, 'overhead'))
    sum.set(resource, (sum.get(resource) ?? 0) + amount);
  return sum;
}

/** A limit without a request is the request (defaulting of core/v1). */
function requestOf(container: Json): Requests {
  return new Map([
    ...amountsOf(container, 'resources.limits'),
    ...amountsOf(container, 'resources.requests'),
  ]);
}

/** Amounts of a resource list, `cpu` in cores and memory in bytes. */
export function amountsOf(value: Json | undefined, path: string): Requests {
  const found = at(value, path);
  if (typeof found !== 'object' || found === null) return new Map();
  const amounts = new Map<string, number>();
  for (const [key, amount] of Object.entries(found as JsonObject))
    if (typeof amount === 'string' || typeof amount === 'number')
      amounts.set(key, quantityOf(String(amount)));
  return amounts;
}

function hostPortsOf(spec: JsonObject): readonly string[] {
  return listAt(spec, 'containers').flatMap((container) =>
    listAt(container, 'ports').flatMap((port) => {
      const number = textAt(port, 'hostPort');
      return number === null ? [] : [`${textAt(port, 'protocol') ?? 'TCP'}/${number}`];
    }),
  );
}

function claimsOf(spec: JsonObject): readonly string[] {
  return listAt(spec, 'volumes').flatMap((volume) => {
    const claim = textAt(volume, 'persistentVolumeClaim.claimName');
    return claim === null ? [] : [claim];
  });
}
