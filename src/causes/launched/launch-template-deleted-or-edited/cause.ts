import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';
import { shortGroups, templateUse } from '../../../domain/instances/launch.ts';

const FAILURES = ['healthCode', 'newVersion', 'activity', 'claimReason', 'notFoundAgain'] as const;

/** The launch template of the group, or the version it needs, is gone or no longer what EKS wrote. */
const cause = defineCause({
  id: 'launch-template-deleted-or-edited',
  stage: 'launched',
  title: 'the launch template was deleted or edited behind the node group',
  scope: 'group',
  signs: {
    healthCode: definite(
      ['aws-message', 'terraform', 'client-output'],
      /\b(?<code>(?:Source)?Ec2LaunchTemplateNotFound|Ec2LaunchTemplateVersionMismatch)\b(?:.*?(?<template>lt-[0-9a-f]{8,17}))?/,
    ),
    activity: definite(
      ['aws-message', 'terraform', 'client-output'],
      /[Ll]aunch template(?:,? with template)?(?: ID)?,? '?(?<template>lt-[0-9a-f]{8,17})'?,? does not exist.*Launching EC2 instance failed|Launch template could not be found ?: .{0,80}?(?<template2>lt-[0-9a-f]{8,17}),? does not exist|valid fully-formed launch template\..{1,80}?(?<given>lt-[0-9a-f]{8,17})'?,? does not exist|InvalidLaunchTemplate(?:Id|Name)\.NotFound\w{0,12}: The specified launch template, with template (?:ID|name) (?<asked>[\w.()/-]{1,128}), does not exist/,
      { anchors: ['aunch template'] },
    ),
    noSuchVersion: definite(
      ['aws-message', 'terraform', 'client-output', 'karpenter'],
      /Could not find the specified version (?<version>\d{1,6}) for the launch template with ID (?<template>lt-[0-9a-f]{8,17})|\b(?<code>InvalidLaunchTemplateId\.VersionNotFound)\b/,
      { anchors: ['for the launch template with ID', 'InvalidLaunchTemplateId.VersionNotFound'] },
    ),
    claimReason: likely(
      ['node-claim'],
      /condition (?:Launched|NodeRegistrationHealthy)=\w+ LaunchTemplateNotFound\b/,
    ),
    notFoundAgain: likely(
      ['karpenter'],
      /\bInvalidLaunchTemplate(?:Id|Name)\.NotFound(?:Exception)?\b/,
      { atLeast: 3, enoughOnce: 'alone' },
    ),
    launchedAfter: withdraws(
      ['karpenter', 'event'],
      /\blaunched (?:nodeclaim|machine)\b|Type: Launched, Status: \w+ -> True/,
    ),
    newVersion: definite(
      ['aws-message', 'terraform', 'client-output'],
      /(?:(?<template>lt-[0-9a-fx]{8,17}) )?(?<foreign>has a new version) associated with your Auto ?[Ss]caling group, which is not managed by Amazon EKS/,
      { anchors: ['has a new version associated with your Auto'] },
    ),
  },
  needs: ['aws/auto-scaling-group', 'aws/launch-template'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['karpenter-launch-timeout', 'node-creation-failure-verdict'],
  summary: ({ template, given, code, group, size, foreign }) =>
    foreign !== undefined
      ? `The Auto Scaling group uses a version of the launch template ${template ?? ''} that EKS did not make, so the node group is degraded and EKS no longer updates it.`
      : group !== undefined
        ? `The launch template ${template ?? ''} of the Auto Scaling group ${group} was deleted, so the group launches nothing and stays at ${size ?? 'fewer machines than it wants'}.`
        : `The launch template ${template ?? given ?? 'of the group'} or the version that EKS wrote is not there any more (${code ?? 'not found'}), so nothing new is launched.`,
  remedy: ({ template }) => [
    step(
      'See which versions exist, and which one the Auto Scaling group uses.',
      `aws ec2 describe-launch-template-versions --launch-template-id ${template ?? '<template>'} --query LaunchTemplateVersions[].[VersionNumber,CreateTime,CreatedBy]; aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names <group> --query AutoScalingGroups[].[LaunchTemplate,MixedInstancesPolicy.LaunchTemplate.LaunchTemplateSpecification]`,
    ),
    step(
      'Where only the version differs, put the group back on the version that EKS made.',
      `aws autoscaling update-auto-scaling-group --auto-scaling-group-name <group> --launch-template LaunchTemplateId=${template ?? '<template>'},Version=<eks-version>`,
    ),
    step(
      'Where the template is gone, replace the node group.',
      'aws eks delete-nodegroup --cluster-name <cluster> --nodegroup-name <node-group>',
    ),
  ],
  decide: step(
    'Read the node group’s health issues.',
    'aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group> --query nodegroup.[launchTemplate,health.issues]',
  ),
  page: {
    why: 'EKS makes a template of its own for each managed node group and remembers the version. Clean-up jobs delete templates that nobody seems to use, and people change the Auto Scaling group’s version by hand.',
    prevent:
      'Leave templates whose name begins with eks- alone, and change versions with update-nodegroup-version.',
    notThis:
      'A template that was never usable is launch-template-conflict or user-data-rejected-at-launch. A deleted Auto Scaling group is asg-deleted-or-modified. A group whose template is there and that launches nothing for want of machines in its zones is insufficient-instance-capacity. Karpenter makes its templates again after one such error; only a repeated one counts.',
    alsoKnownAs: ['Ec2LaunchTemplateNotFound', 'Ec2LaunchTemplateVersionMismatch'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html',
    ],
  },
});

export default matched(cause, (view) => clearWhenFilled(view, FAILURES) ?? matchTemplates(view));

type Own = ViewOf<typeof cause>;

/** A group short of machines, whose template is not among those of the names that groups give. */
function matchTemplates(view: Own): Match | null {
  // Others may not have asked for this very template.
  if (!view.isLive || view.read('aws/launch-template').state === 'unknown') return null;
  const there = new Set(
    view.list('aws/launch-template').map(({ value }) => value.LaunchTemplateId ?? null),
  );
  const uses = shortGroups(view.list('aws/auto-scaling-group'), []).flatMap(({ group, size }) => {
    const use = templateUse(group.value);
    return use === null || use.name === '' ? [] : [{ group, size, use }];
  });
  const lost = uses.find(({ use }) => !there.has(use.id));
  if (lost === undefined) {
    const isSaid = view.anySign(...FAILURES);
    return uses.length === 0 || isSaid ? null : clear;
  }
  const { group, size, use } = lost;
  const standing = `${size.inService} of ${size.desired} machines`;
  const words = `AutoScalingGroup ${size.name} has ${standing} and launches with ${use.id} (${use.name}), which describe-launch-templates does not show`;
  return found({ template: use.id, group: size.name, size: standing }, [view.quote(group, words)]);
}
