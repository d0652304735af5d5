/** The documents of an example, from which servers answer the real clients. */
import { loadAll } from 'js-yaml';
import { isObject, type Json, type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import type { ExampleFile } from '../../test/causes/example.ts';

export interface Held {
  readonly objects: readonly JsonObject[];
  /** Answers of AWS, each as the CLI prints it. */
  readonly answers: readonly JsonObject[];
}

function parsed(text: string): readonly unknown[] {
  const [first] = text.trimStart();
  try {
    if (first === '{' || first === '[') return [JSON.parse(text)];
    const isObjects = /^kind: /m.test(text) && /^apiVersion: /m.test(text);
    return isObjects || /^[A-Z]\w+:$/m.test(text) ? loadAll(text) : [];
  } catch {
    return [];
  }
}

/** Outputs behind their prompts, as a terminal shows several commands. */
function outputsIn(text: string): readonly string[] {
  return text.split(/^(?:\[?[\w.@: ~-]*\]?[$#]) .*$/m).filter((part) => part.trim() !== '');
}

function objectsIn(document: JsonObject): readonly JsonObject[] {
  if (textAt(document, 'kind')?.endsWith('List') === true && Array.isArray(document['items'])) {
    const apiVersion = textAt(document, 'apiVersion') ?? 'v1';
    const kind = (textAt(document, 'kind') ?? '').replace(/List$/, '');
    return listAt(document, 'items')
      .filter(isObject)
      .flatMap((item) => objectsIn({ ...(kind === '' ? {} : { apiVersion, kind }), ...item }));
  }
  const isKept = textAt(document, 'metadata.name') !== null && 'kind' in document;
  return isKept ? [document] : [];
}

const EVENT =
  /^(?:(\S+)\s+)?(?:\d+[smhd]\S*|<\w+>)(?: \(.*?\))?\s+(Normal|Warning)\s+(\w+)\s+([\w.-]+)\/(\S+)\s+(.+)$/gm;

/** Events as the objects that the table tells of. */
function eventsIn(text: string): readonly JsonObject[] {
  return [...text.matchAll(EVENT)].map((row, index) => {
    const [, namespace = 'default', type = '', reason = '', kind = '', name = '', message = ''] =
      row;
    const now = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+/, '');
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${index}`, namespace, creationTimestamp: now },
      involvedObject: {
        kind: kind.replace(/^\w/, (first) => first.toUpperCase()),
        name,
        namespace,
      },
      type,
      reason,
      message: message.trim(),
      count: 1,
      firstTimestamp: now,
      lastTimestamp: now,
      source: { component: 'kubelet' },
    };
  });
}

export function heldIn(files: readonly ExampleFile[]): Held {
  const texts = files.map(({ text }) => text);
  const documents = texts
    .flatMap((text) => (parsed(text).length > 0 ? [text] : outputsIn(text)))
    .flatMap((text) => parsed(text))
    .filter((document) => isObject(document as Json)) as JsonObject[];
  const objects = documents.flatMap(objectsIn);
  const events = objects.some(({ kind }) => kind === 'Event') ? [] : texts.flatMap(eventsIn);
  return {
    objects: [...objects, ...events],
    answers: documents.filter((document) => !('kind' in document)),
  };
}
