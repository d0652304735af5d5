import { Buffer } from 'node:buffer';
import type { Json, JsonObject } from '../../../evidence/json.ts';
import { type Coding, type Message, messageName, messageOf } from './messages.ts';
import { scalarOf, textOf } from './scalars.ts';
import { WireError, wireFields } from './wire.ts';

/** What every object in protocol buffers begins with. */
const MAGIC = Buffer.from('k8s\0');

/**
 * An object as k8s.io/apimachinery writes it in protocol buffers, as JSON has it; null for one of
 * a kind that is not known here.
 *
 * @throws WireError where the bytes are no such object
 */
export function decodeObject(bytes: Uint8Array): JsonObject | null {
  if (!MAGIC.equals(bytes.subarray(0, MAGIC.byteLength)))
    throw new WireError('the body does not begin as an object in protocol buffers does');
  let type: readonly [string, string] = ['', ''];
  let raw: Uint8Array = new Uint8Array(0);
  for (const { number, bytes: own } of wireFields(bytes.subarray(MAGIC.byteLength))) {
    if (number === 1) type = typeOf(own);
    if (number === 2) raw = own;
  }
  const [apiVersion, kind] = type;
  const message = messageOf(messageName(apiVersion, kind));
  return message === null ? null : { apiVersion, kind, ...decoded(raw, message) };
}

function typeOf(bytes: Uint8Array): readonly [string, string] {
  let [apiVersion, kind] = ['', ''];
  for (const { number, bytes: own } of wireFields(bytes)) {
    if (number === 1) apiVersion = textOf(own);
    if (number === 2) kind = textOf(own);
  }
  return [apiVersion, kind];
}

interface Place {
  readonly values: Map<string, Json>;
  readonly lists: Map<string, Json[]>;
  readonly maps: Map<string, Map<string, Json>>;
}

/** No message contains itself, so that the table bounds how deep this goes. */
function decoded(bytes: Uint8Array, message: Message): JsonObject {
  const place: Place = { values: new Map(), lists: new Map(), maps: new Map() };
  for (const wire of wireFields(bytes)) {
    const field = message.get(wire.number);
    if (field === undefined) continue;
    const { name, coding, isKept } = field;
    if (coding.is === 'list')
      entryOf(place.lists, name, () => []).push(one(wire, coding.element) ?? null);
    else if (coding.is === 'map') {
      const [key, value] = pair(wire.bytes, coding.element);
      entryOf(place.maps, name, () => new Map<string, Json>()).set(key, value);
    } else put(place, name, one(wire, coding), isKept);
  }
  return joined(place);
}

function put({ values }: Place, name: string, value: Json | undefined, isKept: boolean): void {
  if (value === undefined) return;
  if (name === '') {
    for (const [key, entry] of Object.entries(value as JsonObject)) values.set(key, entry);
    return;
  }
  const isZero = value === '' || value === 0 || value === false;
  if (isKept || !isZero) values.set(name, value);
}

function entryOf<T>(all: Map<string, T>, name: string, make: () => T): T {
  const known = all.get(name);
  if (known !== undefined) return known;
  const made = make();
  all.set(name, made);
  return made;
}

function joined({ values, lists, maps }: Place): JsonObject {
  const entries: [string, Json][] = [...values, ...lists];
  for (const [name, map] of maps) entries.push([name, Object.fromEntries(map)]);
  return Object.fromEntries(entries);
}

type Wire = Parameters<typeof scalarOf>[1];

function one(wire: Wire, coding: Coding): Json | undefined {
  if (coding.is === 'scalar') return scalarOf(coding.code, wire);
  if (coding.is !== 'message') throw new WireError('a list stands in a list');
  const message = messageOf(coding.name);
  if (message === null) throw new WireError(`the message ${coding.name} is not known`);
  return decoded(wire.bytes, message);
}

function pair(bytes: Uint8Array, element: Coding): readonly [string, Json] {
  let key = '';
  let value: Json = '';
  for (const wire of wireFields(bytes)) {
    if (wire.number === 1) key = textOf(wire.bytes);
    if (wire.number === 2) value = one(wire, element) ?? null;
  }
  return [key, value];
}
