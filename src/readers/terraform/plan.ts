import { AWS_SHAPES } from '../../evidence/aws/shapes.ts';
import { KUBE_SHAPES } from '../../evidence/kube/shapes.ts';
import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { FactKind, FactTypes } from '../../evidence/kinds.ts';
import type { Doubt, PlanContents, Planned } from '../../evidence/planned.ts';
import { projectFact } from '../../evidence/project.ts';
import { excerptOf } from '../../evidence/redact.ts';
import { readUserData } from '../aws/user-data.ts';
import { manifests } from './cni.ts';
import { accessEntry, accessPolicy, addon, cluster, nodeGroup, podIdentity } from './cluster.ts';
import { awsAuthOf, isAwsAuth } from './config-map.ts';
import { configuration, scalingGroup, template } from './launches.ts';
import type { Answer, Made, Maker, Plan } from './made.ts';
import { type Module, placedIn, RESOURCES_MAX } from './module.ts';
import { image } from './images.ts';
import { kmsKey } from './keys.ts';
import {
  dhcpOptions,
  endpoint,
  natGateway,
  networkAcl,
  routePart,
  routeTable,
  subnet,
  vpc,
} from './network.ts';
import { directoryOf } from './references.ts';
import { changeOf, indexText, type Resource, textOf } from './resource.ts';
import { attachment, oidcProvider, otherAttachment, profile, role } from './roles.ts';
import { securityGroup, securityRule } from './security.ts';

const MAKERS: Readonly<Record<string, Maker>> = {
  aws_ami: image,
  aws_autoscaling_group: scalingGroup,
  aws_default_network_acl: networkAcl,
  aws_default_route_table: routeTable,
  aws_default_security_group: securityGroup,
  aws_eks_access_entry: accessEntry,
  aws_eks_access_policy_association: accessPolicy,
  aws_eks_addon: addon,
  aws_eks_cluster: cluster,
  aws_eks_node_group: nodeGroup,
  aws_eks_pod_identity_association: podIdentity,
  aws_iam_instance_profile: profile,
  aws_iam_openid_connect_provider: oidcProvider,
  aws_iam_policy_attachment: otherAttachment,
  aws_iam_role: role,
  aws_iam_role_policies_exclusive: otherAttachment,
  aws_iam_role_policy_attachment: attachment,
  aws_iam_role_policy_attachments_exclusive: otherAttachment,
  aws_kms_key: kmsKey,
  aws_launch_configuration: configuration,
  aws_launch_template: template,
  aws_nat_gateway: natGateway,
  aws_network_acl: networkAcl,
  aws_route: routePart,
  aws_route_table: routeTable,
  aws_route_table_association: routePart,
  aws_security_group: securityGroup,
  aws_security_group_rule: securityRule,
  aws_ssm_parameter: image,
  aws_subnet: subnet,
  aws_vpc: vpc,
  aws_vpc_dhcp_options: dhcpOptions,
  aws_vpc_endpoint: endpoint,
  aws_vpc_security_group_egress_rule: securityRule,
  aws_vpc_security_group_ingress_rule: securityRule,
  helm_release: manifests,
  kubectl_manifest: manifests,
  kubernetes_manifest: manifests,
};

/** Data sources that show as much as the resource itself. */
const LOOKED_UP = new Set(['aws_ami', 'aws_iam_role', 'aws_ssm_parameter', 'aws_subnet']);

/** Resources that nodes do not depend on, whether or not they are there. */
const ASIDE = new Set(['aws_ami', 'aws_ssm_parameter', 'helm_release', 'kubectl_manifest']);

/** How the program that writes such files is called where it is the source. */
const BY = 'terraform show -json';

/** A plan or a state that was read, or why the text is none. */
export type PlanRead =
  | { readonly ok: true; readonly contents: PlanContents }
  | { readonly ok: false; readonly why: string };

/**
 * Reads what `terraform show -json` (or `tofu show -json`) printed of a plan or a state. Nothing is
 * kept of it but the fields that causes look at.
 *
 * @param locator what the document is called in evidence
 */
