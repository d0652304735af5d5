import type { Fault } from './contract.ts';
import { CLOUD_FAULTS } from './cloud.ts';
import { CONTROL_FAULTS } from './control-plane.ts';
import { MACHINE_FAULTS } from './machines.ts';
import { PEOPLE_FAULTS } from './people.ts';

/** Every fault that there is so far, by the number of its class. */
export const FAULTS: readonly Fault[] = [
  ...CONTROL_FAULTS,
  ...MACHINE_FAULTS,
  ...CLOUD_FAULTS,
  ...PEOPLE_FAULTS,
].toSorted((one, other) => (one.id < other.id ? -1 : 1));

export const FAULT_IDS: readonly string[] = FAULTS.map(({ id }) => id);

export function faultOf(id: string): Fault | null {
  return FAULTS.find((fault) => fault.id === id) ?? null;
}
