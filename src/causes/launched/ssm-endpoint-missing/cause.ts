import {
  clear,
  defineCause,
  type Match,
  step,
  matched,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, withdraws } from '../../../diagnosis/sign.ts';

/** Karpenter asks SSM which image is current, and a private VPC has no way to SSM. */
const cause = defineCause({
  id: 'ssm-endpoint-missing',
  stage: 'launched',
  title: 'Karpenter cannot reach SSM, so it finds no image',
  scope: 'cluster',
  signs: {
    parameterUnread: definite(
      ['karpenter'],
      /(?:discovering amis from ssm|getting ssm parameters?\b).*?(?:https:\/\/ssm\.(?<region>[a-z]{2}(?:-[a-z]+)+-\d)\.[\w.]+\/?\\?"?:? .{0,40})?(?:dial tcp|i\/o timeout|no such host|context deadline exceeded|connection (?:refused|timed out)|request context canceled)/i,
      { anchors: ['from ssm', 'ssm parameter', 'SSM parameter'] },
    ),
    endpointSilent: definite(
      ['karpenter'],
      /https:\/\/ssm\.(?<region>[a-z]{2}(?:-[a-z]+)+-\d)\.[\w.]+\/?\\?"?:? (?:dial tcp|net\/http|context deadline)\b.*?(?:i\/o timeout|no such host|connection (?:refused|timed out)|TLS handshake timeout|deadline exceeded)/,
      { strict: true },
    ),
    othersSilent: context(
      ['karpenter'],
      /https:\/\/(?:ec2|sts|eks)\.[a-z0-9-]+\.[\w.]+\/?[^\s"]*\\?"?:? (?:dial tcp|net\/http|context deadline)\b.*?(?:i\/o timeout|no such host|connection timed out|deadline exceeded)/,
    ),
    imagesFound: withdraws(
      ['karpenter', 'node-claim', 'event'],
      /condition AMIsReady=True|discovered amis|\blaunched nodeclaim\b/,
    ),
  },
  needs: ['aws/vpc-endpoint'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'karpenter-nodeclass-not-ready',
    'ami-missing-or-not-shared',
    'no-nat-or-vpc-endpoints',
    'karpenter-launch-timeout',
  ],
  summary: ({ region }) =>
    `Karpenter gets no answer from SSM${region === undefined ? '' : ` in ${region}`}, so it does not learn the current image and launches nothing.`,
  remedy: ({ region }) => [
    step(
      'Give the VPC an interface endpoint for SSM, with private DNS and 443 open from the controller.',
      `aws ec2 create-vpc-endpoint --vpc-endpoint-type Interface --vpc-id <vpc> --service-name com.amazonaws.${region ?? '<region>'}.ssm --subnet-ids <subnet> --security-group-ids <security-group> --private-dns-enabled`,
    ),
    step(
      'Or name the image by id in the node class; Karpenter then asks EC2 only.',
      'kubectl patch ec2nodeclass <node-class> --type merge -p \'{"spec":{"amiSelectorTerms":[{"id":"<ami>"}]}}\'',
    ),
  ],
  decide: step(
    'See whether the VPC has an endpoint for SSM.',
    "aws ec2 describe-vpc-endpoints --filters Name=service-name,Values=com.amazonaws.<region>.ssm --query 'VpcEndpoints[].[VpcId,State,PrivateDnsEnabled,Groups[].GroupId]'",
  ),
  page: {
    why: 'Karpenter reads the id of the current EKS image from a public SSM parameter. In a VPC without NAT that call needs an interface endpoint for SSM, which the nodes themselves do not need.',
    prevent:
      'Create the endpoints ssm, ec2, sts, eks and sqs in isolated VPCs before Karpenter; pricing has none, so leave it out.',
    notThis:
      'AccessDenied for ssm:GetParameter is a missing permission: launch-permission-denied. No answer from EKS is karpenter-cannot-reach-eks-api; nodes that reach no AWS API are no-nat-or-vpc-endpoints. An endpoint that does not let the controller in is vpc-endpoint-security-group-closed. An image that SSM does not know is ami-missing-or-not-shared.',
    alsoKnownAs: ['discovering amis from ssm, getting ssm parameter', 'ssm dial tcp i/o timeout'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/best-practices/karpenter.html',
      'https://karpenter.sh/docs/getting-started/getting-started-with-karpenter/#private-clusters',
    ],
  },
});

export default matched(cause, (view) => clearWhenOpen(view));

type Own = ViewOf<typeof cause>;

/** An endpoint that is there and silent has another failing than being missing. */
function clearWhenOpen(view: Own): Match | null {
  const endpoints = view.list('aws/vpc-endpoint');
  const isThere = endpoints.some(
    ({ value }) =>
      value.ServiceName?.endsWith('.ssm') === true &&
      value.State === 'available' &&
      value.PrivateDnsEnabled !== false,
  );
  return isThere ? clear : null;
}
