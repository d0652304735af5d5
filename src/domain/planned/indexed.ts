import type { FactKind } from '../../evidence/kinds.ts';
import type { Planned } from '../../evidence/planned.ts';
import type { PlanFacts } from './plan-facts.ts';

type Index = ReadonlyMap<string, readonly Planned[]>;

/** Made once of each plan, so that judging its groups costs no more than there are facts. */
const INDEXES = new WeakMap<PlanFacts, Map<string, Index>>();

/** The keys under which a fact is found; null and undefined are no keys. */
type KeysOf<K extends FactKind> = (
  value: Planned<K>['value'],
) => readonly (string | null | undefined)[];

/** A way to look facts of one kind up. */
export interface Lookup<K extends FactKind> {
  readonly kind: K;
  /** Tells lookups of one kind apart. */
  readonly by: string;
  readonly keysOf: KeysOf<K>;
}

function indexOf<K extends FactKind>(plan: PlanFacts, { kind, keysOf }: Lookup<K>): Index {
  const made = new Map<string, Planned[]>();
  for (const fact of plan.list(kind)) {
    for (const key of new Set(keysOf(fact.value))) {
      if (key === null || key === undefined) continue;
      const known = made.get(key) ?? [];
      made.set(key, known);
      known.push(fact);
    }
  }
  return made;
}

/** The facts of a plan that a key leads to, in the order of the plan. */
export function lookedUp<K extends FactKind>(
  plan: PlanFacts,
  by: Lookup<K>,
  key: string | null | undefined,
): readonly Planned<K>[] {
  if (key === null || key === undefined) return [];
  const indexes = INDEXES.get(plan) ?? new Map<string, Index>();
  INDEXES.set(plan, indexes);
  const name = `${by.kind} ${by.by}`;
  const index = indexes.get(name) ?? indexOf(plan, by);
  indexes.set(name, index);
  return (index.get(key) ?? []) as readonly Planned[] as readonly Planned<K>[];
}

/** Declares a lookup. */
export function lookup<K extends FactKind>(kind: K, by: string, keysOf: KeysOf<K>): Lookup<K> {
  return { kind, by, keysOf };
}
