import { isSameList, isSameSet } from '../evidence/equal.ts';
import { factsOfKind } from '../evidence/fact-values.ts';
import type { MachineName } from '../evidence/names.ts';
import type { Hit, Observations } from '../evidence/observations.ts';
import { SOURCES, type LineSource } from '../evidence/source.ts';
import { type FactIndex, indexFacts, NO_FACTS } from './fact-index.ts';
import { createGatherer, type Gathered } from './gathering.ts';
import type { Group } from './gathering-names.ts';
import { isNode } from './namesakes.ts';
import { seenSymptoms } from './seen-symptoms.ts';
import type { Subject } from './subject.ts';
import { newReads, trackedObservations } from './tracked.ts';

/** A subject as it was put together last, with what that was made of. */
interface Known {
  readonly group: Group;
  /** What the whole cluster shares with it. */
  readonly shared: FactIndex;
  readonly own: Subject;
  readonly seen: readonly Hit[];
  /** Its own with the symptoms that only lists and states show. */
  readonly shown: Subject;
  /** True where that may be otherwise at another moment, or beside other evidence. */
  readonly isOpen: boolean;
}

/** Puts a pile together by machine; a subject of which all is as before stays the same object. */
export type Assembler = (observations: Observations) => readonly Subject[];

function areNamedAlike(one: Group['names'], other: Group['names']): boolean {
  return (
    one === other || (one.size === other.size && isSameList([...one.keys()], [...other.keys()]))
  );
}

function isSameGroup(one: Group, other: Group): boolean {
  return (
    isSameList(one.facts, other.facts) &&
    isSameList(one.hits, other.hits) &&
    areNamedAlike(one.names, other.names)
  );
}

/** Symptoms are made of states at each look: what says the same is the same. */
function isSaid({ owner, about, document, first }: Hit, before: Hit | undefined): boolean {
  return (
    owner === before?.owner &&
    about?.value === before.about?.value &&
    document === before.document &&
    first.excerpt === before.first.excerpt &&
    first.locator === before.first.locator &&
    first.moment.sinceMs === before.first.moment.sinceMs
  );
}

function withSeen(
  made: Pick<Known, 'group' | 'shared' | 'own'>,
  observations: Observations,
  before?: Known,
): Known {
  const { own } = made;
  if (before?.own === own && !before.isOpen) return before;
  const reads = newReads();
  const seen = seenSymptoms(own, trackedObservations(observations, reads));
  const isOpen = reads.elsewhere.size > 0 || !own.facts.has('kube/Node');
  if (
    before?.own === own &&
    before.seen.length === seen.length &&
    seen.every((hit, index) => isSaid(hit, before.seen[index]))
  )
    return before.isOpen === isOpen ? before : { ...before, isOpen };
  const shown = seen.length === 0 ? own : { ...own, hits: [...own.hits, ...seen] };
  return { ...made, seen, shown, isOpen };
}

/** What subjects have in common at one moment. */
interface Frame {
  readonly name: string | null;
  readonly shared: FactIndex;
  readonly sourcesOf: (group: Group) => ReadonlySet<LineSource>;
}

function machineOf(group: Group, frame: Frame, before: Known | undefined): Subject {
  const { shared, name } = frame;
  const sources = frame.sourcesOf(group);
  if (before === undefined)
    return { ...machineSubject(group, indexFacts(group.facts, shared), sources), cluster: name };
  const isSame = isSameGroup(before.group, group);
  const isAround = before.own.cluster === name && isSameSet(before.own.sources, sources);
  if (isSame && isAround && before.shared === shared) return before.own;
  const facts = indexFacts(group.facts, shared, before.own.facts);
  const subject = { ...machineSubject(group, facts, sources), cluster: name };
  return isSameList(before.own.hits, subject.hits)
    ? { ...subject, hits: before.own.hits }
    : subject;
}

function clusterOf(
  { cluster, facts }: Gathered,
  { name, sourcesOf }: Frame,
  before: Known | undefined,
): Subject {
  const hits = before?.own.hits ?? [];
  return {
    kind: 'Cluster',
    instanceId: null,
    node: null,
    names: [],
    hits: isSameList(hits, cluster.hits) ? hits : cluster.hits,
    facts: indexFacts(facts, NO_FACTS, before?.own.facts),
    sources: sourcesOf(cluster),
    cluster: name,
    name: name ?? 'cluster',
  };
}

