import type { JsonObject } from '../evidence/json.ts';
import { READING_DOCUMENT, RESTART_DOCUMENT } from '../ports/aws-api.ts';

/** One verb on one kind of object; `namespace` is null for all of them and for kinds without one. */
export interface KubePermission {
  readonly verb: string;
  /** Empty for core. */
  readonly group: string;
  readonly resource: string;
  readonly subresource: string | null;
  readonly namespace: string | null;
  /** True for kinds that only some clusters have. */
  readonly isOptional: boolean;
}

/** What one part of the program asks of both APIs; `permissions.generated.ts` has all of them. */
export interface FeaturePermissions {
  readonly feature: string;
  /** What works with them, one phrase. */
  readonly for: string;
  /** What else it lets its holder do; only features that nobody has unasked have such a warning. */
  readonly warning: string | null;
  readonly kubernetes: readonly KubePermission[];
  /** IAM actions, and behind a slash the one document that is granted: `ec2:DescribeInstances`. */
  readonly aws: readonly string[];
}

const ROLE_NAME = 'rollcall';
const RBAC = 'rbac.authorization.k8s.io';

/** The features with these names; without a name, those whose permissions reach no further. */
export function featuresNamed(
  features: readonly FeaturePermissions[],
  names: readonly string[],
): readonly FeaturePermissions[] {
  return names.length === 0
    ? features.filter(({ warning }) => warning === null)
    : features.filter(({ feature }) => names.includes(feature));
}

/** What the features need together. */
export function joined(features: readonly FeaturePermissions[]): {
  readonly kubernetes: readonly KubePermission[];
  readonly aws: readonly string[];
} {
  const byKey = new Map(features.flatMap(({ kubernetes }) => kubernetes.map(keyed)));
  const aws = [...new Set(features.flatMap((one) => one.aws))].toSorted();
  return { kubernetes: [...byKey.values()], aws };
}

function keyed(one: KubePermission): readonly [string, KubePermission] {
  const { verb, group, resource, subresource, namespace } = one;
  return [[verb, group, resource, subresource ?? '', namespace ?? ''].join(' '), one];
}

/** `pods/log`, or the resource alone. */
export function resourceText({ resource, subresource }: KubePermission): string {
  return subresource === null ? resource : `${resource}/${subresource}`;
}

function rulesOf(permissions: readonly KubePermission[]): JsonObject[] {
  const groups = Map.groupBy(permissions, ({ group, verb }) => `${group} ${verb}`);
  return [...groups.values()].map((own) => ({
    apiGroups: [own[0]?.group ?? ''],
    resources: own.map(resourceText).toSorted(),
    verbs: [own[0]?.verb ?? ''],
  }));
}

function roleOf(kind: string, namespace: string | null, rules: JsonObject[]): JsonObject {
  const metadata = { name: ROLE_NAME, ...(namespace === null ? {} : { namespace }) };
  return { apiVersion: `${RBAC}/v1`, kind, metadata, rules };
}

/**
 * The smallest set of roles: one ClusterRole for what is read of the whole cluster, and a Role in
 * each namespace of which alone something is read.
 */
export function rolesOf(permissions: readonly KubePermission[]): readonly JsonObject[] {
  const places = Map.groupBy(permissions, ({ namespace }) => namespace ?? '');
  return [...places]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([namespace, own]) =>
      namespace === ''
        ? roleOf('ClusterRole', null, rulesOf(own))
        : roleOf('Role', namespace, rulesOf(own)),
    );
}

/** The commands that bind the roles to a group, whose name stands for the reader's own. */
export function bindCommands(roles: readonly JsonObject[], group = 'rollcall'): readonly string[] {
  return roles.map(({ kind, metadata }) => {
    const { namespace = '' } = metadata as { readonly namespace?: string };
    if (kind === 'ClusterRole')
      return `kubectl create clusterrolebinding ${ROLE_NAME} --clusterrole=${ROLE_NAME} --group=${group}`;
    return `kubectl -n ${namespace} create rolebinding ${ROLE_NAME} --role=${ROLE_NAME} --group=${group}`;
  });
}

const POLICY_VERSION = '2012-10-17';

/** `ec2` becomes `RollcallEc2`; Sids hold letters and digits only. */
function sidOf(service: string): string {
  return `Rollcall${service.charAt(0).toUpperCase()}${service.slice(1)}`;
}

/** Actions that would reach far beyond what is wanted of them, and what they are granted on. */
const RESOURCES: Readonly<Record<string, readonly string[]>> = {
  'logs:FilterLogEvents': ['arn:aws:logs:*:*:log-group:/aws/eks/*'],
  'ssm:SendCommand': runs(READING_DOCUMENT),
  [`ssm:SendCommand/${RESTART_DOCUMENT}`]: runs(RESTART_DOCUMENT),
};

function runs(document: string): readonly string[] {
  return [`arn:aws:ssm:*:*:document/${document}`, 'arn:aws:ec2:*:*:instance/*'];
}

/** True for an action that is granted on named resources only. */
export function isNarrow(action: string): boolean {
  return Object.hasOwn(RESOURCES, action);
}

/**
 * An identity policy with one statement for each service. Most describing actions of EC2 and Auto
 * Scaling accept no resource, so that none is named (Service Authorization Reference).
 */
export function policyOf(actions: readonly string[]): JsonObject {
  const anywhere = actions.filter((action) => !isNarrow(action));
  const services = Map.groupBy(anywhere, (action) => action.split(':')[0] ?? '');
  const statements = [...services].map(([service, own]) => ({
    Sid: sidOf(service),
    Effect: 'Allow',
    Action: [...own],
    Resource: '*',
  }));
  const narrow = actions.filter(isNarrow);
  return { Version: POLICY_VERSION, Statement: [...statements, ...narrow.map(narrowed)] };
}

function narrowed(action: string): JsonObject {
  const [own = '', document = ''] = action.split('/');
  const [service = '', operation = ''] = own.split(':');
  const resources = RESOURCES[action] ?? [];
  return {
    Sid: `${sidOf(service)}${operation}${document.replaceAll('-', '')}`,
    Effect: 'Allow',
    Action: [own],
    Resource: [...resources],
  };
}
