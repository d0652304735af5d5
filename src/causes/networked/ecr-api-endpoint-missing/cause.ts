import {
  clear,
  defineCause,
  found,
  foundInShown,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { clears, context } from '../../../diagnosis/sign.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { isEcrApiAlone, plannedWay } from '../../../domain/planned/ways.ts';

/** The registry answers, and the API that hands out its tokens cannot be reached from the subnet. */
const cause = defineCause({
  id: 'ecr-api-endpoint-missing',
  stage: 'networked',
  title: 'the subnet reaches the ECR registry but not the ECR API',
  scope: 'group',
  signs: {
    apiSilent: context(
      ['kubelet', 'containerd', 'cloud-init', 'journal', 'bottlerocket', 'event', 'client-output'],
      /\bapi\.ecr\.(?<region>[a-z0-9-]+)\.amazonaws\.com(?!.*dial tcp (?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.).*(?:i\/o timeout|context deadline exceeded|Connect timeout|no route to host)|Connect timeout on endpoint URL: "https:\/\/api\.ecr\.(?<region2>[a-z0-9-]{1,30})\./,
      { anchors: ['api.ecr.'] },
    ),
    anonymous: context(
      ['kubelet', 'containerd', 'event', 'pod-status', 'cloud-init'],
      /dkr\.ecr\.(?<region>[a-z0-9-]+)\.amazonaws\.com.*(?:no basic auth credentials|401 Unauthorized)/,
      { anchors: ['dkr.ecr.'] },
    ),
    toldMissing: context(
      ['client-output', 'unknown', 'terraform', 'event'],
      /\b(?:no|not(?: for| the| an?)?|without(?: the| an?)?|lack(?:s|ing)?|missing|forgot(?: the)?|except(?: for)?) (?:\w{1,12} ){0,2}[`'"]?(?:com\.amazonaws\.[\w-]{1,20}\.)?ecr\.api\b|\becr\.api\b[^.]{0,40}\b(?:missing|not (?:there|created|listed)|absent|(?:does not|doesn't) exist)\b/,
      { isTold: true, isBackground: true, anchors: ['ecr.api'] },
    ),
    registrySilent: clears(
      ['kubelet', 'containerd', 'event', 'pod-status'],
      /dkr\.ecr\.\S(?!.{0,600}api\.ecr\.).{0,600}(?:i\/o timeout|context deadline exceeded|no route to host|network is unreachable)/,
    ),
    notConnected: context(
      ['kubelet', 'containerd', 'cloud-init', 'journal', 'bottlerocket', 'client-output'],
      /Could not connect to the endpoint URL: "https:\/\/api\.ecr\.(?<region>[a-z0-9-]+)\.amazonaws\.com/,
      { anchors: ['https://api.ecr.'] },
    ),
  },
  needs: ['aws/vpc-endpoint'],
  symptoms: ['image-not-pulled'],
  withdrawnBy: [],
  explains: [
    'pause-image-pull-failed',
    'no-ecr-pull-credentials',
    'cni-image-pull-failed',
    'cni-configuration-missing',
  ],
  summary: ({ region }) =>
    sentence`Nodes reach the ECR registry${phrase` of ${region}`} but not the ECR API that hands out its tokens, so every image is pulled anonymously and refused.`,
  remedy: ({ region }) => [
    step(
      'Create the API endpoint beside ecr.dkr and the S3 gateway endpoint.',
      `aws ec2 create-vpc-endpoint --vpc-endpoint-type Interface --private-dns-enabled --vpc-id <vpc> --subnet-ids <subnets> --security-group-ids <security-group> --service-name com.amazonaws.${region ?? '<region>'}.ecr.api`,
    ),
    step('Or give the subnet a route to a NAT gateway.'),
  ],
  decide: step(
    'List the endpoints of the VPC: ecr.api, ecr.dkr and s3 are all needed.',
    "aws ec2 describe-vpc-endpoints --query 'VpcEndpoints[].[ServiceName,State,PrivateDnsEnabled]' --output text",
  ),
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

const judged = matched(cause, matchEndpoints);

type Own = ViewOf<typeof cause>;

function matchEndpoints(view: Own): Match | null {
  const silent = view.sign('apiSilent');
  const anonymous = view.sign('anonymous');
  const seen = view.list('aws/vpc-endpoint');
  // A pasted row of `--output text` has blanks where the tabs were.
  const names = seen.flatMap((endpoint) => (endpoint.value.ServiceName ?? '').split(/\s+/));
  if (names.some((name) => name.endsWith('.ecr.api'))) return clear;
  const registry = seen.find((endpoint) => endpoint.value.ServiceName?.endsWith('.ecr.dkr'));
  const listed =
    registry === undefined ? [] : [view.quote(registry, 'VpcEndpoints has ecr.dkr and no ecr.api')];
  const told = view.isLive ? null : view.sign('toldMissing');
  if (anonymous !== null && told !== null)
    return foundInShown(found(anonymous.first.captures, [anonymous.first, told.last], 'likely'));
  if (anonymous === null || (silent === null && registry === undefined)) return null;
  const match = found(
    anonymous.first.captures,
    [...(silent === null ? [] : [silent.first]), anonymous.first, ...listed],
    'likely',
  );
  return silent === null ? match : foundInShown(match);
}

export default foreseen(
  judged,
  (plan, group) => {
    const way = plannedWay(plan, group);
    if (way === null || way.kind === 'unknown') return NOT_SHOWN;
    if (way.kind === 'open' || !isEcrApiAlone(way.lacking)) return clear;
    return found(
      { subnet: way.subnet.address },
      [
        plan.quote(
          way.subnet,
          `${way.way.why}; endpoints for ec2, ecr.dkr and s3, none for ecr.api`,
        ),
        plan.quote(group.fact, `machines in ${(group.subnets ?? []).join(', ')}`),
      ],
      'likely',
    );
  },
  {
    summary: ({ planned, subnet }) =>
      `The machines of ${planned ?? 'the group'} in ${subnet ?? 'their subnet'} will reach the ECR registry and not the ECR API that hands out its tokens, so every image is pulled anonymously and refused.`,
    remedy: () => [
      step(
        'Add an aws_vpc_endpoint of type Interface for com.amazonaws.<region>.ecr.api with private_dns_enabled = true.',
      ),
    ],
  },
);
