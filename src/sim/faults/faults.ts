import type { Fault } from './contract.ts';
import { CLOUD_FAULTS } from './cloud.ts';
import { CONTROL_FAULTS } from './control-plane.ts';
import { dyingAgent, halfJoined } from './half-joined.ts';
import { HISTORY_FAULTS } from './history.ts';
import { localTime } from './local-time.ts';
import { MACHINE_FAULTS } from './machines.ts';
import { OBJECT_FAULTS, OWN_FAULTS } from './objects.ts';
import { PEOPLE_FAULTS } from './people.ts';
import { REDIRECT_FAULTS } from './redirects.ts';
import { STORED_FAULTS } from './stored.ts';
import { WATCH_FAULTS } from './watches.ts';

/** Every fault that there is so far, by the number of its class. */
export const FAULTS: readonly Fault[] = [
  ...CONTROL_FAULTS,
  ...HISTORY_FAULTS,
  ...STORED_FAULTS,
  ...WATCH_FAULTS,
  ...MACHINE_FAULTS,
  ...REDIRECT_FAULTS,
  ...CLOUD_FAULTS,
  ...PEOPLE_FAULTS,
  ...OBJECT_FAULTS,
  ...OWN_FAULTS,
  dyingAgent,
  halfJoined,
  localTime,
].toSorted((one, other) => (one.id < other.id ? -1 : 1));

export const FAULT_IDS: readonly string[] = FAULTS.map(({ id }) => id);

export function faultOf(id: string): Fault | null {
  return FAULTS.find((fault) => fault.id === id) ?? null;
}
