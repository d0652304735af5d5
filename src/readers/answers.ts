import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../evidence/json.ts';
import { readAwsAnswer } from './aws/answer.ts';
import { readKubeObject } from './kube/object.ts';
import type { PassageReading } from './passage.ts';

/** Reads a JSON or YAML value as Kubernetes objects or an AWS answer; false when it is neither. */
export function readAnswer(passage: PassageReading, value: Json, line: number): boolean {
  if (Array.isArray(value)) return readEach(passage, value, line);
  if (!isObject(value)) return false;
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

/** A list names the kind of its items only in its own kind (`NodeList`). */
function readList(passage: PassageReading, list: JsonObject, line: number): boolean {
  const itemKind = (textAt(list, 'kind') ?? '').replace(/List$/, '');
  const items = listAt(list, 'items').filter(isObject);
  for (const item of items) {
    const kind = textAt(item, 'kind') ?? itemKind;
    readKubeObject(passage, { apiVersion: 'v1', ...item, kind }, line);
  }
  if (
    itemKind === 'Node' ||
    (items.length > 0 && items.every((item) => textAt(item, 'kind') === 'Node'))
  ) {
    const { collector, document } = passage;
    collector.listing('kube/Node', 'kubectl get nodes', collector.locatorOf(document));
  }
  return true;
}
