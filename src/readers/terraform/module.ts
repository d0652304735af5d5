import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';

/** Modules inside of one another; Terraform's own users stay below ten. */
const DEPTH_MAX = 32;

/** One module as it is called, with the configuration that it was called with. */
export interface Module {
  /** `module.eks.module.node_group["blue"]`; empty for the root. */
  readonly address: string;
  readonly parent: Module | null;
  /** The name of the call within the parent; empty for the root. */
  readonly call: string;
  /** Its own part of `configuration`; undefined in a state, which has none. */
  readonly configuration: Json | undefined;
}

/** The module of resources that are not written in Terraform. */
export const NO_MODULE: Module = { address: '', parent: null, call: '', configuration: undefined };

/** A resource with the module it is in, as one list of a plan shows it. */
export interface Placed {
  readonly module: Module;
  readonly resource: JsonObject;
}

/** Below this many resources a plan is read; a larger one is refused as a whole. */
export const RESOURCES_MAX = 20_000;

const CALL = /module\.([\w-]+)(\[(?:"(?:[^"\\]|\\.)*"|\d+)\])?$/;

function calledModule(parent: Module, child: JsonObject): Module {
  const address = textAt(child, 'address') ?? '';
  const call = CALL.exec(address)?.[1] ?? '';
  const configuration = at(parent.configuration, `module_calls.${call}.module`);
  return { address, parent, call, configuration };
}

/** Every resource of a tree of modules (`planned_values` or `values`), from the root down. */
export function* placedIn(
  tree: Json | undefined,
  configuration: Json | undefined,
): Generator<Placed> {
  const root: Module = { address: '', parent: null, call: '', configuration };
  const open: [Module, Json | undefined, number][] = [[root, tree, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [module, values, depth] = next;
    for (const resource of listAt(values, 'resources')) {
      if (isObject(resource)) yield { module, resource };
    }
    if (depth === DEPTH_MAX) continue;
    for (const child of listAt(values, 'child_modules')) {
      if (isObject(child)) open.push([calledModule(module, child), child, depth + 1]);
    }
  }
}
