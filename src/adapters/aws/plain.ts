/** Between the objects of the SDK and the JSON of the AWS command line. */
import type { Json, JsonObject } from '../../evidence/json.ts';

/** Answers of the services we call nest at most a dozen levels. */
const DEPTH_MAX = 64;

/** @returns the answer as JSON: dates as ISO text, bytes as base64, without `$metadata` */
export function plainAnswer(output: object): JsonObject {
  return plainObject({ ...output, $metadata: undefined }, 0);
}

function plainObject(value: object, depth: number): JsonObject {
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(members.map(([name, one]) => [name, plain(one, depth + 1)]));
}

function plain(value: unknown, depth: number): Json {
  if (depth > DEPTH_MAX || value === null) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object') return null;
  if (value instanceof Date) return isoTime(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map((one: unknown) => plain(one, depth + 1));
  return plainObject(value, depth);
}

function isoTime(time: Date): string | null {
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** @returns the input as the SDK takes it: the times among its members as dates */
export function sdkInput(input: JsonObject, times: readonly string[]): Record<string, unknown> {
  const members = Object.entries(input).map(([name, value]): [string, unknown] => {
    const isTime = times.includes(name) && typeof value === 'string';
    return [name, isTime ? new Date(value) : value];
  });
  return Object.fromEntries(members);
}
