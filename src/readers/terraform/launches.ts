import { at, type Json, listAt, textAt } from '../../evidence/json.ts';
import { UNKNOWN_GROUP } from '../../evidence/planned.ts';
import { SUBNET } from './cluster.ts';
import { imageIdOf } from './images.ts';
import { groupTagsOf, type Links, linkOf, linksOf, nameBy, tagsOf } from './links.ts';
import type { Maker } from './made.ts';
import type { Directory } from './references.ts';
import { blockOf, isUnknownIn, type Resource, textOf, textsOf, valueAt } from './resource.ts';
import { SECURITY_GROUP } from './security.ts';

const PROFILE_BY_NAME = { types: ['aws_iam_instance_profile'], by: 'name' };
const PROFILE_BY_ARN = { types: ['aws_iam_instance_profile'], by: 'arn' };
const TEMPLATE = { types: ['aws_launch_template'], by: 'id' };
const CONFIGURATION = { types: ['aws_launch_configuration'], by: 'name' };

const IMAGE = { types: ['aws_ami', 'aws_ssm_parameter'], by: imageIdOf };
const KEY = { types: ['aws_kms_key'], by: 'arn' };

function imageOf(directory: Directory, resource: Resource): string | null {
  return linkOf(directory, resource, 'image_id', IMAGE) ?? null;
}

/** Ids of security groups; one that nobody can tell yet keeps the place of one. */
function namesOf({ names, isExact }: Links): readonly string[] {
  return isExact ? names : [...names, UNKNOWN_GROUP];
}

function groupsOf(directory: Directory, resource: Resource): readonly string[] {
  return namesOf(linksOf(directory, resource, 'vpc_security_group_ids', SECURITY_GROUP));
}

function interfacesOf(directory: Directory, resource: Resource): Json {
  const links = linksOf(
    directory,
    resource,
    'network_interfaces',
    SECURITY_GROUP,
    'security_groups',
  );
  return listAt(resource.values, 'network_interfaces').map((one) => ({
    // The provider writes this flag as a text.
    AssociatePublicIpAddress: textAt(one, 'associate_public_ip_address') === 'true',
    Groups: namesOf(links),
    SubnetId: textAt(one, 'subnet_id'),
  }));
}

function metadataOf(resource: Resource): Json {
  const options = blockOf(resource, 'metadata_options');
  return {
    HttpPutResponseHopLimit: valueAt(options, 'http_put_response_hop_limit'),
    HttpTokens: valueAt(options, 'http_tokens'),
  };
}

function disksOf(directory: Directory, resource: Resource): Json {
  const { names } = linksOf(directory, resource, 'block_device_mappings', KEY, 'ebs');
  const [only, ...more] = names.filter((name) => name.includes('aws_kms_key.'));
  return listAt(resource.values, 'block_device_mappings').map((one) => {
    const ebs = firstIn(one, 'ebs');
    const key = textAt(ebs, 'kms_key_id');
    return {
      DeviceName: textAt(one, 'device_name'),
      Ebs: {
        KmsKeyId: key ?? (more.length === 0 ? (only ?? null) : null),
        VolumeSize: valueAt(ebs, 'volume_size'),
      },
    };
  });
}

export const template: Maker = ({ directory }, resource) => {
  const arn = linkOf(directory, resource, 'iam_instance_profile', PROFILE_BY_ARN, 'arn');
  const name = linkOf(directory, resource, 'iam_instance_profile', PROFILE_BY_NAME, 'name');
  const profile: Record<string, Json> = {};
  if (typeof arn === 'string') profile['Arn'] = arn;
  if (typeof name === 'string') profile['Name'] = name;
  const answer = {
    LaunchTemplateId: nameBy(resource, 'id'),
    LaunchTemplateName: textOf(resource, 'name'),
    LaunchTemplateData: {
      IamInstanceProfile: profile,
      BlockDeviceMappings: disksOf(directory, resource),
      ImageId: imageOf(directory, resource),
      InstanceType: textOf(resource, 'instance_type') ?? null,
      MetadataOptions: metadataOf(resource),
      NetworkInterfaces: interfacesOf(directory, resource),
      SecurityGroupIds: groupsOf(directory, resource),
      TagSpecifications: listAt(resource.values, 'tag_specifications').map((one) => ({
        ResourceType: textAt(one, 'resource_type'),
        Tags: tagsOf({ values: { tags: at(one, 'tags') ?? null } }),
      })),
    },
  };
  return [{ kind: 'aws/launch-template-version', answer }];
};

