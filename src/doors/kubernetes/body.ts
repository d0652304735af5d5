import type { IncomingMessage } from 'node:http';
import { CORE_SCHEMA, load } from 'js-yaml';
import { isObject, type Json } from '../../evidence/json.ts';
import type { PatchType } from '../../sim/kube/contract.ts';
import { BODIES_BYTES_MAX, BODY_BYTES_MAX, BODY_DEPTH_MAX, YAML_VALUES_MAX } from './limits.ts';
import { decodeObject } from './protobuf/decode.ts';
import { WireError } from './protobuf/wire.ts';
import type { Site } from './site.ts';
import { badRequest, bodyTooLarge, tooManyRequests, unsupportedMediaType } from './status.ts';

/** Reads a body into memory, within its own limit and that of all bodies. @throws DoorRefusal */
export async function readBody(site: Site, request: IncomingMessage): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > BODY_BYTES_MAX) throw bodyTooLarge(BODY_BYTES_MAX);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      site.arriving.bytes += chunk.byteLength;
      if (bytes > BODY_BYTES_MAX) throw bodyTooLarge(BODY_BYTES_MAX);
      if (site.arriving.bytes > BODIES_BYTES_MAX) throw tooManyRequests();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    site.arriving.bytes -= bytes;
  }
}

/** `application/json` of `Application/JSON; charset=utf-8`; JSON where nothing is said. */
export function mediaType(request: IncomingMessage): string {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  const trimmed = type.trim().toLowerCase();
  return trimmed === '' ? 'application/json' : trimmed;
}

const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

const CUSTOM_PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/apply-patch+yaml',
];

/** What kind of patch a content type is. @throws DoorRefusal 415 */
export function patchTypeOf(type: string, isCustom: boolean): PatchType {
  const accepted = isCustom ? CUSTOM_PATCH_TYPES : Object.keys(PATCH_TYPES);
  const patchType = accepted.includes(type) ? PATCH_TYPES[type] : undefined;
  if (patchType === undefined) throw unsupportedMediaType(accepted);
  return patchType;
}

/** Values of a body; null without one. @throws DoorRefusal 400, 415 */
export function parseBody(type: string, bytes: Buffer): Json {
  if (bytes.byteLength === 0) return null;
  if (type === 'application/yaml' || type === 'application/apply-patch+yaml')
    return parseYaml(textOf(bytes));
  if (type === 'application/json' || type.endsWith('+json')) return parseJson(textOf(bytes));
  if (type === PROTOBUF) return parseProtobuf(bytes);
  throw unsupportedMediaType(['application/json', 'application/yaml', PROTOBUF]);
}

/** In which typed clients of Go, kubectl among them, send what they create. */
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

function parseProtobuf(bytes: Buffer): Json {
  try {
    const object = decodeObject(bytes);
    if (object === null) throw unsupportedMediaType(['application/json', 'application/yaml']);
    return object;
  } catch (error) {
    if (error instanceof WireError) throw badRequest(`error decoding the body: ${error.message}`);
    throw error;
  }
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badRequest('the body of the request is not valid UTF-8');
  }
}

function parseJson(text: string): Json {
  if (isDeep(text)) throw badRequest('exceeded max depth');
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw badRequest(`error decoding the body: ${messageOf(error)}`);
  }
}

/** Nesting outside of strings, without recursion. */
function isDeep(text: string): boolean {
  let depth = 0;
  let isText = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isText) {
      if (code === BACKSLASH) index++;
      else isText = code !== QUOTE;
    } else if (code === QUOTE) isText = true;
    else if (code === BRACE || code === BRACKET) {
      if (++depth > BODY_DEPTH_MAX) return true;
    } else if (code === BRACE_END || code === BRACKET_END) depth--;
  }
  return false;
}

const QUOTE = 34;
const BACKSLASH = 92;
const BRACE = 123;
const BRACE_END = 125;
const BRACKET = 91;
const BRACKET_END = 93;

/** No manifest that kubectl sends has aliases; a few are let pass. */
const ALIASES_MAX = 100;

function parseYaml(text: string): Json {
  let value: unknown;
  try {
    value = load(text, {
      schema: CORE_SCHEMA,
      maxDepth: BODY_DEPTH_MAX,
      maxAliases: ALIASES_MAX,
    });
  } catch (error) {
    throw badRequest(`error parsing YAML: ${messageOf(error)}`);
  }
  return plain(value, { left: YAML_VALUES_MAX }, 0);
}

/** A tree of JSON values of its own: no shared parts, nothing that JSON does not have. */
function plain(value: unknown, budget: { left: number }, depth: number): Json {
  if (--budget.left < 0 || depth > BODY_DEPTH_MAX)
    throw badRequest('error parsing YAML: the document is too large');
  if (Array.isArray(value)) return value.map((entry) => plain(entry, budget, depth + 1));
  if (isObject(value as Json))
    return Object.fromEntries(
      Object.entries(value as object).map(([key, entry]) => [key, plain(entry, budget, depth + 1)]),
    );
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value === null || value === undefined) return null;
  throw badRequest('error parsing YAML: a value is not one that JSON has');
}

const MESSAGE_CHARS_MAX = 300;

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n')[0] ?? '').slice(0, MESSAGE_CHARS_MAX);
}
