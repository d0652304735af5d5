/** What every account here has from the start: roles of the parts of a cluster, and a key. */
import { type Account, arnOf, isoMoment } from './account.ts';
import { put } from './ec2/network.ts';
import { allowing, trusting } from './iam/managed.ts';
import { createRole, type NewRole } from './iam/roles.ts';

const ROLES: readonly NewRole[] = [
  {
    name: 'cloud-controller-manager',
    inlinePolicies: { cloud: allowing(['ec2:Describe*', 'autoscaling:Describe*']) },
  },
  {
    name: 'karpenter-controller',
    inlinePolicies: {
      karpenter: allowing([
        'ec2:Describe*',
        'ec2:RunInstances',
        'ec2:CreateFleet',
        'ec2:CreateTags',
        'ec2:CreateLaunchTemplate',
        'ec2:DeleteLaunchTemplate',
        'ec2:TerminateInstances',
        'eks:DescribeCluster',
        'iam:GetInstanceProfile',
        'iam:PassRole',
      ]),
    },
  },
  {
    name: 'eks-service',
    trust: trusting('eks.amazonaws.com'),
    policies: ['AmazonEKSClusterPolicy'],
    inlinePolicies: { eks: allowing(['eks:Describe*', 'eks:List*', 'ec2:DescribeInstances']) },
  },
];

export function createDefaults(account: Account): void {
  for (const role of ROLES) createRole(account, role);
  createDefaultKey(account);
}

/** The key of AWS that volumes are encrypted with where nobody names another one. */
function createDefaultKey(account: Account): void {
  const KeyId = account.ids.uuid();
  put(account, 'key', KeyId, {
    AWSAccountId: account.accountId,
    KeyId,
    Arn: arnOf(account, 'kms', `key/${KeyId}`),
    CreationDate: isoMoment(account.kernel.nowMs()),
    Enabled: true,
    Description: 'Default key that protects my EBS volumes when no other key is defined',
    KeyUsage: 'ENCRYPT_DECRYPT',
    KeyState: 'Enabled',
    Origin: 'AWS_KMS',
    KeyManager: 'AWS',
    KeySpec: 'SYMMETRIC_DEFAULT',
    MultiRegion: false,
    Aliases: ['alias/aws/ebs'],
    Policy: JSON.stringify({ Version: '2012-10-17', Statement: [] }),
  });
}
