/** How many machines of a type EC2 has left in a zone. */
import type { Account } from '../account.ts';
import { refused } from '../refusal.ts';
import type { Instance } from '../state.ts';
import { subnetOf } from './interfaces.ts';

export interface Claim {
  readonly instanceType: string;
  readonly zone: string;
  readonly isSpot: boolean;
}

function keyOf({ instanceType, zone, isSpot }: Claim): string {
  return `${isSpot ? 'spot' : 'on-demand'} ${instanceType} ${zone}`;
}

/** From now on so many machines more can be had of this; without a limit none ever lacks. */
export function limitCapacity(account: Account, claim: Claim, count: number): void {
  account.capacityLeft.set(keyOf(claim), count);
}

/** @throws RefusedError InsufficientInstanceCapacity */
export function claimCapacity(account: Account, claim: Claim): void {
  const left = account.capacityLeft.get(keyOf(claim));
  if (left === undefined) return;
  if (left <= 0) throw refused('InsufficientInstanceCapacity', shortage(account, claim), 500);
  account.capacityLeft.set(keyOf(claim), left - 1);
}

function shortage(account: Account, { instanceType, zone, isSpot }: Claim): string {
  if (isSpot) return 'There is no Spot capacity available that matches your request.';
  const others = account.zones.filter(({ name }) => name !== zone).map(({ name }) => name);
  return (
    `We currently do not have sufficient ${instanceType} capacity in the Availability Zone you ` +
    `requested (${zone}). Our system will be working on provisioning additional capacity. You ` +
    `can currently get ${instanceType} capacity by not specifying an Availability Zone in your ` +
    `request or choosing ${others.join(', ')}.`
  );
}

/** On-demand machines go back to where they came from; Spot ones to whoever paid more. */
export function freeCapacity(account: Account, instance: Instance): void {
  if (instance.spotRequestId !== null) return;
  const zone = subnetOf(account, instance.subnetId).zone.name;
  const key = keyOf({ instanceType: instance.instanceType, zone, isSpot: false });
  const left = account.capacityLeft.get(key);
  if (left !== undefined) account.capacityLeft.set(key, left + 1);
}
