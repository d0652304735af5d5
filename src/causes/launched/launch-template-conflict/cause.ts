import { clear, defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import type { NodeGroup } from '../../../evidence/aws/groups.ts';
import type { LaunchTemplateVersion } from '../../../evidence/aws/instance.ts';

const LAUNCHERS = [
  'aws-message',
  'terraform',
  'client-output',
  'event',
  'karpenter',
  'node-claim',
  'object',
] as const;

/** The template sets something that the node group sets too, or two of its fields exclude each other. */
const cause = defineCause({
  id: 'launch-template-conflict',
  stage: 'launched',
  title: 'the launch template conflicts with the node group',
  scope: 'group',
  signs: {
    interfaces: definite(
      LAUNCHERS,
      /(?<conflict>Network interfaces and an instance-level (?:subnet ID|security groups)) may not be specified on the same request/,
    ),
    setTwice: definite(
      LAUNCHERS,
      /(?<conflict>Cannot specify [\w ]{3,40} in launch template and API request|Remote access configuration cannot be specified with a launch template|Disk size must be specified within the launch template|You cannot specify an (?:AMI Type|image id)[\w ,]{0,80} launch template)/i,
      {
        anchors: [
          'in launch template and API request',
          'be specified with a launch template',
          'within the launch template',
          'image id in your launch template',
          'image id within launch template',
          'in your launch template',
        ],
      },
    ),
    combination: definite(
      LAUNCHERS,
      /[Cc]ould not launch \S+ Instances\. InvalidParameterCombination\b(?: - (?<conflict>[^.]{10,120}))?/,
    ),
    fieldNotAllowed: definite(
      ['aws-message', 'terraform', 'client-output'],
      /[Ll]aunch template [\w-]{0,40} ?should not (?:specify|contain) (?<conflict>[\w ]{3,60})/,
      { anchors: ['aunch template'] },
    ),
    versionOfOwnImage: definite(
      ['aws-message', 'terraform', 'client-output'],
      /[Yy]ou cannot specify the field (?<conflict>kubernetesVersion|releaseVersion) when using custom AMIs/,
    ),
  },
  needs: ['aws/auto-scaling-group'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['launch-template-deleted-or-edited', 'node-creation-failure-verdict'],
  summary: ({ conflict }) =>
    `The launch template cannot be used with the node group (${conflict ?? 'two settings exclude each other'}), so AWS refuses it before an instance exists.`,
  remedy: () => [
    step(
      'Read what the template sets.',
      "aws ec2 describe-launch-template-versions --launch-template-id <template> --versions '$Latest' --query LaunchTemplateVersions[].LaunchTemplateData",
    ),
    step(
      'Take subnet, instance profile, spot options and shutdown behaviour out of it; where it has NetworkInterfaces, put the security groups inside them. Then use the new version.',
      'aws eks update-nodegroup-version --cluster-name <cluster> --nodegroup-name <node-group> --launch-template id=<template>,version=<new-version>',
    ),
  ],
  decide: step(
    'Read what the template sets, and the group’s issues.',
    "aws ec2 describe-launch-template-versions --launch-template-id <template> --versions '$Latest' --query LaunchTemplateVersions[].LaunchTemplateData; aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group> --query nodegroup.health",
  ),
  page: {
    why: 'A managed node group adds its own subnets, security groups, profile and user data to the template. A template made for plain EC2 sets some of those itself, and a NetworkInterfaces block excludes security groups beside it.',
    prevent: 'Keep templates for managed node groups to the fields that the EKS guide allows.',
    notThis:
      'A template that is gone or edited behind EKS is launch-template-deleted-or-edited; user data in the wrong form is user-data-rejected-at-launch; a refused permission is launch-permission-denied; disks are block-device-mapping-mismatch; the same code where EC2 has no machine is insufficient-instance-capacity.',
    alsoKnownAs: [
      'Network interfaces and an instance-level security groups may not be specified on the same request',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/issues/1545',
    ],
  },
});

const judged = matched(cause, (view) =>
  clearWhenFilled(view, ['interfaces', 'setTwice', 'combination', 'fieldNotAllowed']),
);

type Launch = NonNullable<LaunchTemplateVersion['LaunchTemplateData']>;

/** What EKS refuses of a template beside what a managed group says (its user guide lists it). */
function conflictOf(group: NodeGroup, launch: Launch): string | null {
  const { IamInstanceProfile: profile, NetworkInterfaces: interfaces } = launch;
  const hasProfile = (profile?.Arn ?? profile?.Name ?? '') !== '';
  const hasImage = (launch.ImageId ?? null) !== null;
  const amiType = group.amiType ?? 'CUSTOM';
  if (hasProfile) return 'the template has an instance profile, which EKS makes itself';
  if ((interfaces ?? []).some(({ SubnetId: id }) => (id ?? '') !== ''))
    return 'the template names a subnet, which the node group does';
  if ((launch.InstanceType ?? null) !== null && (group.instanceTypes ?? []).length > 0)
    return 'both the template and the node group name instance types';
  if ((group.diskSize ?? 0) > 0) return 'disk_size is set beside a launch template';
  return hasImage && amiType !== 'CUSTOM'
    ? `ami_type ${amiType} is set beside the image of the template`
    : null;
}

/** EC2 takes security groups either of the instance or of its interfaces. */
function bothGroups({
  NetworkInterfaces: interfaces,
  SecurityGroupIds: ids,
}: Launch): string | null {
  const isBoth = (interfaces ?? []).length > 0 && (ids ?? []).length > 0;
  return isBoth ? 'network_interfaces and vpc_security_group_ids exclude each other' : null;
}

export default foreseen(
  judged,
  (plan, group) => {
    const launch = group.template?.value.LaunchTemplateData ?? null;
    if (group.template === null || launch === null) return NOT_SHOWN;
    const { fact } = group;
    if (fact.change !== 'create' && group.template.change !== 'create') return NOT_SHOWN;
    const own = group.kind === 'NodeGroup' ? conflictOf(fact.value as NodeGroup, launch) : null;
    const conflict = own ?? bothGroups(launch);
    if (conflict === null) return clear;
    return found({ conflict }, [
      plan.quote(group.template, conflict),
      plan.quote(fact, `${group.name} launches with this template`),
    ]);
  },
  {
    remedy: ({ conflict }) => [
      step(`Say each setting in one place only (${conflict ?? 'two exclude each other'}).`),
    ],
  },
);
