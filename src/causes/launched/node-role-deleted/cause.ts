import { defineCause, step, matched } from '../../../diagnosis/cause.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';

import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';

const LAUNCHERS = [
  'aws-message',
  'terraform',
  'client-output',
  'karpenter',
  'node-claim',
  'object',
  'event',
] as const;

/** The role that machines of the group run with is not there any more. */
const cause = defineCause({
  id: 'node-role-deleted',
  stage: 'launched',
  title: 'the IAM role of the node group or its instance profile was deleted',
  scope: 'group',
  signs: {
    healthCode: definite(
      LAUNCHERS,
      /\bIamNodeRoleNotFound\b(?:.*?:role\/(?:[\w+=,.@-]+\/){0,8}(?<role>[\w+=,.@-]{1,64}))?/,
    ),
    nodeClass: definite(
      ['node-claim', 'karpenter', 'object', 'event'],
      /(?<!Iam)\bNodeRoleNotFound\b|Failed to detect the NodeRole/,
    ),
    addToProfile: definite(
      LAUNCHERS,
      /instance ?profile\b.*?The role with name (?<role>[\w+=,.@-]{1,64}) cannot be found/i,
      { anchors: ['The role with name '] },
    ),
    profileReady: withdraws(['node-claim'], /condition InstanceProfileReady=True/),
  },
  needs: ['aws/auto-scaling-group'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'invalid-instance-profile',
    'karpenter-nodeclass-not-ready',
    'no-aws-credentials',
    'karpenter-launch-timeout',
    'node-creation-failure-verdict',
  ],
  summary: ({ role }) =>
    `The IAM role ${role ?? 'of the nodes'} does not exist any more, so new machines get no credentials or are not launched at all.`,
  remedy: ({ role }) => [
    step(
      'See whether the role exists, and who deleted it.',
      `aws iam get-role --role-name ${role ?? '<node-role>'}; aws cloudtrail lookup-events --region us-east-1 --lookup-attributes AttributeKey=EventName,AttributeValue=DeleteRole --query 'Events[].[EventTime,Username,Resources[0].ResourceName]'`,
    ),
    step(
      'Create it again under the same name and path, with the trust of EC2 and the node policies.',
      `aws iam create-role --role-name ${role ?? '<node-role>'} --assume-role-policy-document '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}'; for policy in AmazonEKSWorkerNodePolicy AmazonEC2ContainerRegistryPullOnly AmazonEKS_CNI_Policy; do aws iam attach-role-policy --role-name ${role ?? '<node-role>'} --policy-arn arn:aws:iam::aws:policy/$policy; done`,
    ),
    step(
      'Delete and create its access entry: an entry still means the old role, though the name is the same.',
      `aws eks delete-access-entry --cluster-name <cluster> --principal-arn arn:aws:iam::<account>:role/${role ?? '<node-role>'} && aws eks create-access-entry --cluster-name <cluster> --principal-arn arn:aws:iam::<account>:role/${role ?? '<node-role>'} --type EC2_LINUX`,
    ),
  ],
  decide: step(
    'Ask IAM for the role that the node group or node class names.',
    'aws iam get-role --role-name "$(aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group> --query nodegroup.nodeRole --output text | sed \'s|.*/||\')"',
  ),
  page: {
    why: 'The role of the nodes is made by a stack of its own and goes with it, or a clean-up takes it for unused. A managed node group cannot change its role, and EKS marks it Degraded.',
    prevent:
      'Keep role and node group in one stack, and refuse iam:DeleteRole on node roles in a service control policy.',
    notThis:
      'A missing or empty instance profile is invalid-instance-profile. A role that was made again under the same name is let in no more: recreated-node-role. A launcher that may not pass an existing role is launch-permission-denied.',
    alsoKnownAs: ['IamNodeRoleNotFound', 'The role with name KarpenterNodeRole cannot be found'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html#troubleshoot-managed-node-groups',
      'https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html',
      'https://github.com/aws/karpenter-provider-aws/blob/HEAD/pkg/controllers/nodeclass/instanceprofile.go',
    ],
  },
});

export default matched(cause, (view) =>
  clearWhenFilled(view, ['healthCode', 'nodeClass', 'addToProfile']),
);