export const configuration: Maker = ({ directory }, resource) => [
  {
    kind: 'aws/launch-configuration',
    answer: {
      LaunchConfigurationName: nameBy(resource, 'name'),
      IamInstanceProfile: linkOf(directory, resource, 'iam_instance_profile', PROFILE_BY_NAME),
      ImageId: textOf(resource, 'image_id'),
      InstanceType: textOf(resource, 'instance_type'),
    },
  },
];

const MIXED = 'mixed_instances_policy';

/** The template of a group, which a mixed policy has further inside. */
function templateOf(
  directory: Parameters<Maker>[0]['directory'],
  resource: Resource,
): string | null | undefined {
  const own = linkOf(directory, resource, 'launch_template', TEMPLATE, 'id');
  if (own !== null) return own;
  const specification = at(firstIn(resource.values, MIXED), 'launch_template');
  const named = textAt(
    firstIn({ inner: first(specification) }, 'inner.launch_template_specification'),
    'launch_template_id',
  );
  if (named !== null) return named;
  const { names } = linksOf(directory, resource, MIXED, TEMPLATE);
  return names.length === 1
    ? names[0]
    : isUnknownIn(at(resource.unknown, MIXED))
      ? undefined
      : null;
}

function first(value: Json | undefined): Json {
  return Array.isArray(value) ? ((value as readonly Json[])[0] ?? null) : null;
}

function firstIn(value: Json | undefined, path: string): Json {
  return first(at(value, path));
}

/** The types that a mixed policy names instead of the template's; null without such a policy. */
function mixedOf({ values }: Resource): Json {
  const mixed = firstIn(firstIn(values, MIXED), 'launch_template');
  if (mixed === null) return null;
  const overrides = listAt(mixed, 'override').map((one) => ({
    InstanceType: textAt(one, 'instance_type'),
  }));
  return { LaunchTemplate: { Overrides: overrides } };
}

function suspendedOf({ values, unknown }: Resource): Json | undefined {
  if (isUnknownIn(at(unknown, 'suspended_processes'))) return undefined;
  return textsOf(values, 'suspended_processes').map((ProcessName) => ({ ProcessName }));
}

export const scalingGroup: Maker = ({ directory }, resource) => {
  const subnets = linksOf(directory, resource, 'vpc_zone_identifier', SUBNET);
  const id = templateOf(directory, resource);
  const answer = {
    AutoScalingGroupName: nameBy(resource, 'name'),
    DesiredCapacity: valueAt(resource.values, 'desired_capacity'),
    MaxSize: valueAt(resource.values, 'max_size'),
    MinSize: valueAt(resource.values, 'min_size'),
    LaunchConfigurationName: linkOf(directory, resource, 'launch_configuration', CONFIGURATION),
    LaunchTemplate: typeof id === 'string' ? { LaunchTemplateId: id } : id,
    MixedInstancesPolicy: mixedOf(resource),
    SuspendedProcesses: suspendedOf(resource),
    Tags: isUnknownIn(at(resource.unknown, 'tag')) ? undefined : groupTagsOf(resource),
    VPCZoneIdentifier: subnets.isExact ? subnets.names.join(',') : undefined,
  };
  return [{ kind: 'aws/auto-scaling-group', answer }];
};
