import { defineCause, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';

/** The controller gets no answer from the EKS API, so it never learns the cluster's endpoint. */
export default defineCause({
  id: 'karpenter-cannot-reach-eks-api',
  stage: 'launched',
  title: 'Karpenter cannot reach the EKS API to learn the cluster’s endpoint',
  scope: 'cluster',
  signs: {
    endpointUnresolved: definite(
      ['karpenter'],
      /(?:unable to detect the cluster endpoint|failed to (?:resolve|detect) cluster endpoint)\b.*(?:dial tcp|i\/o timeout|context deadline exceeded|no such host)/,
    ),
    refusedByApi: withdraws(
      ['karpenter'],
      /(?:resolve|detect) cluster endpoint\b.*AccessDeniedException/,
    ),
    describeCluster: definite(
      ['karpenter'],
      /Get "?https:\/\/eks\.(?<region>[a-z0-9-]+)\.[\w.]+\/clusters\/[^"\s]+"?: dial tcp [^"]*(?:i\/o timeout|no such host)/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'no-nat-or-vpc-endpoints',
    'karpenter-nodeclass-not-ready',
    'karpenter-launch-timeout',
  ],
  summary: ({ region }) =>
    sentence`Karpenter gets no answer from the EKS API${phrase` of ${region}`}, so it does not learn the cluster’s endpoint and launches nothing.`,
  remedy: ({ region }) => [
    step(
      'Give the VPC an interface endpoint for the EKS API, with private DNS and 443 open from the controller.',
      `aws ec2 create-vpc-endpoint --vpc-endpoint-type Interface --vpc-id <vpc> --service-name com.amazonaws.${region ?? '<region>'}.eks --subnet-ids <subnet> --security-group-ids <security-group> --private-dns-enabled`,
    ),
    step(
      'Or tell the controller the endpoint.',
      'helm upgrade karpenter oci://public.ecr.aws/karpenter/karpenter -n kube-system --reuse-values --set settings.clusterEndpoint=$(aws eks describe-cluster --name <cluster> --query cluster.endpoint --output text)',
    ),
  ],
  decide: step(
    'See whether the VPC has an endpoint for the EKS API.',
    'aws ec2 describe-vpc-endpoints --filters Name=service-name,Values=com.amazonaws.<region>.eks --query VpcEndpoints[].[VpcId,State,PrivateDnsEnabled]',
  ),
  page: {
    why: 'Karpenter asks eks:DescribeCluster at its start unless the endpoint is configured. In a VPC without NAT that call needs an interface endpoint for EKS, which private clusters did not have for a long time.',
    prevent:
      'Set settings.clusterEndpoint in isolated VPCs, and create the endpoints ec2, eks, sts, ssm, sqs and pricing’s substitute beforehand.',
    notThis:
      'AccessDenied instead of a timeout is launch-permission-denied or karpenter-role-not-assumable. A public address in the error means that no endpoint answers, a private one that its security group does not let the pod in. Nodes that cannot reach AWS are no-nat-or-vpc-endpoints.',
    alsoKnownAs: ['unable to detect the cluster endpoint, failed to resolve cluster endpoint'],
    refs: [
      'https://github.com/aws/karpenter-provider-aws/pull/5740',
      'https://karpenter.sh/docs/getting-started/getting-started-with-karpenter/#private-clusters',
    ],
  },
});
