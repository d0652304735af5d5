import {
  type InterfaceMarks,
  interfaceOf,
  marksOf,
  type OwnedInterface,
} from '../../domain/network/interfaces.ts';
import { NETWORK_INTERFACE } from '../../evidence/aws/instance.ts';
import type { JsonObject } from '../../evidence/json.ts';
import { project } from '../../evidence/project.ts';

/** A network interface that may belong to nobody. */
export interface LooseInterface extends OwnedInterface {
  readonly marks: InterfaceMarks;
}

/** An item of DescribeNetworkInterfaces; null without an id. */
export function looseInterfaceOf(item: JsonObject): LooseInterface | null {
  const read = project(NETWORK_INTERFACE, item);
  if (read === undefined) return null;
  const owned = interfaceOf(read);
  return owned === null ? null : { ...owned, marks: marksOf(read) };
}

/** True where nothing of an interface is otherwise than it was when it was judged. */
export function isUnchanged(judged: LooseInterface, now: LooseInterface): boolean {
  return JSON.stringify(judged) === JSON.stringify(now);
}
