import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite } from '../../../diagnosis/sign.ts';

const CODES = [
  'Ec2SubnetNotFound',
  'Ec2SecurityGroupNotFound',
  'VpcNotFound',
  'IamRoleNotFound',
  'AccessDenied',
  'StsRegionalEndpointDisabled',
  'KmsKeyNotFound',
  'KmsKeyDisabled',
  'KmsKeyMarkedForDeletion',
  'KmsGrantRevoked',
  'ClusterUnreachable',
];

/** What EKS needs for the control plane's own interfaces, role or key is gone. */
const cause = defineCause({
  id: 'control-plane-network-deleted',
  stage: 'reachable',
  title: 'subnets, security groups, role or key of the EKS control plane are gone',
  scope: 'cluster',
  signs: {
    healthCode: definite(
      ['aws-message', 'client-output', 'terraform'],
      /\b(?<code>SUBNET_NOT_FOUND|SECURITY_GROUP_NOT_FOUND|VPC_NOT_FOUND|STS_REGIONAL_ENDPOINT_DISABLED|ASSUME_ROLE_ACCESS_DENIED|KMS_KEY_DISABLED|KMS_KEY_NOT_FOUND|KMS_KEY_MARKED_FOR_DELETION|KMS_GRANT_REVOKED|Kms(?:Key(?:Disabled|NotFound|MarkedForDeletion)|GrantRevoked)|StsRegionalEndpointDisabled|VpcNotFound)\b(?:.*?(?<resource>(?:subnet|sg|vpc)-[0-9a-f]{8,17}))?/,
      {
        anchors: [
          'SUBNET_NOT_FOUND',
          'SECURITY_GROUP_NOT_FOUND',
          'VPC_NOT_FOUND',
          'STS_REGIONAL_ENDPOINT_DISABLED',
          'ASSUME_ROLE_ACCESS_DENIED',
          'KMS_KEY_DISABLED',
          'KMS_KEY_NOT_FOUND',
          'KMS_KEY_MARKED_FOR_DELETION',
          'KMS_GRANT_REVOKED',
          'KmsKeyDisabled',
          'KmsKeyNotFound',
          'KmsKeyMarkedForDeletion',
          'KmsGrantRevoked',
          'StsRegionalEndpointDisabled',
          'VpcNotFound',
        ],
      },
    ),
  },
  needs: ['aws/cluster'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'invalid-subnet-or-security-group',
    'subnet-full-at-launch',
    'api-port-blocked',
    'overloaded-api-server',
    'node-heartbeat-lost',
  ],
  summary: ({ code, resource, cluster }) =>
    sentence`EKS reports ${code ?? 'a health issue'} for cluster ${cluster ?? '<cluster>'}${phrase` (${resource})`}: what the control plane needs in the account is gone, and nodes lose the API server together.`,
  remedy: ({ cluster }) => [
    step(
      'Read all issues of the cluster.',
      `aws eks describe-cluster --name ${cluster ?? '<cluster>'} --query cluster.[health,resourcesVpcConfig]`,
    ),
    step(
      'Give the control plane subnets (two zones, 16 free addresses each) and security groups that exist.',
      `aws eks update-cluster-config --name ${cluster ?? '<cluster>'} --resources-vpc-config subnetIds=<subnet>,<subnet-of-another-zone>,securityGroupIds=<security-group>`,
    ),
  ],
  decide: step(
    'Read the cluster’s health.',
    'aws eks describe-cluster --name <cluster> --query cluster.health',
  ),
  page: {
    why: 'EKS keeps interfaces in the account’s subnets and uses a role and, with encrypted secrets, a key. Clean-ups delete them because no instance uses them; the control plane degrades hours later.',
    prevent:
      'Exclude what is tagged with the cluster’s name from clean-ups, and alarm on cluster health.',
    notThis:
      'The same codes among a node group’s issues concern launches: invalid-subnet-or-security-group, subnet-full-at-launch. One machine alone without an answer is api-port-blocked or another network cause. Subnets that are there and have too few addresses are cluster-subnet-full. EKS can take three hours to notice.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://docs.aws.amazon.com/eks/latest/APIReference/API_ClusterIssue.html',
    ],
  },
});

export default matched(cause, (view) => {
  for (const cluster of view.list('aws/cluster')) {
    const issue = (cluster.value.health?.issues ?? []).find((one) =>
      CODES.includes(one.code ?? ''),
    );
    if (issue === undefined) continue;
    const details = {
      code: issue.code ?? '',
      resource: (issue.resourceIds ?? []).join(', '),
      cluster: cluster.value.name ?? '',
    };
    return found(details, [
      view.quote(
        cluster,
        `cluster ${details.cluster} health ${details.code}: ${issue.message ?? ''}`,
      ),
    ]);
  }
  return null;
});
