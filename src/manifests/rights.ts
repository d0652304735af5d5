import {
  type FeaturePermissions,
  featuresNamed,
  joined,
  type KubePermission,
  rolesOf,
} from '../collection/permissions.ts';
import { type JsonObject, listAt, textAt } from '../evidence/json.ts';
import { clusterWide, LABELS, placed } from './objects.ts';
import { type Condition, NAMESPACE, type Template, type TemplateFields, when } from './template.ts';

const RBAC = 'rbac.authorization.k8s.io';
/** How the table of permissions calls the namespace of the installation. */
const OWN_NAMESPACE = 'rollcall';

/** Rights of which some are given only where a condition holds. */
export interface Rights {
  readonly permissions: readonly KubePermission[];
  readonly condition: Condition | null;
}

/** What features need, divided by a name for each condition. */
export function permissionsOf(
  features: readonly FeaturePermissions[],
  names: readonly string[],
): readonly KubePermission[] {
  return joined(featuresNamed(features, names)).kubernetes;
}

/** The place of a role: a namespace, the installation's own, or the whole cluster. */
function placeOf(role: JsonObject): string {
  return textAt(role, 'metadata.namespace') ?? '';
}

interface PlacedRules {
  readonly place: string;
  readonly rules: readonly Template[];
}

function rulesOf({ permissions, condition }: Rights): readonly PlacedRules[] {
  return rolesOf(permissions).map((role) => {
    const rules = listAt(role, 'rules') as readonly TemplateFields[];
    const own = condition === null ? rules : rules.map((one) => when(condition, one));
    return { place: placeOf(role), rules: own };
  });
}

function metadataOf(account: string, place: string): TemplateFields {
  if (place === '') return clusterWide(account);
  // Its own name: the installation may be in the namespace of another role.
  if (place === OWN_NAMESPACE) return placed(`${account}-own`);
  return { name: account, namespace: place, labels: LABELS };
}

/** A role and its binding to an account of the installation. */
export function boundRole(
  account: string,
  metadata: TemplateFields,
  rules: readonly Template[],
): readonly TemplateFields[] {
  const kind = Object.hasOwn(metadata, 'namespace') ? 'Role' : 'ClusterRole';
  const name = metadata['name'] ?? account;
  const apiVersion = `${RBAC}/v1`;
  return [
    { apiVersion, kind, metadata, rules },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: RBAC, kind, name },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: NAMESPACE }],
    },
  ];
}

/** The roles of an account. A role whose every rule is conditional is not for here. */
export function rolesFor(account: string, rights: readonly Rights[]): readonly TemplateFields[] {
  const places = Map.groupBy(rights.flatMap(rulesOf), ({ place }) => place);
  return [...places].flatMap(([place, all]) =>
    boundRole(
      account,
      metadataOf(account, place),
      all.flatMap(({ rules }) => rules),
    ),
  );
}

export function rule(group: string, resource: string, ...verbs: readonly string[]): TemplateFields {
  return { apiGroups: [group], resources: [resource], verbs };
}
