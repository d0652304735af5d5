/** Documents written as the shape of what is kept of them, with a planted secret beside each part. */
import { markOfAuthority } from '../../evidence/checksum.ts';
import type { Json, JsonObject } from '../../evidence/json.ts';

/** What a document has at some place, and what is kept of it. */
export interface Sample {
  readonly given: Json;
  readonly kept: Json;
}

const AUTHORITY = btoa('-----BEGIN CERTIFICATE-----\n').repeat(8);

const SAMPLES: Readonly<Record<string, Sample>> = {
  annotations: {
    given: { 'eks.amazonaws.com/role-arn': 'kept', notes: 'planted' },
    kept: { 'eks.amazonaws.com/role-arn': 'kept' },
  },
  authority: { given: AUTHORITY, kept: markOfAuthority(AUTHORITY) },
  certificate: { given: 'planted', kept: '‹certificate›' },
  emptied: { given: { other: 'planted' }, kept: {} },
  tags: {
    given: [
      { Key: 'Name', Value: 'kept', other: 'planted' },
      { Key: 'team', Value: 'planted' },
    ],
    kept: [{ Key: 'Name', Value: 'kept' }, { Key: 'team' }],
  },
  tagMap: { given: { Name: 'kept', team: 'planted' }, kept: { Name: 'kept' } },
  variables: {
    given: [
      { name: 'AWS_REGION', value: 'kept' },
      { name: 'TOKEN', value: 'planted' },
    ],
    kept: [{ name: 'AWS_REGION', value: 'kept' }],
  },
  words: { given: ['/bin/agent', '--token=planted'], kept: ['/bin/agent'] },
};

const PART = /([^\s()[\]=]+)(\[\])?(?:=(\w+))?(\()?|\)/g;

/**
 * Reads `spec(podCIDR taints[](key) exec=emptied)`: fields that are kept whole, objects and lists
 * with the fields that are kept of them, and samples by their name. Every object has another field
 * besides, and every list another item, which are not kept.
 */
export function sampleOf(shape: string): { given: JsonObject; kept: JsonObject } {
  const parts = shape.matchAll(PART);
  return objectOf(parts);
}

function objectOf(parts: Iterator<RegExpExecArray>): { given: JsonObject; kept: JsonObject } {
  const given: Record<string, Json> = { other: 'planted' };
  const kept: Record<string, Json> = {};
  for (let next = parts.next(); next.done !== true; next = parts.next()) {
    const [whole, name = '', isList, sample, isOpen] = next.value;
    if (whole === ')') break;
    const one = isOpen === undefined ? leafOf(sample) : objectOf(parts);
    given[name] = isList === undefined ? one.given : [one.given, 'planted'];
    kept[name] = isList === undefined ? one.kept : [one.kept];
  }
  return { given, kept };
}

function leafOf(name: string | undefined): Sample {
  if (name === undefined) return { given: 'kept', kept: 'kept' };
  const sample = SAMPLES[name];
  if (sample === undefined) throw new Error(`no sample is called ${name}`);
  return sample;
}
