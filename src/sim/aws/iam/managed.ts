/** The policies of AWS that roles of clusters carry, by their actions. */
import type { JsonObject } from '../../../evidence/json.ts';

/** Names of AWS managed policies; the second is the path before the name. */
const MANAGED: Readonly<Record<string, { readonly path: string; readonly actions: string }>> = {
  AdministratorAccess: { path: '/', actions: '*' },
  ReadOnlyAccess: {
    path: '/',
    actions:
      'ec2:Describe* ec2:Get* autoscaling:Describe* eks:Describe* eks:List* iam:Get* iam:List* ' +
      'iam:SimulatePrincipalPolicy sts:GetCallerIdentity cloudformation:Describe* ' +
      'cloudformation:List* kms:Describe* kms:Get* kms:List* route53:Get* route53:List* ' +
      'ecr:GetAuthorizationToken ecr:Describe* ecr:List* cloudtrail:LookupEvents',
  },
  AmazonEKSClusterPolicy: {
    path: '/',
    actions:
      'autoscaling:DescribeAutoScalingGroups autoscaling:UpdateAutoScalingGroup ' +
      'ec2:AttachVolume ec2:AuthorizeSecurityGroupIngress ec2:CreateRoute ec2:CreateSecurityGroup ' +
      'ec2:CreateTags ec2:CreateVolume ec2:DeleteRoute ec2:DeleteSecurityGroup ec2:DeleteVolume ' +
      'ec2:DescribeInstances ec2:DescribeRouteTables ec2:DescribeSecurityGroups ' +
      'ec2:DescribeSubnets ec2:DescribeVolumes ec2:DescribeVpcs ec2:DescribeDhcpOptions ' +
      'ec2:DescribeNetworkInterfaces ec2:DescribeAvailabilityZones ec2:DescribeInstanceTopology ' +
      'ec2:DetachVolume ec2:ModifyInstanceAttribute ec2:ModifyVolume kms:DescribeKey',
  },
  AmazonEKSWorkerNodePolicy: {
    path: '/',
    actions:
      'ec2:DescribeInstances ec2:DescribeInstanceTypes ec2:DescribeRouteTables ' +
      'ec2:DescribeSecurityGroups ec2:DescribeSubnets ec2:DescribeVolumes ' +
      'ec2:DescribeVolumesModifications ec2:DescribeVpcs eks:DescribeCluster ' +
      'eks-auth:AssumeRoleForPodIdentity',
  },
  AmazonEKS_CNI_Policy: {
    path: '/',
    actions:
      'ec2:AssignPrivateIpAddresses ec2:AttachNetworkInterface ec2:CreateNetworkInterface ' +
      'ec2:DeleteNetworkInterface ec2:DescribeInstances ec2:DescribeTags ' +
      'ec2:DescribeNetworkInterfaces ec2:DescribeInstanceTypes ec2:DescribeSubnets ' +
      'ec2:DescribeSecurityGroups ec2:DetachNetworkInterface ec2:ModifyNetworkInterfaceAttribute ' +
      'ec2:UnassignPrivateIpAddresses ec2:CreateTags',
  },
  AmazonEC2ContainerRegistryReadOnly: {
    path: '/',
    actions:
      'ecr:GetAuthorizationToken ecr:BatchCheckLayerAvailability ecr:GetDownloadUrlForLayer ' +
      'ecr:GetRepositoryPolicy ecr:DescribeRepositories ecr:ListImages ecr:DescribeImages ' +
      'ecr:BatchGetImage',
  },
  AmazonEC2ContainerRegistryPullOnly: {
    path: '/',
    actions:
      'ecr:GetAuthorizationToken ecr:BatchCheckLayerAvailability ecr:GetDownloadUrlForLayer ' +
      'ecr:BatchGetImage',
  },
  AmazonSSMManagedInstanceCore: {
    path: '/',
    actions: 'ssm:UpdateInstanceInformation ssmmessages:* ec2messages:*',
  },
  AmazonEBSCSIDriverPolicy: {
    path: '/service-role/',
    actions:
      'ec2:CreateSnapshot ec2:AttachVolume ec2:DetachVolume ec2:ModifyVolume ' +
      'ec2:DescribeAvailabilityZones ec2:DescribeInstances ec2:DescribeSnapshots ' +
      'ec2:DescribeTags ec2:DescribeVolumes ec2:DescribeVolumesModifications ec2:CreateTags ' +
      'ec2:CreateVolume ec2:DeleteVolume',
  },
};

export const MANAGED_NAMES: readonly string[] = Object.keys(MANAGED);

/** `arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy`, null for a name that AWS has not. */
export function managedArn(partition: string, name: string): string | null {
  const found = MANAGED[name];
  return found === undefined ? null : `arn:${partition}:iam::aws:policy${found.path}${name}`;
}

const DOCUMENTS = new Map<string, JsonObject>();

/** @returns null when AWS has no policy of this ARN */
export function managedDocument(arn: string): JsonObject | null {
  const known = DOCUMENTS.get(arn);
  if (known !== undefined) return known;
  const found = MANAGED[arn.slice(arn.lastIndexOf('/') + 1)];
  if (found === undefined || !/^arn:[a-z-]+:iam::aws:policy\//.test(arn)) return null;
  const document = allowing(found.actions.split(' '));
  DOCUMENTS.set(arn, document);
  return document;
}

/** A document with one statement. */
export function allowing(
  actions: readonly string[],
  resources: readonly string[] = ['*'],
): JsonObject {
  const statement = { Effect: 'Allow', Action: [...actions], Resource: [...resources] };
  return { Version: '2012-10-17', Statement: [statement] };
}

/** Who may take a role on: a service such as `ec2.amazonaws.com`. */
export function trusting(
  service: string,
  actions: readonly string[] = ['sts:AssumeRole'],
): JsonObject {
  const statement = { Effect: 'Allow', Principal: { Service: service }, Action: [...actions] };
  return { Version: '2012-10-17', Statement: [statement] };
}
