import { at, type Json } from '../../evidence/json.ts';
import type { Module } from './module.ts';
import { expressionOf, type Resource } from './resource.ts';

/** Steps from one reference to what it leads to; more are given up. */
const STEPS_MAX = 2000;
const DEPTH_MAX = 12;
/** References of one expression; what a list of more comes from is not told apart. */
const REFERENCES_MAX = 500;

/** Resources that a value comes from. */
export interface Origins {
  readonly resources: readonly Resource[];
  /** False where a part of the way cannot be followed, as through a local value. */
  readonly isExact: boolean;
  /**
   * Those that the expression itself names and that exist by a count: in
   * `var.create ? aws_iam_role.this[0].arn : var.arn` the first is there only where it is meant.
   */
  readonly chosen: readonly Resource[];
}

/** All resources of a plan, by the ways in which references name them. */
export interface Directory {
  readonly byAddress: ReadonlyMap<string, Resource>;
  /** By the address without its index. */
  readonly byName: ReadonlyMap<string, readonly Resource[]>;
  /** Modules by the address of the parent and the name of the call. */
  readonly calls: ReadonlyMap<string, readonly Module[]>;
}

export function directoryOf(resources: readonly Resource[]): Directory {
  const modules = new Map<string, Module>();
  for (const { module } of resources)
    for (let one: Module | null = module; one !== null; one = one.parent)
      modules.set(one.address, one);
  return {
    byAddress: new Map(resources.map((one) => [one.address, one])),
    byName: Map.groupBy(resources, nameOf),
    calls: Map.groupBy(modules.values(), (one) => callKey(one.parent, one.call)),
  };
}

function nameOf({ address, index }: Resource): string {
  return address.slice(0, address.length - index.length);
}

function callKey(parent: Module | null, call: string): string {
  return `${parent?.address ?? ''}|${call}`;
}

/** All references below an expression, without those that others say more exactly. */
function referencesIn(expression: Json | undefined): readonly string[] {
  const found = new Set<string>();
  collect(expression, found, DEPTH_MAX);
  const all = [...found].slice(0, REFERENCES_MAX);
  return all.filter(
    (one) => !all.some((other) => other.startsWith(one) && /^[.[]/.test(other.slice(one.length))),
  );
}

function collect(expression: Json | undefined, found: Set<string>, depth: number): void {
  if (depth === 0 || typeof expression !== 'object' || expression === null) return;
  for (const [key, value] of Object.entries<Json>(expression)) {
    if (key !== 'references' || !Array.isArray(value)) collect(value, found, depth - 1);
    else for (const one of value as readonly Json[]) if (typeof one === 'string') found.add(one);
  }
}

interface Walk {
  readonly directory: Directory;
  readonly found: Set<Resource>;
  readonly visited: Set<string>;
  /** The index by which a resource and its neighbors in the module belong together. */
  readonly shared: { readonly module: Module; readonly index: string };
  isExact: boolean;
}

/** The resources that an attribute or block of a resource takes its value from. */
export function originsOf(directory: Directory, resource: Resource, name: string): Origins {
  const { module, index, configuration } = resource;
  const references = referencesIn(expressionOf(resource, name));
  const isByIndex = references.some((one) => /^(?:count\.index|each\.)/.test(one));
  const walk: Walk = {
    directory,
    found: new Set(),
    visited: new Set(),
    shared: { module, index: isByIndex ? index : '' },
    isExact: true,
  };
  const isOfEach = references.some((one) => one.startsWith('each.value'));
  if (isOfEach) walk.isExact = false;
  const each = isOfEach ? referencesIn(configuration?.['for_each_expression']) : [];
  const own = references.filter((one) => !/^(?:each|count|path|terraform)\b/.test(one));
  for (const one of [...own, ...each]) follow(walk, module, one);
  if (own.length + each.length === 0) walk.isExact = false;
  const resources = [...walk.found];
  const chosen = resources.filter(
    (one) =>
      one.module === module &&
      own.some((reference) => nameOf(one).endsWith(nameIn(reference)) && reference.includes('[')),
  );
  return { resources, isExact: walk.isExact, chosen };
}

const MODULE = /^module\.([\w-]+)(\[[^\]]*\])?(?:\.([\w-]+))?/;
const RESOURCE = /^((?:data\.)?[a-z]\w*\.[\w-]+)(\[[^\]]*\])?/;

/** The type and name in a reference to a resource, without its index and attribute. */
function nameIn(reference: string): string {
  return RESOURCE.exec(reference)?.[1] ?? reference;
}

function follow(walk: Walk, module: Module, reference: string): void {
  const key = `${module.address}|${reference}`;
  if (walk.visited.has(key)) return;
  walk.visited.add(key);
  if (walk.visited.size > STEPS_MAX) walk.isExact = false;
  else if (/^(?:local|self|each)\b/.test(reference)) walk.isExact = false;
  else if (reference.startsWith('var.')) followVariable(walk, module, reference);
  else if (reference.startsWith('module.')) followOutput(walk, module, reference);
  else followResource(walk, module, reference);
}

function followAll(walk: Walk, module: Module, expression: Json | undefined): void {
  for (const one of referencesIn(expression)) {
    if (!/^(?:count|path|terraform)\b/.test(one)) follow(walk, module, one);
  }
}

function followVariable(walk: Walk, { parent, call }: Module, reference: string): void {
  const name = /^var\.([\w-]+)/.exec(reference)?.[1] ?? '';
  if (parent === null) return;
  const given = at(parent.configuration, `module_calls.${call}.expressions.${name}`);
  followAll(walk, parent, given);
}

function followOutput(walk: Walk, module: Module, reference: string): void {
  const [, call = '', index, output] = MODULE.exec(reference) ?? [];
  const called = walk.directory.calls.get(callKey(module, call)) ?? [];
  const wanted = index === undefined ? called : called.filter((one) => one.address.endsWith(index));
  if (wanted.length === 0 || output === undefined) walk.isExact = false;
  for (const one of wanted)
    followAll(walk, one, at(one.configuration, `outputs.${output ?? ''}.expression`));
}

function followResource(walk: Walk, module: Module, reference: string): void {
  const [, name = '', index = ''] = RESOURCE.exec(reference) ?? [];
  const full = module.address === '' ? name : `${module.address}.${name}`;
  const { byAddress, byName } = walk.directory;
  const { shared } = walk;
  const beside = shared.module === module ? shared.index : '';
  const exact = byAddress.get(`${full}${index}`) ?? byAddress.get(`${full}${beside}`);
  if (exact !== undefined) walk.found.add(exact);
  else for (const one of byName.get(full) ?? []) walk.found.add(one);
}
