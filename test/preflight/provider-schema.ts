/** What the AWS provider's own schema says of the names that readers and plans use. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type Json, listAt, textAt } from '../../src/evidence/json.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Written by tools/provider-schema.ts. */
export const SCHEMA_FILE = join(import.meta.dirname, 'provider-schema.json');

/** What a type has: its attributes, and under the names of blocks what they have. */
export type Names = { readonly [name: string]: Names | null };

export interface Schema {
  readonly provider: string;
  readonly types: Readonly<Record<string, Names>>;
}

export function readSchema(): Schema {
  return JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as Schema;
}

function filesBelow(folder: string, ends: RegExp): readonly string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => ends.test(name)).map((name) => join(folder, name));
}

/** Plans that causes, tests and the documentation show. */
export function planFiles(): readonly string[] {
  return [
    ...filesBelow('src/causes', /\/plans\/[^/]+\.json$/),
    ...filesBelow('test/preflight/plans', /\.json$/),
    ...filesBelow('examples/preflight', /\.json$/),
  ];
}

export interface PlannedThing {
  readonly file: string;
  readonly type: string;
  readonly values: Json;
}

function thingsBelow(file: string, module: Json | undefined): readonly PlannedThing[] {
  const own = listAt(module, 'resources').map((one) => ({
    file,
    type: `${textAt(one, 'mode') === 'data' ? 'data.' : ''}${textAt(one, 'type') ?? ''}`,
    values: isObject(one) ? (one['values'] ?? {}) : {},
  }));
  return [...own, ...listAt(module, 'child_modules').flatMap((one) => thingsBelow(file, one))];
}

/** Every resource and data source of AWS in a plan or state. */
export function thingsIn(file: string, plan: Json): readonly PlannedThing[] {
  const roots = ['planned_values', 'values', 'prior_state.values'];
  const trees = roots.map((path) =>
    path.split('.').reduce<Json>((at, key) => (isObject(at) ? (at[key] ?? null) : null), plan),
  );
  const all = trees.flatMap((tree) =>
    thingsBelow(file, isObject(tree) ? tree['root_module'] : null),
  );
  return all.filter(({ type }) => /^(?:data\.)?aws_/.test(type));
}

export function thingsOfAllPlans(): readonly PlannedThing[] {
  return planFiles().flatMap((file) =>
    thingsIn(file, JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Json),
  );
}

/** Types of AWS that the reader of plans names, with the file that does. */
export function typesRead(): ReadonlyMap<string, string> {
  const files = filesBelow('src/readers/terraform', /(?<!\.test|testing)\.ts$/);
  return new Map(
    files.flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?<=['\s{,])(aws_\w+)(?=['":])/g)].map(
        ([type]) => [type, file] as const,
      ),
    ),
  );
}

/** The data sources that show as much as a resource, in the reader of plans. */
export const LOOKED_UP = ['aws_ami', 'aws_iam_role', 'aws_ssm_parameter', 'aws_subnet'];

export function typesUsed(): readonly string[] {
  const all = [
    ...typesRead().keys(),
    ...LOOKED_UP.map((type) => `data.${type}`),
    ...thingsOfAllPlans().map(({ type }) => type),
  ];
  return [...new Set(all)].toSorted();
}

/** Every attribute that the schema does not have, by its path. */
export function unknownNames(values: Json | undefined, names: Names, path = ''): readonly string[] {
  if (Array.isArray(values)) return values.flatMap((one: Json) => unknownNames(one, names, path));
  if (!isObject(values)) return [];
  return Object.entries(values).flatMap(([name, value]) => {
    const below = Object.hasOwn(names, name) ? names[name] : undefined;
    if (below === undefined) return [`${path}${name}`];
    return below === null ? [] : unknownNames(value, below, `${path}${name}.`);
  });
}