export function readPlan(document: Json, locator: string): PlanRead {
  const version = textAt(document, 'format_version');
  if (version === null || !isObject(document))
    return { ok: false, why: 'it is not the output of `terraform show -json`' };
  if (!/^[01]\.\d+$/.test(version))
    return { ok: false, why: `its format_version ${excerptOf(version, 20)} is newer than 1.x` };
  const values = at(document, 'planned_values') ?? at(document, 'values');
  if (!isObject(values)) return { ok: false, why: 'it has neither planned_values nor values' };
  const resources = resourcesOf(document, values);
  if (resources.length > RESOURCES_MAX)
    return { ok: false, why: `it has more than ${RESOURCES_MAX} resources` };
  return { ok: true, contents: contentsOf(document, resources, locator) };
}

function resourcesOf(document: JsonObject, values: JsonObject): readonly Resource[] {
  const changes = new Map<string, Json>();
  for (const one of listAt(document, 'resource_changes'))
    changes.set(textAt(one, 'address') ?? '', at(one, 'change') ?? null);
  const configurationRoot = at(document, 'configuration.root_module');
  const blocks = new Map<Json, ReadonlyMap<string, JsonObject>>();
  const own: Resource[] = [];
  const trees = [values, at(document, 'prior_state.values')];
  for (const [index, tree] of trees.entries()) {
    for (const { module, resource } of placedIn(at(tree, 'root_module'), configurationRoot)) {
      const isLookedUp = textAt(resource, 'mode') === 'data';
      // What a prior state has besides data sources is old, or in the planned values too.
      if (index > 0 && !isLookedUp) continue;
      const read = resourceOf(module, resource, changes, blocks);
      if (read !== null) own.push(read);
      if (own.length > RESOURCES_MAX) return own;
    }
  }
  return own;
}

function resourceOf(
  module: Module,
  shown: JsonObject,
  changes: ReadonlyMap<string, Json>,
  blocks: Map<Json, ReadonlyMap<string, JsonObject>>,
): Resource | null {
  const [address, type, name] = ['address', 'type', 'name'].map((key) => textAt(shown, key));
  if (typeof address !== 'string' || typeof type !== 'string') return null;
  const isLookedUp = textAt(shown, 'mode') === 'data';
  const change = changes.get(address);
  const values = at(shown, 'values');
  return {
    address,
    type,
    isLookedUp,
    index: indexText(at(shown, 'index')),
    module,
    values: isObject(values) ? values : {},
    unknown: at(change, 'after_unknown') ?? null,
    // A data source is only looked at.
    change: isLookedUp ? 'keep' : changeOf(change),
    configuration: blocksOf(module, blocks).get(
      `${isLookedUp ? 'data.' : ''}${type}.${name ?? ''}`,
    ),
  };
}

/** The resource blocks of a module by their address, read once for all of its calls. */
function blocksOf(
  { configuration: given }: Module,
  blocks: Map<Json, ReadonlyMap<string, JsonObject>>,
): ReadonlyMap<string, JsonObject> {
  const key = given ?? null;
  const known = blocks.get(key);
  if (known !== undefined) return known;
  const made = new Map(
    listAt(given, 'resources')
      .filter(isObject)
      .map((block) => [textAt(block, 'address') ?? '', block]),
  );
  blocks.set(key, made);
  return made;
}

function contentsOf(
  document: JsonObject,
  resources: readonly Resource[],
  locator: string,
): PlanContents {
  const directory = directoryOf(resources);
  const managed = resources.filter(({ isLookedUp }) => !isLookedUp);
  const plan: Plan = { directory, byType: Map.groupBy(managed, ({ type }) => type) };
  const facts: Planned[] = [];
  const doubts: Doubt[] = [];
  for (const resource of resources) {
    const place = { address: resource.address, locator: `${locator}#${resource.address}` };
    for (const made of madeOf(plan, resource)) {
      if ('doubt' in made) doubts.push({ kind: made.doubt, what: made.what, ...place });
      else if ('object' in made) addObject(facts, resource, made, place);
      else addFact(facts, resource, made, place);
    }
    addTexts(plan, resource, { facts, doubts, place });
  }
  const gone = listAt(document, 'resource_changes').filter(isGone);
  doubts.push(...gone.flatMap(doubtOfGone));
  const isChanging = gone.length > 0 || facts.some(({ change }) => change !== 'keep');
  return { facts, doubts, resourceCount: managed.length, isChanging };
}

