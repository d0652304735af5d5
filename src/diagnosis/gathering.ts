import type { Told } from '../evidence/shape.ts';
import type { Instance, InstanceStatus } from '../evidence/aws/instance.ts';
import { factsByKind } from '../evidence/fact-values.ts';
import { isHostKind } from '../evidence/kinds.ts';
import type { MachineName } from '../evidence/names.ts';
import type { DocumentSummary, FactRecord, Hit, Observations } from '../evidence/observations.ts';
import { archiveLinks } from './archives.ts';
import { keysAmong, type KeysOf } from './namesakes.ts';
import { podPlaces } from './pod-places.ts';
import { isInTrouble } from './subject.ts';

/** What is of one machine, or of nobody in particular. */
export interface Group {
  readonly names: Map<string, MachineName>;
  readonly hits: Hit[];
  readonly facts: FactRecord[];
  readonly documents: Set<number>;
  /** Evidence of its own, not merely a mention: its journal, its Node, its instance. */
  primary: boolean;
}

/** Facts that are about a machine itself, so that having one makes it a subject. */
const OWN_FACTS: ReadonlySet<FactRecord['kind']> = new Set([
  'kube/Node',
  'aws/instance',
  'aws/instance-status',
  'kube/NodeClaim',
]);

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
function isOneMachine(names: readonly MachineName[]): boolean {
  return (['instance-id', 'ip'] as const).every(
    (kind) => names.filter((name) => name.kind === kind).length <= 1,
  );
}

/** The machine whose archive or file this is, when it says so itself. */
function ownerOf(document: DocumentSummary, all: readonly DocumentSummary[]): MachineName | null {
  const own = document.machines[0];
  if (own !== undefined) return isOneMachine(document.machines) ? own : null;
  if (document.container === null) return null;
  const sibling = all.find(
    (other) => other.container === document.container && other.machines.length > 0,
  );
  return sibling?.machines[0] ?? null;
}

interface Assembly {
  readonly groups: Map<string, Group>;
  readonly unions: Unions;
  readonly keysOf: KeysOf;
  /** Whose facts with this list of names are; null for the cluster's. */
  readonly homes: Map<readonly MachineName[], Group | null>;
  /** The group of each name, by its kind and value. */
  readonly named: Map<MachineName['kind'], Map<string, Group>>;
}

function groupOf(assembly: Assembly, name: MachineName): Group | null {
  const known = assembly.named.get(name.kind) ?? new Map<string, Group>();
  const group = known.get(name.value) ?? openGroup(assembly, name);
  if (group !== null) assembly.named.set(name.kind, known.set(name.value, group));
  return group;
}

function openGroup(assembly: Assembly, name: MachineName): Group | null {
  const [key] = assembly.keysOf(name);
  if (key === undefined) return null;
  const root = assembly.unions.find(key);
  const group = assembly.groups.get(root) ?? emptyGroup(false);
  assembly.groups.set(root, group);
  group.names.set(`${name.kind} ${name.value}`, name);
  return group;
}

/** A pile by machine; what names no machine is the cluster's. */
export interface Gathered {
  readonly machines: readonly Group[];
  readonly cluster: Group;
  /** All facts that a cluster is judged by. */
  readonly facts: readonly FactRecord[];
}

function emptyGroup(primary: boolean): Group {
  return { names: new Map(), hits: [], facts: [], documents: new Set(), primary };
}

/** Puts everything seen together by machine. */
export function gatherGroups(observations: Observations): Gathered {
  const keysOf = keysAmong(observations.facts);
  const unions = unite(observations, keysOf);
  const groups = new Map<string, Group>();
  const assembly: Assembly = { groups, unions, keysOf, homes: new Map(), named: new Map() };
  const cluster = emptyGroup(true);
  for (const link of observations.links) for (const name of link.names) groupOf(assembly, name);
  for (const name of archiveLinks(observations).flat()) groupOf(assembly, name);
  const { own, others } = factsApart(observations);
  for (const fact of others) placeFact(assembly, cluster, fact);
  placeHits(assembly, cluster, observations);
  const homeless = placeOwnFacts(assembly, own, observations);
  const machines = [...assembly.groups.values()].filter(
    (group) => group.primary || group.hits.length > 0,
  );
  // What no machine is known to have said is of one without a name, where no other fails.
  const isAll = homeless.length === 0 || machines.some(isInTrouble);
  return { machines, cluster, facts: isAll ? others : [...others, ...homeless] };
}

function homeOf(assembly: Assembly, about: readonly MachineName[]): Group | null {
  const known = assembly.homes.get(about);
  if (known !== undefined) return known;
  const [name] = about;
  const group = name === undefined ? null : groupOf(assembly, name);
  if (group !== null) for (const other of about) groupOf(assembly, other);
  assembly.homes.set(about, group);
  return group;
}

