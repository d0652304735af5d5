import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { toBase64 } from '../platform/certificates/base64.ts';
import type { Plants } from './plants.ts';

/** What kubectl writes beside an object: all of it, as it was applied. */
const APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

function entries(plants: Plants, place: string): JsonObject {
  return Object.fromEntries(plants.all(place).map(({ name, secret }) => [name, secret]));
}

function fields(object: Json | undefined): JsonObject {
  return isObject(object) ? object : {};
}

/** Changes one field below others where it is there. */
function changed(
  object: JsonObject,
  path: readonly string[],
  change: (value: Json) => Json,
): JsonObject {
  const [first = '', ...rest] = path;
  const value = object[first];
  if (value === undefined) return object;
  if (rest.length === 0) return { ...object, [first]: change(value) };
  return isObject(value) ? { ...object, [first]: changed(value, rest, change) } : object;
}

function each(value: Json, change: (item: JsonObject) => JsonObject): Json {
  if (!Array.isArray(value)) return value;
  return (value as readonly Json[]).map((item) => (isObject(item) ? change(item) : item));
}

/** Behind what a field says already, so that what reads it goes on reading it. */
function said(plants: Plants, place: string, field: string): (item: JsonObject) => JsonObject {
  return (item) => {
    const text = textAt(item, field);
    if (text === null || text === '') return item;
    return { ...item, [field]: `${text} (${plants.next(place).text})` };
  };
}

function annotated(plants: Plants, object: JsonObject, kind: string): JsonObject {
  const place = `${kind} annotations`;
  const env = plants.all(`${place}, applied`).map(({ name, secret }) => ({ name, value: secret }));
  const applied = JSON.stringify({ kind, spec: { containers: [{ name: 'web', env }] } });
  const metadata = fields(object['metadata']);
  const annotations = {
    ...fields(metadata['annotations']),
    [APPLIED]: applied,
    'example.com/notes': plants.next(`${place}, notes`).text,
  };
  return { ...object, metadata: { ...metadata, annotations } };
}

function container(plants: Plants, kind: string): (one: JsonObject) => JsonObject {
  return (one) => ({
    ...one,
    env: [
      ...listAt(one, 'env'),
      ...plants.all(`${kind} env`).map(({ name, secret }) => ({ name, value: secret })),
    ],
    args: [...listAt(one, 'args'), plants.next(`${kind} args`).text],
    command: [...listAt(one, 'command'), plants.next(`${kind} command`).text],
  });
}

const POD_SPECS = [['spec'], ['spec', 'template', 'spec']] as const;
const STATES = ['state.waiting', 'state.terminated', 'lastState.terminated'] as const;

function withContainers(plants: Plants, object: JsonObject, kind: string): JsonObject {
  const paths = POD_SPECS.flatMap((spec) => [
    [...spec, 'containers'],
    [...spec, 'initContainers'],
  ]);
  return paths.reduce(
    (whole, path) => changed(whole, path, (value) => each(value, container(plants, kind))),
    object,
  );
}

function withStatus(plants: Plants, object: JsonObject, kind: string): JsonObject {
  const conditions = changed(object, ['status', 'conditions'], (value) =>
    each(value, said(plants, `${kind} conditions`, 'message')),
  );
  const state = said(plants, `${kind} container states`, 'message');
  const withStates = (one: JsonObject): JsonObject =>
    STATES.reduce(
      (whole, path) =>
        changed(whole, path.split('.'), (value) => (isObject(value) ? state(value) : value)),
      one,
    );
  return changed(conditions, ['status', 'containerStatuses'], (value) => each(value, withStates));
}

/** `aws-auth` is configuration that programs read, and holds what people write beside it. */
function withEntries(plants: Plants, object: JsonObject): JsonObject {
  const before = fields(object['data']);
  const roles = textAt(before, 'mapRoles');
  if (roles !== null) {
    const comment = `${roles.trimEnd()}\n# ${plants.next('aws-auth').text}\n`;
    return { ...object, data: { ...before, mapRoles: comment } };
  }
  const notes = plants.all('ConfigMap files').map(({ text }) => `${text}\n`);
  const more = { ...entries(plants, 'ConfigMap entries'), 'notes.conf': notes.join('') };
  return { ...object, data: { ...before, ...more } };
}

function withSecretEntries(plants: Plants, object: JsonObject): JsonObject {
  const more = plants.all('Secret data').map(({ name, secret }) => [name, toBase64(secret)]);
  return { ...object, data: { ...fields(object['data']), ...Object.fromEntries(more) } };
}

/** An object of the API server with secrets wherever people and programs put them. */
export function plantedObject(plants: Plants, object: JsonObject, kind: string): JsonObject {
  const whole = annotated(plants, object, kind);
  if (kind === 'ConfigMap') return withEntries(plants, whole);
  if (kind === 'Secret') return withSecretEntries(plants, whole);
  if (kind === 'Event') return said(plants, 'Event messages', 'message')(whole);
  return withStatus(plants, withContainers(plants, whole, kind), kind);
}

/** Every so many lines of a log one is planted. */
const LINES_BETWEEN = 4;

/** A log with lines of somebody's own program between its lines. */
export function plantedLog(plants: Plants, text: string, place: string): string {
  const lines = text.split('\n').flatMap((line, index) => {
    const isOpen = /(?:rror|ailed|nable)\b.*[^"'}\]]$/.test(line);
    const whole = isOpen ? `${line} (${plants.next(`${place}, errors`).text})` : line;
    return index % LINES_BETWEEN === 1 ? [whole, plants.next(place).text] : [whole];
  });
  return lines.join('\n');
}

/** The kind of an object that says it, else of the list that it is in. */
export function kindOf(object: JsonObject, listed: string): string {
  const kind = at(object, 'kind');
  return typeof kind === 'string' ? kind : listed;
}
