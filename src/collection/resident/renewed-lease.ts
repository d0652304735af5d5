import { checksumOf } from '../../evidence/checksum.ts';
import { isObject, type JsonObject, textAt } from '../../evidence/json.ts';
import type { FactTypes } from '../../evidence/kinds.ts';
import type { FactRecord } from '../../evidence/observations.ts';
import type { Chunk } from './chunk.ts';

/** Times as the API server writes them, in which no secret can be. */
const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

function without(object: JsonObject[string] | undefined, names: readonly string[]): object {
  if (!isObject(object)) return {};
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** Equal for Leases that differ in their renewal alone. */
export function leaseSum({ metadata, spec }: JsonObject): string {
  const rest = [
    without(metadata, ['resourceVersion', 'managedFields']),
    without(spec, ['renewTime']),
  ];
  return checksumOf(JSON.stringify(rest));
}

/** What a Lease says that was renewed and is otherwise as before; null where it must be read. */
export function renewedLease(object: JsonObject, before: Chunk): Chunk | null {
  const renewTime = textAt(object, 'spec.renewTime');
  const [fact] = before.facts;
  if (renewTime === null || !STAMP.test(renewTime) || fact?.kind !== 'kube/Lease') return null;
  const lease = fact.value as FactTypes['kube/Lease'];
  const value = { ...lease, spec: { ...lease.spec, renewTime } };
  const renewed: FactRecord = { ...fact, value } as FactRecord<'kube/Lease'>;
  return before.facts.length === 1 ? { ...before, facts: [renewed] } : null;
}
