import type { AwsKind } from '../../evidence/aws/shapes.ts';
import type { FactKind } from '../../evidence/kinds.ts';
import type { Json, JsonObject } from '../../evidence/json.ts';
import type { Directory } from './references.ts';
import type { Resource } from './resource.ts';

/** Fields as AWS would answer; undefined for one that is known after apply. */
export interface Answer {
  readonly [field: string]: Json | undefined;
}

/** What one resource comes to: an answer of AWS, or a doubt about whom it is for. */
export type Made =
  | { readonly kind: AwsKind; readonly answer: Answer }
  | {
      readonly object: 'ConfigMap' | 'DaemonSet' | 'ENIConfig' | 'NodePool';
      readonly body: JsonObject;
    }
  | { readonly doubt: FactKind; readonly what: string };

/** All resources of a plan, with those of one type at hand. */
export interface Plan {
  readonly directory: Directory;
  readonly byType: ReadonlyMap<string, readonly Resource[]>;
}

/** Makes of one resource what AWS would show of it. */
export type Maker = (plan: Plan, resource: Resource) => readonly Made[];

export function ofType({ byType }: Plan, ...types: readonly string[]): readonly Resource[] {
  return types.flatMap((type) => byType.get(type) ?? []);
}

type Owned = ReadonlyMap<string | null | undefined, readonly Resource[]>;

const OWNED = new WeakMap<Plan, Map<string, Owned>>();

/** Resources by what one of their attributes names. */
export interface Owning {
  readonly types: readonly string[];
  readonly ownerOf: (plan: Plan, resource: Resource) => string | null | undefined;
}

/** The resources that belong to one other; grouped once, as a plan may have thousands of both. */
export function ownedBy(
  plan: Plan,
  owner: string,
  { types, ownerOf }: Owning,
): readonly Resource[] {
  const groups = OWNED.get(plan) ?? new Map<string, Owned>();
  OWNED.set(plan, groups);
  const name = types.join(' ');
  const known =
    groups.get(name) ?? Map.groupBy(ofType(plan, ...types), (one) => ownerOf(plan, one));
  groups.set(name, known);
  return known.get(owner) ?? [];
}
