import { type Json, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import { type Condition, conditionsOf, labelsOf, nameOf, uidOf } from './meta.ts';
import { amountsOf, type Requests } from './pod.ts';
import { parsedMs } from './stamp.ts';
import { type Taint, taintsOf } from './taints.ts';

export interface NodeView {
  readonly object: JsonObject;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly isUnschedulable: boolean;
  readonly allocatable: Requests;
  readonly conditions: readonly Condition[];
  readonly ready: Condition | null;
  readonly providerId: string;
  readonly createdMs: number;
}

const VIEWS = new WeakMap<JsonObject, NodeView>();

/** The Node as controllers read it; read once for each version. */
export function nodeView(object: JsonObject): NodeView {
  const known = VIEWS.get(object);
  if (known !== undefined) return known;
  const view = readNode(object);
  VIEWS.set(object, view);
  return view;
}

function readNode(object: JsonObject): NodeView {
  const conditions = conditionsOf(object);
  return {
    object,
    name: nameOf(object),
    uid: uidOf(object),
    labels: labelsOf(object),
    taints: taintsOf(object),
    isUnschedulable: textAt(object, 'spec.unschedulable') === 'true',
    allocatable: amountsOf(object, 'status.allocatable'),
    conditions,
    ready: conditions.find(({ type }) => type === 'Ready') ?? null,
    providerId: textAt(object, 'spec.providerID') ?? '',
    createdMs: parsedMs(textAt(object, 'metadata.creationTimestamp')) ?? 0,
  };
}

export function isReady(node: NodeView): boolean {
  return node.ready?.status === 'True';
}

/** One requirement of a NodeSelectorTerm (component-helpers scheduling/corev1/nodeaffinity). */
function meets(requirement: Json, value: string | undefined): boolean {
  const values = listAt(requirement, 'values');
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

/** A term without requirements selects nothing. */
function meetsTerm(term: Json, name: string, labels: NodeView['labels']): boolean {
  const expressions = listAt(term, 'matchExpressions');
  const fields = listAt(term, 'matchFields');
  if (expressions.length === 0 && fields.length === 0) return false;
  return (
    expressions.every((entry) => meets(entry, labels[textAt(entry, 'key') ?? ''])) &&
    fields.every((entry) => textAt(entry, 'key') === 'metadata.name' && meets(entry, name))
  );
}

export function meetsTerms(
  terms: readonly Json[],
  name: string,
  labels: NodeView['labels'],
): boolean {
  return terms.some((term) => meetsTerm(term, name, labels));
}

/** The pod's nodeSelector and required node affinity. */
export function isWanted(
  node: Pick<NodeView, 'name' | 'labels'>,
  spec: { readonly nodeSelector: NodeView['labels']; readonly nodeTerms: readonly Json[] | null },
): boolean {
  for (const key of Object.keys(spec.nodeSelector))
    if (node.labels[key] !== spec.nodeSelector[key]) return false;
  return spec.nodeTerms === null || meetsTerms(spec.nodeTerms, node.name, node.labels);
}
