/** What instance types offer, by the shipped table. */
import { type InstanceType, isUnknownType } from '../../../capacity/instance-type.ts';
import type { Account } from '../account.ts';
import { refused } from '../refusal.ts';

/** @throws RefusedError for a type that is not in the table, as EC2 words it */
export function typeLimits(account: Account, instanceType: string): InstanceType {
  const found = account.types.named(instanceType);
  if (!isUnknownType(found)) return found;
  throw refused('InvalidParameterValue', `Invalid value '${instanceType}' for InstanceType.`);
}

/** As EC2 names processors. */
export function architectureOf(type: InstanceType): string {
  return type.arch === 'arm64' ? 'arm64' : 'x86_64';
}
