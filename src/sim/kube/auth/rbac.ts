import { SELECTOR } from '../../../evidence/kube/object.ts';
import { project } from '../../../evidence/project.ts';
import { isObject, type Json, textsAt } from '../../../evidence/json.ts';
import { selects } from '../../../domain/pods/label-selector.ts';
import type { ApiUser, KubeObject } from '../contract.ts';
import { listIn, textIn } from '../rules/fields.ts';
import { metadataOf, type Store, type Table } from '../store.ts';
import type { Attributes } from './attributes.ts';
import { wordOf } from '../word.ts';

const GROUP = 'rbac.authorization.k8s.io';

interface Rule {
  readonly verbs: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  /** Empty for all. */
  readonly names: ReadonlySet<string>;
  readonly paths: readonly string[];
}

/** A rule where it holds: in one namespace, or in all and outside of them. */
interface Granted {
  readonly namespace: string | null;
  readonly rule: Rule;
}

interface Rights {
  readonly granted: readonly Granted[];
  readonly decisions: Map<string, boolean>;
}

const USERS_MAX = 5000;
const DECISIONS_MAX = 5000;

/** Role-based access control over the roles and bindings in the store. */
export class Rbac {
  readonly #store: Store;
  readonly #byUser = new Map<string, Rights>();
  readonly #tables: readonly Table[];

  constructor(store: Store) {
    this.#store = store;
    const names = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'];
    this.#tables = names.map((name) => store.table(`${GROUP}/${name}`));
    for (const table of this.#tables) table.listeners.add(() => this.#byUser.clear());
  }

  allows(user: ApiUser, asked: Attributes): boolean {
    const rights = this.#rightsOf(user);
    const key = keyOf(asked);
    const known = rights.decisions.get(key);
    if (known !== undefined) return known;
    const decision = rights.granted.some((one) => permits(one, asked));
    if (rights.decisions.size < DECISIONS_MAX) rights.decisions.set(key, decision);
    return decision;
  }

  #rightsOf(user: ApiUser): Rights {
    const key = `${user.name}\0${user.groups.join('\0')}`;
    const known = this.#byUser.get(key);
    if (known !== undefined) return known;
    const rights = { granted: this.#grantedTo(user), decisions: new Map<string, boolean>() };
    if (this.#byUser.size >= USERS_MAX) this.#byUser.clear();
    this.#byUser.set(key, rights);
    return rights;
  }

  #grantedTo(user: ApiUser): readonly Granted[] {
    const [, clusterBindings, , bindings] = this.#tables;
    const wide = boundTo(clusterBindings, user).flatMap((binding) =>
      this.#rulesOf(binding, null).map((rule) => ({ namespace: null, rule })),
    );
    const narrow = boundTo(bindings, user).flatMap((binding) => {
      const namespace = wordOf(metadataOf(binding)['namespace'] ?? '');
      return this.#rulesOf(binding, namespace).map((rule) => ({ namespace, rule }));
    });
    return [...wide, ...narrow];
  }

  #rulesOf(binding: KubeObject, namespace: string | null): readonly Rule[] {
    const role = binding['roleRef'];
    const name = textIn(role, 'name');
    if (textIn(role, 'kind') !== 'Role') return this.#clusterRules(name);
    const found = this.#store.table(`${GROUP}/roles`).get(`${namespace ?? ''}/${name}`);
    return found === null ? [] : listIn(found, 'rules').map(ruleOf);
  }

  #clusterRules(name: string): readonly Rule[] {
    const table = this.#store.table(`${GROUP}/clusterroles`);
    const role = table.get(name);
    if (role === null) return [];
    const selectors = listIn(role['aggregationRule'], 'clusterRoleSelectors');
    if (selectors.length === 0) return listIn(role, 'rules').map(ruleOf);
    // As the aggregation controller would write it into the role.
    return table
      .keys(null)
      .filter((key) => key !== name && matchesAny(selectors, table.get(key)))
      .flatMap((key) => this.#clusterRules(key));
  }
}

function matchesAny(selectors: readonly Json[], role: KubeObject | null): boolean {
  const labels = textsAt(role ?? {}, 'metadata.labels');
  return selectors.some((selector) => selects(project(SELECTOR, selector), labels));
}

function boundTo(table: Table | undefined, user: ApiUser): readonly KubeObject[] {
  if (table === undefined) return [];
  return table
    .keys(null)
    .map((key) => table.get(key) as KubeObject)
    .filter((binding) => {
      const { namespace = '' } = metadataOf(binding);
      return listIn(binding, 'subjects').some((one) => isSubject(one, user, wordOf(namespace)));
    });
}

function isSubject(subject: Json, user: ApiUser, namespace: string): boolean {
  const name = textIn(subject, 'name');
  switch (textIn(subject, 'kind')) {
    case 'User':
      return name === user.name;
    case 'Group':
      return user.groups.includes(name);
    default: {
      const own = textIn(subject, 'namespace') || namespace;
      return user.name === `system:serviceaccount:${own}:${name}`;
    }
  }
}

function ruleOf(rule: Json): Rule {
  const set = (key: string): ReadonlySet<string> => new Set(listIn(rule, key).map(wordOf));
  return {
    verbs: set('verbs'),
    groups: set('apiGroups'),
    resources: set('resources'),
    names: set('resourceNames'),
    paths: isObject(rule) ? listIn(rule, 'nonResourceURLs').map(wordOf) : [],
  };
}

function keyOf(asked: Attributes): string {
  if (asked.path !== null) return `${asked.verb} ${asked.path}`;
  const { verb, group, resource, subresource, namespace, name } = asked;
  return `${verb} ${group}/${resource}/${subresource ?? ''} ${namespace ?? ''}/${name ?? ''}`;
}

function permits({ namespace, rule }: Granted, asked: Attributes): boolean {
  if (!has(rule.verbs, asked.verb)) return false;
  if (asked.path !== null)
    return namespace === null && rule.paths.some((one) => covers(one, asked.path ?? ''));
  if (namespace !== null && namespace !== asked.namespace) return false;
  if (!has(rule.groups, asked.group) || !hasResource(rule, asked)) return false;
  return rule.names.size === 0 || (asked.name !== null && rule.names.has(asked.name));
}

function has(set: ReadonlySet<string>, value: string): boolean {
  return set.has(value) || set.has('*');
}

function hasResource({ resources }: Rule, { resource, subresource }: Attributes): boolean {
  if (subresource === null) return has(resources, resource);
  return has(resources, `${resource}/${subresource}`) || resources.has(`*/${subresource}`);
}

function covers(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
}
