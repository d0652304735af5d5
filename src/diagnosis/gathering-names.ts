import type { MachineName } from '../evidence/names.ts';
import type { FactRecord, Hit, Observations } from '../evidence/observations.ts';
import { archiveLinks } from './archives.ts';
import { keysAmong, type KeysOf } from './namesakes.ts';

/** What is of one machine, or of nobody in particular. */
export interface Group {
  names: Map<string, MachineName>;
  readonly hits: Hit[];
  facts: readonly FactRecord[];
  readonly documents: Set<number>;
  /** Evidence of its own, not merely a mention: its journal, its Node, its instance. */
  primary: boolean;
}

/** Union of link keys; every key finds the representative of its machine. */
interface Unions {
  find(key: string): string;
  join(keys: readonly string[]): void;
}

function createUnions(): Unions {
  const parents = new Map<string, string>();
  const find = (key: string): string => {
    let root = key;
    for (let up = parents.get(root); up !== undefined && up !== root; up = parents.get(root))
      root = up;
    if (root !== key) parents.set(key, root);
    return root;
  };
  const join = (keys: readonly string[]): void => {
    if (keys.length < 2) return;
    const [first, ...rest] = keys.map(find).toSorted();
    if (first === undefined) return;
    for (const key of rest) parents.set(key, first);
    if (!parents.has(first)) parents.set(first, first);
  };
  return { find, join };
}

/** Facts about the same machine often share the list of its names; each is looked at once. */
function aboutsOf({ facts }: Observations): ReadonlySet<readonly MachineName[]> {
  const abouts = new Set<readonly MachineName[]>();
  for (const { about } of facts) if (about.length > 0) abouts.add(about);
  return abouts;
}

function unite(observations: Observations, keysOf: KeysOf): Unions {
  const unions = createUnions();
  const joinNames = (names: readonly MachineName[]): void => {
    if (names.length > 1) unions.join(names.flatMap(keysOf));
  };
  for (const link of observations.links) joinNames(link.names);
  for (const about of aboutsOf(observations)) joinNames(about);
  for (const names of archiveLinks(observations)) joinNames(names);
  for (const document of observations.documents)
    if (isOneMachine(document.machines)) joinNames(document.machines);
  return unions;
}

/** Logs of several machines in one file name several instances or addresses. */
export function isOneMachine(names: readonly MachineName[]): boolean {
  return (['instance-id', 'ip'] as const).every(
    (kind) => names.filter((name) => name.kind === kind).length <= 1,
  );
}

/** Of each name, by its kind and value, the key by which its group is found. */
type Named = Map<MachineName['kind'], Map<string, string>>;

/** Groups by the keys that their names have in common. */
export interface Assembly {
  readonly groups: Map<string, Group>;
  readonly unions: Unions;
  readonly keysOf: KeysOf;
  readonly named: Named;
  /** Names that its groups have already. */
  readonly before: Named | null;
  /** Roots of groups whose names are no longer those of before. */
  readonly renamed: Set<string>;
}

export function emptyGroup(primary: boolean): Group {
  return { names: new Map(), hits: [], facts: [], documents: new Set(), primary };
}

/** No groups yet; which names are one machine's is known of all evidence. */
export function assemblyOf(observations: Observations): Assembly {
  const keysOf = keysAmong(observations.facts);
  const unions = unite(observations, keysOf);
  return { groups: new Map(), unions, keysOf, named: new Map(), before: null, renamed: new Set() };
}

/** The same groups, to which lines and names can be added while those of before stay as they are. */
export function copyOf(assembly: Assembly): Assembly {
  const groups = [...assembly.groups].map(([root, group]): [string, Group] => [
    root,
    { ...group, hits: [], documents: new Set() },
  ]);
  return {
    ...assembly,
    groups: new Map(groups),
    named: new Map(),
    before: assembly.named,
    renamed: new Set(),
  };
}

/** The key of a name's group, which is opened where there is none; null for a name that links nothing. */
export function rootOf(assembly: Assembly, name: MachineName): string | null {
  const before = assembly.before?.get(name.kind)?.get(name.value);
  if (before !== undefined) return before;
  const known = assembly.named.get(name.kind) ?? new Map<string, string>();
  const root = known.get(name.value) ?? openedRoot(assembly, name);
  if (root !== null) assembly.named.set(name.kind, known.set(name.value, root));
  return root;
}

function openedRoot(assembly: Assembly, name: MachineName): string | null {
  const { groups, unions, keysOf, before, renamed } = assembly;
  const [key] = keysOf(name);
  if (key === undefined) return null;
  const root = unions.find(key);
  const group = groups.get(root) ?? emptyGroup(false);
  groups.set(root, group);
  if (before !== null && !renamed.has(root)) group.names = new Map(group.names);
  renamed.add(root);
  group.names.set(`${name.kind} ${name.value}`, name);
  return root;
}

export function groupOf(assembly: Assembly, name: MachineName): Group | null {
  const root = rootOf(assembly, name);
  return root === null ? null : (assembly.groups.get(root) ?? null);
}