/** A group is known again by the first of its names. */
function keyOf({ names }: Group): string {
  return names.keys().next().value ?? '';
}

/** The facts of nobody, the same index as long as each is the same. */
function sharedIndex({ cluster }: Gathered, before: Known | undefined): FactIndex {
  if (before !== undefined && isSameList(before.group.facts, cluster.facts)) return before.shared;
  return indexFacts(cluster.facts, NO_FACTS, before?.shared);
}

/** An assembler that remembers what it made last. */
export function createAssembler(): Assembler {
  let machines: ReadonlyMap<string, Known> = new Map();
  let cluster: Known | undefined;
  const gather = createGatherer();
  return (observations) => {
    const gathered = gather(observations);
    const shared = sharedIndex(gathered, cluster);
    const sourcesOf = createSources(gathered.cluster, observations);
    const frame = { name: clusterNameOf(observations), shared, sourcesOf };
    const known = (group: Group, own: Subject, before?: Known): Known =>
      withSeen({ group, shared, own }, observations, before);
    const made = gathered.machines.map((group): [string, Known] => {
      const before = machines.get(keyOf(group));
      return [keyOf(group), known(group, machineOf(group, frame, before), before)];
    });
    machines = new Map(made);
    cluster = known(gathered.cluster, clusterOf(gathered, frame, cluster), cluster);
    return [...made.map(([, { shown }]) => shown), cluster.shown];
  };
}

/** Puts everything seen together by machine; what names no machine is the cluster's. */
export function assembleSubjects(observations: Observations): readonly Subject[] {
  return createAssembler()(observations);
}

function valueOf(group: Group, ...kinds: readonly MachineName['kind'][]): string | null {
  for (const kind of kinds) {
    for (const name of group.names.values()) if (name.kind === kind) return name.value;
  }
  return null;
}

/** What a group's sources are; those of documents that name no machine are everybody's. */
function createSources(
  cluster: Group,
  observations: Observations,
): (group: Group) => ReadonlySet<LineSource> {
  const common = new Set<LineSource>();
  for (const [index, document] of observations.documents.entries()) {
    const isCommon = cluster.documents.has(index) || document.machines.length === 0;
    for (const source of document.sources)
      if (isCommon || !SOURCES[source].onMachine) common.add(source);
  }
  return (group) => {
    if (group.documents.size === 0) return common;
    const own = [...group.documents].flatMap(
      (index) => observations.documents[index]?.sources ?? [],
    );
    return new Set([...common, ...own]);
  };
}

/** The name that the collection or the one description of a cluster gives. */
function clusterNameOf({ collection, facts }: Observations): string | null {
  const described = factsOfKind(facts, 'aws/cluster').map(({ value }) => value.name);
  const names = new Set(described.filter((name) => name !== undefined));
  const [only = null] = names;
  return collection?.cluster ?? (names.size === 1 ? only : null);
}

function machineSubject(
  group: Group,
  facts: FactIndex,
  sources: ReadonlySet<LineSource>,
): Omit<Subject, 'cluster'> {
  const node =
    valueOf(group, 'node') ??
    // A Node may be called by an address or an instance id, which as names are of other kinds.
    group.facts.filter(isNode).find(({ value }) => value.name !== '')?.value.name ??
    valueOf(group, 'certificate')?.slice('system:node:'.length) ??
    null;
  const instanceId = valueOf(group, 'instance-id') ?? instanceOfProvider(group);
  return {
    kind: 'Machine',
    name:
      node ??
      valueOf(
        group,
        'private-dns',
        'host',
        'instance-id',
        'node-claim',
        'ip',
        'bundle',
        'provider-id',
        'network-interface',
      ) ??
      'machine',
    instanceId,
    node,
    names: [...group.names.values()],
    hits: group.hits,
    facts,
    sources,
  };
}

function instanceOfProvider(group: Group): string | null {
  const provider = valueOf(group, 'provider-id');
  return provider === null ? null : (/i-[0-9a-f]{8,17}$/.exec(provider)?.[0] ?? null);
}
