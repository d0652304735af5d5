/** Inputs of the REST protocols: from the path, the query and the body. */
import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import type { Member, Operation, Shape } from './schema.ts';

export interface RestRequest {
  readonly method: string;
  /** Without the query, as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parsed; empty without a body. */
  readonly body: JsonObject;
}

export interface Routed {
  readonly operation: Operation;
  readonly input: JsonObject;
}

/** @returns null when no operation has this method and path */
export function route(operations: readonly Operation[], request: RestRequest): Routed | null {
  for (const operation of operations) {
    const labels = labelsOf(operation, request);
    if (labels === null) continue;
    const fromQuery = queryMembers(operation.input, request.query);
    return { operation, input: { ...request.body, ...fromQuery, ...labels } };
  }
  return null;
}

function labelsOf({ http }: Operation, { method, path }: RestRequest): JsonObject | null {
  if (http === null || http.method !== method) return null;
  const [template = ''] = http.path.split('?');
  const wanted = template.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const labels: [string, Json][] = [];
  for (const [index, step] of wanted.entries()) {
    const text = given[index] ?? '';
    const label = /^\{([^}+]+)\+?\}$/.exec(step)?.[1];
    if (label === undefined && step !== text) return null;
    const value = label === undefined ? null : decoded(text);
    if (label !== undefined && (value === null || value === '')) return null;
    if (label !== undefined) labels.push([label, value]);
  }
  return Object.fromEntries(labels);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function queryMembers(input: Shape, query: URLSearchParams): JsonObject {
  if (input.kind !== 'structure') return {};
  const entries = input.members.flatMap((member): [string, Json][] => {
    const value = queryMember(member, query);
    return value === null ? [] : [[member.name, value]];
  });
  return Object.fromEntries(entries);
}

function queryMember({ traits, shape }: Member, query: URLSearchParams): Json {
  if (traits.place !== 'query' || traits.queryName === null) return null;
  const values = query.getAll(traits.queryName);
  const [first] = values;
  if (first === undefined) return null;
  const { kind } = shape();
  if (kind === 'list') return values;
  if (kind === 'flag') return first === 'true';
  return kind === 'number' && first !== '' ? Number(first) : first;
}

/** A body of JSON; null when it is none. */
export function jsonBody(text: string): JsonObject | null {
  if (text === '') return {};
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
