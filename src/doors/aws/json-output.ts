/** Answers of the JSON protocols, which have times as seconds. */
import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import type { Shape } from './schema.ts';

/** Members that the model does not have are left out, as no service sends them. */
export function jsonOutput(shape: Shape, value: JsonObject): JsonObject {
  if (shape.kind !== 'structure') return value;
  const entries = shape.members.flatMap((member): [string, Json][] => {
    const one = value[member.name];
    return one === undefined || one === null ? [] : [[member.name, jsonValue(member.shape(), one)]];
  });
  return Object.fromEntries(entries);
}

function jsonValue(shape: Shape, value: Json): Json {
  if (shape.kind === 'time') return secondsOf(value);
  if (shape.kind === 'list' && Array.isArray(value))
    return (value as readonly Json[]).map((one) => jsonValue(shape.item.shape(), one));
  if (!isObject(value)) return value;
  if (shape.kind === 'map') {
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([key, one]) => [key, jsonValue(shape.value.shape(), one)]),
    );
  }
  return shape.kind === 'structure' ? jsonOutput(shape, value) : value;
}

function secondsOf(value: Json): Json {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? value : ms / 1000;
}
