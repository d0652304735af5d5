import { defineCause } from '../../../diagnosis/cause.ts';

/** The controller acts with the cluster’s role, and that role may not make trunk interfaces. */
export default defineCause({
  id: 'cluster-role-without-vpc-controller-policy',
  stage: 'networked',
  title: 'the EKS cluster role lacks AmazonEKSVPCResourceController',
  scope: 'cluster',
  signs: {
    refused: {
      in: ['event'],
      anchors: ['TrunkENICreationFailed', 'BranchAllocationFailed'],
      pattern:
        /(?:TrunkENICreationFailed|BranchAllocationFailed).*(?:UnauthorizedOperation|is not authorized to perform|verify the cluster IAM role)/,
      weight: 'definite',
    },
    advised: {
      in: ['event', 'vpc-resource-controller'],
      anchors: ['AmazonEKSVPCResourceController'],
      pattern: /verify the cluster IAM role has AmazonEKSVPCResourceController policy/,
      weight: 'definite',
    },
  },
  needs: [],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['trunk-eni-missing', 'branch-eni-allocation-failed', 'windows-ipam-disabled'],
  summary: () =>
    'The cluster’s IAM role may not create network interfaces, so the VPC resource controller makes no trunk or branch interface and pods that need one do not start.',
  remedy: () => [
    {
      text: 'Attach the policy to the role of the cluster (not of the nodes).',
      command:
        'aws iam attach-role-policy --policy-arn arn:aws:iam::aws:policy/AmazonEKSVPCResourceController --role-name "$(aws eks describe-cluster --name <cluster> --query cluster.roleArn --output text | sed \'s#.*/##\')"',
    },
    { text: 'Then replace the nodes that have no trunk.', command: 'kubectl get cninodes' },
  ],
  decide: {
    text: 'List the policies of the cluster role.',
    command:
      'aws iam list-attached-role-policies --role-name "$(aws eks describe-cluster --name <cluster> --query cluster.roleArn --output text | sed \'s#.*/##\')"',
  },
  page: {
    why: 'Security groups for pods and Windows address management run in the control plane with the cluster role. AmazonEKSClusterPolicy alone does not cover them.',
    prevent: 'Attach the policy where the cluster role is made.',
    notThis:
      'A full node or a type without trunking is trunk-eni-missing. Refusals in ipamd’s own log are of the node or CNI role: cni-without-ec2-permissions.',
    alsoKnownAs: ['TrunkENICreationFailed UnauthorizedOperation'],
    refs: [
      'https://github.com/aws/amazon-vpc-resource-controller-k8s/pull/24',
      'https://docs.aws.amazon.com/eks/latest/userguide/security-groups-pods-deployment.html',
    ],
  },
});