function madeOf(plan: Plan, resource: Resource): readonly Made[] {
  const { type, isLookedUp } = resource;
  if ((isLookedUp && !LOOKED_UP.has(type)) || !Object.hasOwn(MAKERS, type)) return [];
  return MAKERS[type]?.(plan, resource) ?? [];
}

function isGone(change: Json): boolean {
  const actions = listAt(change, 'change.actions');
  const type = textAt(change, 'type') ?? '';
  const isOurs =
    (Object.hasOwn(MAKERS, type) && !ASIDE.has(type)) || type.startsWith('kubernetes_config_map');
  return isOurs && actions.includes('delete') && !actions.includes('create');
}

const REMOVED: Readonly<Record<string, FactKind>> = {
  aws_eks_access_entry: 'aws/access-entry',
  kubernetes_config_map: 'kube/aws-auth',
  kubernetes_config_map_v1: 'kube/aws-auth',
  kubernetes_config_map_v1_data: 'kube/aws-auth',
};

/** Whom a mapping let in that the plan removes is known to nobody who sees what is left. */
function doubtOfGone(change: Json): readonly Doubt[] {
  const type = textAt(change, 'type') ?? '';
  const kind = Object.hasOwn(REMOVED, type) ? REMOVED[type] : undefined;
  const metadata = listAt(change, 'change.before.metadata')[0];
  const isOther = kind === 'kube/aws-auth' && textAt(metadata, 'name') !== 'aws-auth';
  if (kind === undefined || isOther) return [];
  const address = textAt(change, 'address') ?? type;
  const what = `what lets the node role in once ${address} is removed`;
  return [{ kind, address, what }];
}

interface Place {
  readonly address: string;
  readonly locator: string;
}

function planned<K extends FactKind>(
  kind: K,
  value: FactTypes[K],
  { change }: Resource,
  place: Place,
): Planned {
  return { state: 'seen', kind, value, by: BY, change, ...place };
}

function addFact(
  facts: Planned[],
  resource: Resource,
  { kind, answer }: Extract<Made, { readonly answer: Answer }>,
  place: Place,
): void {
  const known = Object.entries(answer).filter(([, value]) => value !== undefined);
  const projected = projectFact(AWS_SHAPES[kind], Object.fromEntries(known) as JsonObject);
  if (projected === null) return;
  facts.push(planned(kind, withoutUnknown(projected.value, answer) as never, resource, place));
}

/** An object that an add-on makes, as the API server would show it. */
function addObject(
  facts: Planned[],
  resource: Resource,
  { object, body }: Extract<Made, { readonly body: JsonObject }>,
  place: Place,
): void {
  const kept = projectFact(KUBE_SHAPES[object], body, false)?.value ?? {};
  const metadata = at(body, 'metadata');
  const named = { name: textAt(metadata, 'name'), namespace: textAt(metadata, 'namespace') };
  facts.push(planned(`kube/${object}`, { ...kept, ...named } as never, resource, place));
}

/** What is known after apply is undefined, where it would be null if it were not set. */
function withoutUnknown(value: object, answer: Answer): object {
  const unknown = Object.entries(answer).filter(([, given]) => given === undefined);
  const gone = new Set(unknown.map(([name]) => name));
  return Object.fromEntries(Object.entries(value).filter(([name]) => !gone.has(name)));
}

/** The mapping of roles, and what a template's user data says of the cluster. */
function addTexts(
  { directory }: Plan,
  resource: Resource,
  { facts, doubts, place }: { facts: Planned[]; doubts: Doubt[]; place: Place },
): void {
  if (isAwsAuth(resource)) {
    const { value, isWhole } = awsAuthOf(directory, resource);
    facts.push(planned('kube/aws-auth', value, resource, place));
    const what = 'which roles aws-auth maps, until the plan is applied';
    if (!isWhole) doubts.push({ kind: 'kube/aws-auth', what, ...place });
  }
  if (resource.type !== 'aws_launch_template') return;
  const userData = textOf(resource, 'user_data');
  if (userData === undefined) return;
  const id = textAt(resource.values, 'id') ?? resource.address;
  facts.push(planned('aws/user-data', readUserData(id, userData), resource, place));
}
