import { type JsonObject, textAt } from '../../evidence/json.ts';
import type { DiscoveredKind } from './discovered-kind.ts';
import { REVIEW_KINDS } from './review-kinds.ts';
import type { Site } from './site.ts';

const ALL_VERBS = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

export function discovered(site: Site): readonly DiscoveredKind[] {
  const kinds = site.api.kinds();
  const known = new Set(kinds.map(({ group, plural }) => `${group}/${plural}`));
  const reviews = REVIEW_KINDS.filter(({ group, plural }) => !known.has(`${group}/${plural}`));
  return [...kinds.map((kind) => ({ ...kind, verbs: ALL_VERBS })), ...reviews];
}

interface Part {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

const CHANGES = ['get', 'patch', 'update'];

/** Kinds of subresources that are not those of their owner. */
const PARTS: Readonly<Record<string, Part>> = {
  'pods/binding': { group: '', version: 'v1', kind: 'Binding', verbs: ['create'] },
  'pods/eviction': { group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
  'pods/log': { group: '', version: 'v1', kind: 'Pod', verbs: ['get'] },
  'pods/exec': { group: '', version: 'v1', kind: 'PodExecOptions', verbs: ['create', 'get'] },
  'nodes/proxy': { group: '', version: 'v1', kind: 'NodeProxyOptions', verbs: ['get'] },
  'services/proxy': { group: '', version: 'v1', kind: 'ServiceProxyOptions', verbs: ['get'] },
  'namespaces/finalize': { group: '', version: 'v1', kind: 'Namespace', verbs: ['update'] },
  'serviceaccounts/token': {
    group: 'authentication.k8s.io',
    version: 'v1',
    kind: 'TokenRequest',
    verbs: ['create'],
  },
};

function partOf(kind: DiscoveredKind, subresource: string): Part {
  const known = kind.group === '' ? PARTS[`${kind.plural}/${subresource}`] : undefined;
  if (known !== undefined) return known;
  if (subresource === 'scale')
    return { group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: CHANGES };
  return { group: kind.group, version: kind.version, kind: kind.kind, verbs: CHANGES };
}

function optional(kind: DiscoveredKind): JsonObject {
  return {
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
  };
}

function plainResources(kind: DiscoveredKind): readonly JsonObject[] {
  const { plural, singular, kind: name, isNamespaced: namespaced, verbs } = kind;
  const own = { name: plural, singularName: singular, namespaced, kind: name, verbs };
  const parts = kind.subresources.map((subresource) => {
    const part = partOf(kind, subresource);
    const isOther = part.group !== kind.group || part.version !== kind.version;
    return {
      name: `${plural}/${subresource}`,
      singularName: '',
      namespaced,
      ...(isOther ? { group: part.group, version: part.version } : {}),
      kind: part.kind,
      verbs: part.verbs,
    };
  });
  return [{ ...own, ...optional(kind) }, ...parts];
}

function nameOf(resource: JsonObject): string {
  return textAt(resource, 'name') ?? '';
}

/** `/api/v1` and `/apis/GROUP/VERSION`; null for one that is not served. */
export function resourceList(site: Site, group: string, version: string): JsonObject | null {
  const kinds = discovered(site).filter((one) => one.group === group && one.version === version);
  if (kinds.length === 0) return null;
  const resources = kinds
    .flatMap(plainResources)
    .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources,
  };
}

function versionsOf(site: Site): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { group, version } of discovered(site)) {
    const versions = groups.get(group) ?? [];
    if (!versions.includes(version)) versions.push(version);
    groups.set(group, versions);
  }
  return groups;
}

function groupObject(name: string, versions: readonly string[]): JsonObject {
  const listed = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: listed, preferredVersion: listed[0] ?? {} };
}

/** `/apis` */
export function groupList(site: Site): JsonObject {
  const groups = [...versionsOf(site)].filter(([name]) => name !== '');
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.map(([name, versions]) => groupObject(name, versions)),
  };
}

/** `/apis/GROUP`; null for one that is not served. */
export function groupOf(site: Site, name: string): JsonObject | null {
  const versions = name === '' ? undefined : versionsOf(site).get(name);
  if (versions === undefined) return null;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupObject(name, versions) };
}

/** `/api` */
export function coreVersions(serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

function aggregatedKind(kind: DiscoveredKind): JsonObject {
  const { group, version, plural, singular, isNamespaced, verbs } = kind;
  const subresources = kind.subresources.map((subresource) => {
    const part = partOf(kind, subresource);
    return {
      subresource,
      responseKind: { group: part.group, version: part.version, kind: part.kind },
      verbs: part.verbs,
    };
  });
  return {
    resource: plural,
    responseKind: { group, version, kind: kind.kind },
    scope: isNamespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...optional(kind),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** Everything of `/api` or `/apis` in one answer (apidiscovery.k8s.io). */
export function aggregated(site: Site, isCore: boolean, version: string): JsonObject {
  const kinds = discovered(site);
  const groups = [...versionsOf(site)].filter(([name]) => (name === '') === isCore);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(([name, versions]) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map((one) => ({
        version: one,
        resources: kinds
          .filter(({ group, version: own }) => group === name && own === one)
          .toSorted((first, second) => (first.plural < second.plural ? -1 : 1))
          .map(aggregatedKind),
        freshness: 'Current',
      })),
    })),
  };
}
