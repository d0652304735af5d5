import { PERMISSIONS } from '../../../collection/permissions.generated.ts';
import { type Json, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import { chosenValues } from '../../../manifests/chosen-values.ts';
import { CONTROLLER } from '../../../manifests/controller.ts';
import { installedObjects } from '../../../manifests/parts.ts';
import type { KubeClient } from '../../../sim/kube/contract.ts';
import { NAMESPACE } from './replica.ts';

/** One right of the controller, as its roles give it. */
export interface Right {
  readonly verb: string;
  /** `nodes`, `nodereports/status` */
  readonly resource: string;
}

const RBAC_KINDS: ReadonlySet<string> = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
]);

/** A rule of a role, of our own manifests. */
interface Rule {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** The roles and bindings of the controller, as an installation in its namespace has them. */
export function controllerRoles(): readonly JsonObject[] {
  const chosen = chosenValues({ version: '0', namespace: NAMESPACE, layers: [] });
  if (!chosen.ok) throw new RangeError(chosen.faults.join('; '));
  return installedObjects(PERMISSIONS, chosen.into).filter(
    (object) =>
      RBAC_KINDS.has(textAt(object, 'kind') ?? '') &&
      (textAt(object, 'metadata.name') ?? '').startsWith(CONTROLLER),
  );
}

function rulesOf(role: JsonObject): readonly Rule[] {
  return listAt(role, 'rules') as unknown as readonly Rule[];
}

/** Each right of the roles, once. */
export function rightsOf(roles: readonly JsonObject[]): readonly Right[] {
  const rights = roles
    .flatMap(rulesOf)
    .flatMap(({ resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => ({ verb, resource }))),
    );
  return [...new Map(rights.map((right) => [rightName(right), right])).values()];
}

/** `list nodes` */
export function rightName({ verb, resource }: Right): string {
  return `${verb} ${resource}`;
}

/** Takes a right away from every role. @returns what gives it back */
export function takeAway(
  people: KubeClient,
  roles: readonly JsonObject[],
  right: Right,
): () => void {
  const holders = roles.filter((role) => rulesOf(role).some((rule) => gives(rule, right)));
  for (const role of holders) setRules(people, role, rulesWithout(role, right));
  return () => {
    for (const role of holders) setRules(people, role, rulesOf(role));
  };
}

function gives({ resources, verbs }: Rule, { verb, resource }: Right): boolean {
  return resources.includes(resource) && verbs.includes(verb);
}

function rulesWithout(role: JsonObject, right: Right): readonly Rule[] {
  const { verb, resource } = right;
  return rulesOf(role).flatMap((rule) => {
    if (!gives(rule, right)) return [rule];
    const others = { ...rule, resources: rule.resources.filter((one) => one !== resource) };
    const left = {
      ...rule,
      resources: [resource],
      verbs: rule.verbs.filter((one) => one !== verb),
    };
    return [others, left].filter((one) => one.resources.length > 0 && one.verbs.length > 0);
  });
}

function setRules(people: KubeClient, role: JsonObject, rules: readonly Rule[]): void {
  const name = textAt(role, 'metadata.name') ?? '';
  const namespace = textAt(role, 'metadata.namespace');
  const key = namespace === null ? name : `${namespace}/${name}`;
  people.patch(textAt(role, 'kind') ?? '', key, 'merge', { rules: rules as unknown as Json });
}
