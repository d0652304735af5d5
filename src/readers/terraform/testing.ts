import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { PlanContents } from '../../evidence/planned.ts';
import { readPlan } from './plan.ts';

/** A resource of a plan, by what a test is about. */
export interface Given {
  readonly address: string;
  readonly values?: JsonObject;
  readonly unknown?: Json;
  readonly expressions?: JsonObject;
  readonly actions?: readonly string[];
  readonly index?: number | string;
}

/** The type and name in an address. */
export function partsOf(address: string): { type: string; name: string } {
  const [type = '', name = ''] = address.replace(/\[.*$/, '').split('.').slice(-2);
  return { type, name };
}

/** A resource as `planned_values` shows it. */
export function shown({ address, values = {}, index }: Given): Json {
  const placed = index === undefined ? {} : { index };
  return { address, mode: 'managed', ...partsOf(address), ...placed, values };
}

/** The document of a plan that makes these resources. */
export function planOf(resources: readonly Given[], more: JsonObject = {}): JsonObject {
  return {
    format_version: '1.2',
    planned_values: { root_module: { resources: resources.map(shown) } },
    resource_changes: resources.map(({ address, unknown = {}, actions = ['create'] }) => ({
      address,
      ...partsOf(address),
      change: { actions, before: null, after: {}, after_unknown: unknown },
    })),
    configuration: {
      root_module: {
        resources: resources.map(({ address, expressions = {} }) => {
          const { type, name } = partsOf(address);
          return { address: `${type}.${name}`, mode: 'managed', type, name, expressions };
        }),
      },
    },
    ...more,
  };
}

/** What is read of a document that is a plan. */
export function contentsOf(document: Json): PlanContents {
  const read = readPlan(document, 'plan.json');
  assert.ok(read.ok, read.ok ? '' : read.why);
  return read.contents;
}
