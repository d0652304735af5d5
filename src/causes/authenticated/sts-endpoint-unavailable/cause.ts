import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** STS of the region is switched off for the account, or cannot be reached. */
export default defineCause({
  id: 'sts-endpoint-unavailable',
  stage: 'authenticated',
  title: 'the STS endpoint of the region is disabled or not reachable',
  scope: 'cluster',
  signs: {
    regionDisabled: definite(
      [
        'kubelet',
        'nodeadm',
        'cloud-init',
        'karpenter',
        'aws-message',
        'client-output',
        'authenticator',
        'nodeup',
        'kops-controller',
      ],
      /RegionDisabledException|STS is not activated in this region(?: for account:?\s?(?<account>\d{12}))?/,
    ),
    healthSaysSo: definite(['aws-message'], /STS_REGIONAL_ENDPOINT_DISABLED/),
    notReachedByServer: likely(
      ['authenticator'],
      /sts getCallerIdentity failed: error during GET/,
      { strict: true, atLeast: 3, enoughOnce: 'alone' },
    ),
    notReachedByPlugin: likely(
      ['kubelet'],
      /Could not connect to the endpoint URL: "https:\/\/sts\.(?<region>[a-z0-9-]+)\.amazonaws\.com/,
      { atLeast: 3, enoughOnce: 'alone' },
    ),
    notReachedByNode: likely(
      ['kubelet'],
      /https:\/\/sts\.(?<region>[a-z0-9-]+)\.amazonaws\.com.*(?:i\/o timeout|no such host|connection refused|Could not connect)/,
      { anchors: ['https://sts.'], strict: true, atLeast: 3, enoughOnce: 'alone' },
    ),
    regionUnknown: context(
      ['authenticator'],
      /Region not found in instance metadata|STS service not found in partition/,
      { anchors: ['Region not found in instance metadata', 'STS service not found in partition'] },
    ),
    notReachedByKops: likely(
      ['nodeup', 'kops-controller', 'cloud-init'],
      /sending STS request: .*(?:i\/o timeout|no such host|connection refused|deadline exceeded)/,
      { anchors: ['sending STS request: '] },
    ),
  },
  needs: [],
  symptoms: [],
  summary: ({ region, account }) =>
    `STS${region === undefined ? ' of the region' : ` of ${region}`} does not serve${account === undefined ? ' this account' : ` account ${account}`}, so tokens of nodes cannot be made or checked and kubelets get 401 Unauthorized.`,
  remedy: ({ region }) => [
    step(
      'Activate STS for the region: IAM console, account settings, Security Token Service. Then ask it once from a node.',
      `aws sts get-caller-identity --region ${region ?? '<region>'}`,
    ),
    step(
      'In a VPC without internet, add the interface endpoint.',
      `aws ec2 create-vpc-endpoint --vpc-id <vpc> --vpc-endpoint-type Interface --service-name com.amazonaws.${region ?? '<region>'}.sts --subnet-ids <subnets> --security-group-ids <security-group> --private-dns-enabled`,
    ),
  ],
  decide: step(
    'Ask STS of the region from the node.',
    'aws sts get-caller-identity --region <region>',
  ),
  page: {
    why: 'A node’s token is a signed call to STS that the control plane carries out. When STS is deactivated for the account in that region, nothing can be checked; nodes that assume a role need it themselves.',
    prevent: 'Leave STS active in every region that runs clusters.',
    notThis:
      'Signing a token needs no network, so a node that reaches nothing shows it elsewhere first (no-nat-or-vpc-endpoints). An answer 403 from STS is token-for-another-cluster or wrong-node-clock; throttling is sts-throttling.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://github.com/eksctl-io/eksctl/issues/7931',
    ],
  },
});
