import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../evidence/json.ts';
import { readAwsAnswer } from './aws/answer.ts';
import { readKubeObject } from './kube/object.ts';
import { isKubeKind } from '../evidence/kube/shapes.ts';
import { isOurs, readOurs } from './ours.ts';
import type { PassageReading } from './passage.ts';

/** Reads a JSON or YAML value as Kubernetes objects or an AWS answer; false when it is neither. */
export function readAnswer(passage: PassageReading, value: Json, line: number): boolean {
  if (Array.isArray(value)) return readEach(passage, value, line);
  if (!isObject(value)) return false;
  if (isOurs(value)) return readOurs(passage, value, line);
  if (isKubeList(value)) return readList(passage, value, line);
  if (textAt(value, 'kind') !== null && textAt(value, 'apiVersion') !== null) {
    return readKubeObject(passage, value, line);
  }
  return readAwsAnswer(passage, value, line);
}

function readEach(passage: PassageReading, values: readonly Json[], line: number): boolean {
  let understood = false;
  for (const value of values) {
    if (isObject(value) && readAnswer(passage, value, line)) understood = true;
  }
  return understood;
}

function isKubeList(value: JsonObject): boolean {
  const kind = textAt(value, 'kind');
  return kind?.endsWith('List') === true && Array.isArray(at(value, 'items'));
}

/** Rollcall marks its own lists of all objects of a kind; those of kubectl may be of one namespace. */
function isComplete(list: JsonObject): boolean {
  return textAt(list, 'metadata.annotations.rollcall') === 'complete';
}

/** A page before the last one; what it lacks may stand on another. */
function isPart(list: JsonObject): boolean {
  const more = textAt(list, 'metadata.continue') ?? '';
  return more !== '' || textAt(list, 'metadata.annotations.rollcall') === 'part';
}

function soleKind(items: readonly JsonObject[]): string {
  const kinds = new Set(items.map((item) => textAt(item, 'kind') ?? ''));
  const [only = ''] = kinds;
  return kinds.size === 1 ? only : '';
}

function kubectlOf(kind: string): string {
  return `kubectl get ${kind.toLowerCase()}s${kind === 'Node' ? '' : ' -A'}`;
}

/** The ConfigMap is looked for in the list of its namespace; that namespace is never empty. */
const AWS_AUTH = 'kubectl -n kube-system get configmap aws-auth';

/** kubeadm's ConfigMap, in a namespace of its own. */
const DISCOVERY = 'kubectl -n kube-public get configmap cluster-info';

/** What a complete list of a namespace's ConfigMaps proves to be absent when it does not show it. */
function sayConfigMaps(
  { collector, document }: PassageReading,
  list: JsonObject,
  items: readonly JsonObject[],
): void {
  const locator = collector.locatorOf(document);
  const namespaces = new Set(items.map((item) => textAt(item, 'metadata.namespace')));
  namespaces.add(textAt(list, 'metadata.annotations.rollcall-namespace'));
  if (namespaces.has('kube-system')) collector.listing('kube/aws-auth', AWS_AUTH, locator);
  if (namespaces.has('kube-public')) collector.listing('kube/cluster-info', DISCOVERY, locator);
}

function locatorOf({ collector, document }: PassageReading): string {
  return collector.locatorOf(document);
}

/** A list names the kind of its items only in its own kind (`NodeList`). */
function readList(passage: PassageReading, list: JsonObject, line: number): boolean {
  const itemKind = (textAt(list, 'kind') ?? '').replace(/List$/, '');
  const items = listAt(list, 'items').filter(isObject);
  for (const item of items) {
    const kind = textAt(item, 'kind') ?? itemKind;
    readKubeObject(passage, { apiVersion: 'v1', ...item, kind }, line);
  }
  if (isPart(list)) return true;
  const listed = itemKind === '' ? soleKind(items) : itemKind;
  if (listed === 'Node' || (isKubeKind(listed) && isComplete(list)))
    passage.collector.listing(`kube/${listed}`, kubectlOf(listed), locatorOf(passage));
  if (listed === 'ConfigMap' && isComplete(list)) sayConfigMaps(passage, list, items);
  return true;
}
