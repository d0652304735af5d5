import { defineCause, step } from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { definite } from '../../../diagnosis/sign.ts';

/** Somebody deleted or edited the Auto Scaling group that belongs to a managed node group. */
export default defineCause({
  id: 'asg-deleted-or-modified',
  stage: 'launched',
  title: 'the node group’s Auto Scaling group was deleted or changed behind EKS',
  scope: 'group',
  signs: {
    healthCode: definite(
      ['aws-message', 'terraform', 'client-output'],
      /\b(?<code>AutoScalingGroup(?:NotFound|InvalidConfiguration|RateLimitExceeded|InstanceRefreshActive))\b(?:.*?(?<group>eks-[\w-]{8,}))?/,
      {
        anchors: [
          'AutoScalingGroupNotFound',
          'AutoScalingGroupInvalidConfiguration',
          'AutoScalingGroupRateLimitExceeded',
          'AutoScalingGroupInstanceRefreshActive',
        ],
      },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['node-creation-failure-verdict'],
  summary: ({ code, group }) =>
    sentence`EKS cannot use the Auto Scaling group ${group} of the node group (${code ?? 'deleted or changed'}), so the group no longer grows or heals.`,
  remedy: ({ group }) => [
    step(
      'See whether the group exists, and compare its size, template version and tags with the node group.',
      `aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names ${group ?? '<group>'} --query AutoScalingGroups[].[MinSize,MaxSize,LaunchTemplate,MixedInstancesPolicy.LaunchTemplate,Tags]`,
    ),
    step(
      'Undo changes made by hand; where the group is gone, replace the node group.',
      'aws eks delete-nodegroup --cluster-name <cluster> --nodegroup-name <node-group>',
    ),
  ],
  decide: step(
    'Read the node group’s health issues.',
    'aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group> --query nodegroup.[resources.autoScalingGroups,health.issues]',
  ),
  page: {
    why: 'A managed node group drives an Auto Scaling group of its own. Clean-up scripts delete it, people change its sizes, template or policy in the console, and an instance refresh started by hand holds EKS up.',
    prevent:
      'Change node groups only through EKS, and keep clean-up tools away from groups tagged eks:nodegroup-name.',
    notThis:
      'A missing or edited template is launch-template-deleted-or-edited; suspended processes are asg-suspended-or-hook-pending. A group without the tag eks:nodegroup-name never belonged to a managed node group.',
    alsoKnownAs: ['AutoScalingGroupNotFound', 'AutoScalingGroupInvalidConfiguration'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html',
    ],
  },
});
