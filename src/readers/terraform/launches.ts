import { at, type Json, textAt } from '../../evidence/json.ts';
import { SUBNET } from './cluster.ts';
import { groupTagsOf, linkOf, linksOf, nameBy } from './links.ts';
import type { Maker } from './made.ts';
import { isUnknownIn, type Resource, textOf, valueAt } from './resource.ts';

const PROFILE_BY_NAME = { types: ['aws_iam_instance_profile'], by: 'name' };
const PROFILE_BY_ARN = { types: ['aws_iam_instance_profile'], by: 'arn' };
const TEMPLATE = { types: ['aws_launch_template'], by: 'id' };
const CONFIGURATION = { types: ['aws_launch_configuration'], by: 'name' };

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
      ImageId: textOf(resource, 'image_id') ?? null,
      InstanceType: textOf(resource, 'instance_type') ?? null,
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
    Tags: isUnknownIn(at(resource.unknown, 'tag')) ? undefined : groupTagsOf(resource),
    VPCZoneIdentifier: subnets.isExact ? subnets.names.join(',') : undefined,
  };
  return [{ kind: 'aws/auto-scaling-group', answer }];
};
