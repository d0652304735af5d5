import { knownType } from '../../capacity/known-type.ts';
import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { clusterGroupOf } from '../terraform/security.ts';
import type { Resource } from '../terraform/resource.ts';
import { said, written } from '../written/resource.ts';
import { type ClusterFile, type GroupEntry, hasTemplate, imageOf, typesOf } from './file.ts';
import type { Network, Place } from './network.ts';
import type { NodeRole } from './roles.ts';
import { userDataOf } from './user-data.ts';

/** What a group is made from beside its own lines. */
export interface Surroundings {
  readonly file: ClusterFile;
  readonly network: Network;
  readonly cluster: Resource;
  readonly role: NodeRole;
}

/** eksctl starts so many machines where a group gives no number. */
const MACHINES_BY_DEFAULT = 2;

/** A group with the template and the image that its machines are launched with. */
export function groupResources(around: Surroundings, entry: GroupEntry): readonly Resource[] {
  const isTheirs = hasTemplate(entry.written);
  return [
    ...around.role.resources,
    ...(isTheirs ? [] : [templateOf(around, entry), ...imagesOf(around.file, entry)]),
    ...(entry.isManaged ? [managedGroup(around, entry)] : ownGroup(around, entry)),
  ];
}

function numberAt(written_: JsonObject, name: string): number | null {
  const value = at(written_, name);
  return typeof value === 'number' ? value : null;
}

/** How many machines a group starts with; null where only its greatest size is given. */
function desiredOf(group: JsonObject): number | null {
  const given = numberAt(group, 'desiredCapacity') ?? numberAt(group, 'minSize');
  if (given !== null) return given;
  return numberAt(group, 'maxSize') === null ? MACHINES_BY_DEFAULT : null;
}

/** Subnets of one group beyond these are not looked at. */
const NAMED_MAX = 64;

/** The ids of a group's subnets; null where the file does not say which they are. */
function subnetsOf({ network }: Surroundings, { written: group }: GroupEntry): Json | null {
  const named = listAt(group, 'subnets')
    .filter((one) => typeof one === 'string')
    .slice(0, NAMED_MAX);
  const all = network.places;
  if (named.length > 0) return named.map((one) => idNamed(all, one));
  if (all === null || listAt(group, 'localZones').length > 0) return null;
  const own = all[at(group, 'privateNetworking') === true ? 'private' : 'public'];
  const zones = listAt(group, 'availabilityZones');
  const chosen = zones.length === 0 ? own : chosenOf(own, zones);
  return chosen.length === 0 ? null : chosen.map(({ id }) => id);
}

/** Those in the zones of a group; where eksctl chooses zones, it takes these among others. */
function chosenOf(places: readonly Place[], zones: readonly Json[]): readonly Place[] {
  const [first] = places;
  if (first?.key === '') return places.slice(0, zones.length);
  return places.filter(({ zone, key }) => zones.includes(zone) || zones.includes(key));
}

/** Groups name subnets by their ids or by their keys in the list of the VPC. */
function idNamed(all: Network['places'], name: string): string {
  const places = all === null ? [] : [...all.private, ...all.public];
  return places.find(({ key }) => key === name)?.id ?? name;
}

function managedGroup(around: Surroundings, entry: GroupEntry): Resource {
  const { written: group, path } = entry;
  const types = typesOf(group);
  const subnets = subnetsOf(around, entry);
  const amiType = amiTypeOf(entry, types);
  const template = textAt(group, 'launchTemplate.id') ?? path;
  return written(
    'aws_eks_node_group',
    path,
    said({
      ami_type: amiType ?? undefined,
      capacity_type: at(group, 'spot') === true ? 'SPOT' : 'ON_DEMAND',
      cluster_name: around.file.name ?? 'metadata',
      instance_types: types ?? undefined,
      launch_template: [{ id: template }],
      node_group_name: textAt(group, 'name') ?? undefined,
      node_role_arn: around.role.arn,
      scaling_config: [sizeOf(group)],
      subnet_ids: subnets ?? undefined,
    }),
    {
      unknown: {
        ami_type: amiType === null,
        instance_types: types === null,
        subnet_ids: subnets === null,
        version: true,
      },
    },
  );
}

function sizeOf(group: JsonObject): JsonObject {
  return {
    desired_size: desiredOf(group),
    max_size: numberAt(group, 'maxSize'),
    min_size: numberAt(group, 'minSize'),
  };
}

function isArm(type: string): boolean | null {
  const arch = knownType(type, [])?.arch ?? null;
  return arch === null ? null : arch === 'arm64';
}

/** The AMI type that eksctl asks EKS for: by the family and the first of the types. */
function amiTypeOf(
  { written: group, family }: GroupEntry,
  types: readonly string[] | null,
): string | null {
  if (imageOf(group) !== null) return 'CUSTOM';
  const arm = isArm(types?.[0] ?? '');
  if (arm === null) return null;
  if (family === 'al2') return arm ? 'AL2_ARM_64' : 'AL2_x86_64';
  if (family === 'al2023') return `AL2023_${arm ? 'ARM_64' : 'x86_64'}_STANDARD`;
  if (family === 'bottlerocket') return `BOTTLEROCKET_${arm ? 'ARM_64' : 'x86_64'}`;
  return family === 'windows' ? 'WINDOWS_CORE_x86_64' : null;
}