function placeFact(assembly: Assembly, cluster: Group, fact: FactRecord): void {
  const group = homeOf(assembly, fact.about);
  if (group === null) {
    cluster.facts.push(fact);
    return;
  }
  group.facts.push(fact);
  if (OWN_FACTS.has(fact.kind) && !isDismissed(fact)) group.primary = true;
}

/** An instance that somebody ended on purpose, and that therefore is nobody's concern. */
function isDismissed({ kind, value }: FactRecord): boolean {
  if (kind === 'aws/instance-status') return isGone((value as InstanceStatus).InstanceState?.Name);
  if (kind !== 'aws/instance') return false;
  const { State: state, StateReason: reason } = value as Instance;
  return isGone(state?.Name) && /^(?:$|Client\.User)/.test(reason?.Code ?? '');
}

function isGone(state: Told<string>): boolean {
  return state === 'terminated' || state === 'shutting-down';
}

function placeHits(assembly: Assembly, cluster: Group, observations: Observations): void {
  const homeless: Hit[] = [];
  const places = podPlaces(observations);
  for (const hit of observations.hits) {
    if (places.isHealed(hit)) continue;
    const name = places.nodeOf(hit.about) ?? ownName(hit, observations);
    const group = name === null ? null : groupOf(assembly, name);
    if (group === null) homeless.push(hit);
    else addHit(group, hit);
  }
  const only = onlyMachine(assembly);
  for (const hit of homeless) {
    const inDocument = onlyMachineOf(assembly, hit.document);
    const home = hit.onMachine ? (inDocument ?? only) : null;
    addHit(home ?? cluster, hit);
  }
}

/** What machines say of themselves, apart from what is known of them. */
function factsApart({ facts }: Observations): {
  readonly own: readonly FactRecord[];
  readonly others: readonly FactRecord[];
} {
  if (![...factsByKind(facts).keys()].some(isHostKind)) return { own: [], others: facts };
  return {
    own: facts.filter(({ kind }) => isHostKind(kind)),
    others: facts.filter(({ kind }) => !isHostKind(kind)),
  };
}

/**
 * Gives each machine what it says of itself: to the one with logs beside it, to the owner of the
 * archive, to the machine that it names, or to the only one that can be meant; the rest is nobody's.
 */
function placeOwnFacts(
  assembly: Assembly,
  own: readonly FactRecord[],
  { documents }: Observations,
): readonly FactRecord[] {
  const only = own.length === 0 ? null : onlyMachine(assembly);
  const inArchive = new Map<string, Group | null>();
  return own.filter((fact) => {
    const place = fact.moment.at.document;
    const document = documents[place];
    const container = document?.container ?? null;
    if (container !== null && !inArchive.has(container))
      inArchive.set(container, onlyMachineIn(assembly, container, documents));
    const owner = document === undefined ? null : ownerOf(document, documents);
    const group =
      inArchive.get(container ?? '') ??
      onlyMachineOf(assembly, place) ??
      (owner === null ? null : groupOf(assembly, owner)) ??
      knownGroup(assembly, fact.about) ??
      (fact.about.length === 0 ? only : null);
    group?.facts.push(fact);
    return group === null;
  });
}

function knownGroup(assembly: Assembly, names: readonly MachineName[]): Group | null {
  const { groups, unions, keysOf } = assembly;
  const known = names.flatMap(keysOf).map((key) => groups.get(unions.find(key)));
  return known.find((group) => group !== undefined) ?? null;
}

/** The one machine with logs in an archive. */
function onlyMachineIn(
  assembly: Assembly,
  container: string,
  documents: readonly DocumentSummary[],
): Group | null {
  const own = [...assembly.groups.values()].filter((group) =>
    [...group.documents].some((index) => documents[index]?.container === container),
  );
  return own.length === 1 ? (own[0] ?? null) : null;
}

function ownName(hit: Hit, observations: Observations): MachineName | null {
  const document = observations.documents[hit.document];
  return hit.onMachine && document !== undefined ? ownerOf(document, observations.documents) : null;
}

function addHit(group: Group, hit: Hit): void {
  group.hits.push(hit);
  if (hit.onMachine) {
    group.documents.add(hit.document);
    group.primary = true;
  }
}

/** The one machine that nameless logs can be of: the only one here that is in trouble. */
function onlyMachine(assembly: Assembly): Group | null {
  const all = [...assembly.groups.values()];
  const own = all.filter((group) => group.documents.size > 0);
  const known = own.length > 0 ? own : all.filter((group) => group.primary);
  const troubled = known.filter(isInTrouble);
  return troubled.length === 1 ? (troubled[0] ?? null) : null;
}

function onlyMachineOf(assembly: Assembly, document: number): Group | null {
  const own = [...assembly.groups.values()].filter((group) => group.documents.has(document));
  return own.length === 1 ? (own[0] ?? null) : null;
}
