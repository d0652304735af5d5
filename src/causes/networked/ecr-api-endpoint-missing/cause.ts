import { clear, defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** The registry answers, and the API that hands out its tokens cannot be reached from the subnet. */
export default defineCause({
  id: 'ecr-api-endpoint-missing',
  stage: 'networked',
  title: 'the subnet reaches the ECR registry but not the ECR API',
  scope: 'group',
  signs: {
    apiSilent: {
      in: ['kubelet', 'containerd', 'cloud-init', 'journal', 'bottlerocket', 'event'],
      anchors: ['api.ecr.'],
      pattern:
        /\bapi\.ecr\.(?<region>[a-z0-9-]+)\.amazonaws\.com(?!.*dial tcp (?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.).*(?:i\/o timeout|context deadline exceeded|Connect timeout|no route to host)/,
      weight: 'context',
    },
    anonymous: {
      in: ['kubelet', 'containerd', 'event', 'pod-status', 'cloud-init'],
      anchors: ['dkr.ecr.'],
      pattern:
        /dkr\.ecr\.(?<region>[a-z0-9-]+)\.amazonaws\.com.*(?:no basic auth credentials|401 Unauthorized)/,
      weight: 'context',
    },
    registrySilent: {
      in: ['kubelet', 'containerd', 'event', 'pod-status'],
      anchors: ['dkr.ecr.'],
      pattern:
        /dkr\.ecr\.\S.{0,600}(?:i\/o timeout|context deadline exceeded|no route to host|network is unreachable)/,
      weight: 'clears',
    },
  },
  needs: ['aws/vpc-endpoint'],
  symptoms: ['image-not-pulled'],
  withdrawnBy: [],
  explains: ['pause-image-pull-failed', 'cni-image-pull-failed', 'cni-configuration-missing'],
  match: (view) => matchEndpoints(view),
  summary: ({ region }) =>
    `Nodes reach the ECR registry${region === undefined ? '' : ` of ${region}`} but not the ECR API that hands out its tokens, so every image is pulled anonymously and refused.`,
  remedy: ({ region }) => [
    {
      text: 'Create the API endpoint beside ecr.dkr and the S3 gateway endpoint.',
      command: `aws ec2 create-vpc-endpoint --vpc-endpoint-type Interface --private-dns-enabled --vpc-id <vpc> --subnet-ids <subnets> --security-group-ids <security-group> --service-name com.amazonaws.${region ?? '<region>'}.ecr.api`,
    },
    { text: 'Or give the subnet a route to a NAT gateway.', command: null },
  ],
  decide: {
    text: 'List the endpoints of the VPC: ecr.api, ecr.dkr and s3 are all needed.',
    command:
      "aws ec2 describe-vpc-endpoints --query 'VpcEndpoints[].[ServiceName,State,PrivateDnsEnabled]' --output text",
  },
  page: {
    why: 'Three doors lead to an ECR image: the API (token), the registry (manifest) and S3 (layers). A closed VPC with only the second and third pulls without a token.',
    prevent:
      'Create the endpoints of a closed VPC as one set: ec2, ecr.api, ecr.dkr, sts, s3, and what the add-ons need.',
    notThis:
      'Registry and API both silent is no-nat-or-vpc-endpoints; an API name that resolves to a private address and stays silent is vpc-endpoint-security-group-closed; a role that is refused is node-role-without-ecr-access.',
    alsoKnownAs: ['api.ecr i/o timeout', 'no basic auth credentials private subnet'],
    refs: [
      'https://github.com/awsdocs/amazon-eks-user-guide/issues/110',
      'https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html',
    ],
  },
});

type Signs = 'apiSilent' | 'anonymous' | 'registrySilent';

function matchEndpoints(view: View<'aws/vpc-endpoint', Signs>): Match | null {
  const silent = view.sign('apiSilent');
  const anonymous = view.sign('anonymous');
  const seen = view.list('aws/vpc-endpoint');
  const names = seen.map((endpoint) => endpoint.value.ServiceName ?? '');
  if (names.some((name) => name.endsWith('.ecr.api'))) return clear;
  const registry = seen.find((endpoint) => endpoint.value.ServiceName?.endsWith('.ecr.dkr'));
  const listed =
    registry === undefined ? [] : [view.quote(registry, 'VpcEndpoints has ecr.dkr and no ecr.api')];
  if (anonymous === null || (silent === null && registry === undefined)) return null;
  return found(
    anonymous.first.captures,
    [...(silent === null ? [] : [silent.first]), anonymous.first, ...listed],
    'likely',
  );
}
