import { defineCause, matched, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';

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

export default matched(cause, (view) =>
  clearWhenFilled(view, ['interfaces', 'setTwice', 'combination', 'fieldNotAllowed']),
);
