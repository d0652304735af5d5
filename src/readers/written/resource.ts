import type { JsonObject } from '../../evidence/json.ts';
import type { Change } from '../../evidence/planned.ts';
import { NO_MODULE } from '../terraform/module.ts';
import type { Resource } from '../terraform/resource.ts';

/** What a written resource is beside its values. */
export interface Circumstances {
  /** True at everything that is known only once it is made. */
  readonly unknown?: JsonObject;
  readonly change?: Change;
  readonly isLookedUp?: boolean;
}

/**
 * A thing that another program will make from its own file, in the form of a plan of Terraform.
 *
 * @param address where the file says it
 */
export function written(
  type: string,
  address: string,
  values: JsonObject,
  { unknown = {}, change = 'create', isLookedUp = false }: Circumstances = {},
): Resource {
  return {
    address,
    type,
    isLookedUp,
    index: '',
    module: NO_MODULE,
    values,
    unknown,
    change: isLookedUp ? 'keep' : change,
    configuration: undefined,
  };
}

/** Attributes without those that nothing is said of. */
export function said(values: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(given);
}
