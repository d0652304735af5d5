import { Buffer } from 'node:buffer';
import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';

type Bytes = Uint8Array;

/** A whole number, seven bits a byte, the lowest first. */
function varint(value: number): Bytes {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}

/** A field of a message: text, or a message. */
function field(number: number, value: string | Bytes): Bytes {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.byteLength), bytes]);
}

function flag(number: number): Bytes {
  return Buffer.concat([varint(number * 8), varint(1)]);
}

function message(...parts: readonly Bytes[]): Bytes {
  return Buffer.concat(parts);
}

/** A text of the object, nothing where there is none. */
function textField(number: number, object: JsonObject, key: string): Bytes {
  const value = object[key];
  return typeof value === 'string' ? field(number, value) : message();
}

function texts(number: number, value: Json | undefined): Bytes {
  const list = Array.isArray(value) ? (value as readonly Json[]) : [];
  return message(...list.map((one) => field(number, typeof one === 'string' ? one : '')));
}

/** Each entry as a message of its name and itself. */
function named(number: number, object: JsonObject, write: (value: JsonObject) => Bytes): Bytes {
  const entries = Object.entries(object).map(([name, value]) =>
    field(number, message(field(1, name), field(2, write(value as JsonObject)))),
  );
  return message(...entries);
}

/** `x-…`, each with its value as YAML. */
function extensions(number: number, object: JsonObject): Bytes {
  const own = Object.entries(object).filter(([key]) => key.startsWith('x-'));
  const written = own.map(([name, value]) =>
    field(number, message(field(1, name), field(2, field(2, JSON.stringify(value))))),
  );
  return message(...written);
}

function schema(object: JsonObject): Bytes {
  const { additionalProperties, items, properties, type } = object;
  return message(
    textField(1, object, '$ref'),
    textField(2, object, 'format'),
    textField(4, object, 'description'),
    texts(19, object['required']),
    extra(additionalProperties),
    typeof type === 'string' ? field(22, field(1, type)) : message(),
    isObject(items) ? field(23, field(1, schema(items))) : message(),
    isObject(properties) ? field(25, named(1, properties, schema)) : message(),
    extensions(31, object),
  );
}

function extra(value: Json | undefined): Bytes {
  if (isObject(value)) return field(21, field(1, schema(value)));
  return value === true ? field(21, flag(2)) : message();
}

function parameter(object: JsonObject): Bytes {
  const own = message(
    textField(2, object, 'in'),
    textField(4, object, 'name'),
    textField(6, object, 'type'),
    object['uniqueItems'] === true ? flag(20) : message(),
  );
  // Not in the body, but in the query.
  return field(1, field(2, field(3, own)));
}

const RESPONSES = field(1, message(field(1, '200'), field(2, field(1, field(1, 'OK')))));

function operation(object: JsonObject): Bytes {
  const parameters = object['parameters'] as readonly JsonObject[];
  return message(
    texts(7, object['consumes']),
    ...parameters.map((one) => field(8, parameter(one))),
    field(9, RESPONSES),
    extensions(13, object),
  );
}

const METHODS: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, patch: 8 };

function pathItem(object: JsonObject): Bytes {
  const methods = Object.entries(object).map(([method, value]) =>
    field(METHODS[method] ?? 2, operation(value as JsonObject)),
  );
  return message(...methods);
}

/** A document of OpenAPI v2 as kubectl reads it: in protocol buffers (gnostic's openapi.v2). */
export function encodeOpenApiV2(document: JsonObject): Bytes {
  const about = document['info'] as JsonObject;
  return message(
    field(1, '2.0'),
    field(2, message(textField(1, about, 'title'), textField(2, about, 'version'))),
    field(8, named(2, document['paths'] as JsonObject, pathItem)),
    field(9, named(1, document['definitions'] as JsonObject, schema)),
  );
}