function ownGroup(around: Surroundings, entry: GroupEntry): readonly Resource[] {
  const { written: group, path } = entry;
  const subnets = subnetsOf(around, entry);
  const types = typesOf(group) ?? [];
  const { file, role } = around;
  const tag = { key: `kubernetes.io/cluster/${file.name ?? 'metadata'}`, value: 'owned' };
  const overrides = types.map((type) => ({ instance_type: type }));
  const values = said({
    name: textAt(group, 'name') ?? undefined,
    desired_capacity: desiredOf(group),
    max_size: numberAt(group, 'maxSize'),
    min_size: numberAt(group, 'minSize'),
    launch_template: [{ id: path }],
    mixed_instances_policy:
      types.length < 2 ? undefined : [{ launch_template: [{ override: overrides }] }],
    suspended_processes: listAt(group, 'asgSuspendProcesses'),
    tag: [tag],
    vpc_zone_identifier: subnets ?? undefined,
  });
  const profile = { arn: profileOf(path), name: profileOf(path), role: roleName(role) };
  return [
    written('aws_iam_instance_profile', `${path}.iam`, profile),
    written('aws_autoscaling_group', path, values, {
      unknown: { vpc_zone_identifier: subnets === null },
    }),
  ];
}

function profileOf(path: string): string {
  return `${path}.iam.instanceProfileARN`;
}

/** The name by which profiles hold the role of a group. */
function roleName({ arn, resources }: NodeRole): string {
  return textAt(resources[0]?.values, 'name') ?? arn;
}

/** Of groups that eksctl manages itself nobody knows the security groups that it makes. */
function securityGroupsOf(
  { cluster }: Surroundings,
  { written: group, isManaged }: GroupEntry,
): Json | null {
  if (!isManaged || at(group, 'efaEnabled') === true || isObject(at(group, 'ssh'))) return null;
  const more = listAt(group, 'securityGroups.attachIDs').filter((id) => typeof id === 'string');
  return [clusterGroupOf(cluster), ...more.slice(0, NAMED_MAX)];
}

function templateOf(around: Surroundings, entry: GroupEntry): Resource {
  const { written: group, path, isManaged } = entry;
  const userData = userDataOf(around.file, entry);
  const types = typesOf(group) ?? [];
  const groups = securityGroupsOf(around, entry);
  const isClosed = at(group, 'disablePodIMDS') === true;
  const isTokenOnly = isClosed || at(group, 'disableIMDSv1') === true;
  return written(
    'aws_launch_template',
    path,
    said({
      iam_instance_profile: isManaged ? undefined : [{ arn: profileOf(path) }],
      image_id: imageOf(group) ?? (isManaged ? undefined : `${path}.amiFamily`),
      instance_type: isManaged || types.length !== 1 ? undefined : types[0],
      metadata_options: [
        {
          http_put_response_hop_limit: isClosed ? 1 : 2,
          http_tokens: isTokenOnly ? 'required' : 'optional',
        },
      ],
      user_data: userData ?? undefined,
      vpc_security_group_ids: groups ?? undefined,
    }),
    { unknown: { user_data: userData === undefined, vpc_security_group_ids: groups === null } },
  );
}

/** The image that a group launches, as far as its family and the version of the cluster tell it. */
function imagesOf(file: ClusterFile, entry: GroupEntry): readonly Resource[] {
  const { written: group, path, isManaged } = entry;
  const address = `${path}.amiFamily`;
  const own = imageOf(group);
  const family = textAt(group, 'amiFamily');
  if (own !== null)
    return family === null
      ? []
      : [
          written(
            'aws_ami',
            address,
            { id: own, name: `${own} (${family})` },
            { isLookedUp: true, unknown: { architecture: true } },
          ),
        ];
  const parameter = isManaged ? null : parameterOf(entry, file.version, typesOf(group));
  return parameter === null
    ? []
    : [written('aws_ssm_parameter', address, { name: parameter }, { isLookedUp: true })];
}

/** The parameter in which AWS publishes the image that eksctl takes. */
function parameterOf(
  { family, written: group }: GroupEntry,
  version: string | null,
  types: readonly string[] | null,
): string | null {
  const arm = isArm(types?.[0] ?? '');
  if (version === null || !/^1\.\d{1,3}$/.test(version) || arm === null) return null;
  const arch = arm ? 'arm64' : 'x86_64';
  const published = `/aws/service/eks/optimized-ami/${version}`;
  if (family === 'al2023') return `${published}/amazon-linux-2023/${arch}/standard/recommended`;
  if (family === 'al2') return `${published}/amazon-linux-2${arm ? '-arm64' : ''}/recommended`;
  if (family === 'bottlerocket')
    return `/aws/service/bottlerocket/aws-k8s-${version}/${arch}/latest`;
  if (family !== 'windows') return null;
  const year = /\d{4}/.exec(textAt(group, 'amiFamily') ?? '')?.[0] ?? '2022';
  return `/aws/service/ami-windows-latest/Windows_Server-${year}-English-Core-EKS_Optimized-${version}/image_id`;
}
