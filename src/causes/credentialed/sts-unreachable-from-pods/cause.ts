import { defineCause } from '../../../diagnosis/cause.ts';

/** The pod has its token, but the connection to STS is never made. */
export default defineCause({
  id: 'sts-unreachable-from-pods',
  stage: 'credentialed',
  title: 'pods do not reach STS',
  scope: 'cluster',
  signs: {
    callSilent: {
      in: ['pod-app', 'client-output', 'csi-driver', 'event', 'journal'],
      anchors: ['://sts.'],
      pattern:
        /https:\/\/(?<host>sts\.(?:[a-z0-9-]+\.)?amazonaws\.com(?:\.cn)?)\/?"?\W{1,3}(?:dial tcp (?:\[[0-9a-f:]+\]|[\d.]+):443: (?:i\/o timeout|connect: (?:connection timed out|no route to host|network is unreachable))|context deadline exceeded|net\/http: request canceled while waiting for connection)/,
      weight: 'likely',
    },
    clientTimedOut: {
      in: ['pod-app', 'client-output', 'journal'],
      anchors: ['Connect timeout on endpoint URL', 'Could not connect to the endpoint URL'],
      pattern:
        /(?:Connect timeout on|Could not connect to the) endpoint URL: "https:\/\/(?<host>sts\.(?:[a-z0-9-]+\.)?amazonaws\.com(?:\.cn)?)\/"/,
      weight: 'likely',
    },
    answered: {
      in: ['pod-app', 'client-output', 'csi-driver', 'journal'],
      anchors: ['AssumeRoleWithWebIdentity'],
      pattern: /AssumeRoleWithWebIdentity.*(?:AccessDenied|InvalidIdentityToken|Not authorized)/,
      weight: 'clears',
    },
  },
  needs: [],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ host }) =>
    `Pods do not reach ${host ?? 'STS'} on port 443, so they cannot exchange their token for AWS credentials.`,
  remedy: ({ host }) => {
    const region = host?.split('.')[1];
    const known = region === undefined || region === 'amazonaws' ? '<region>' : region;
    return [
      {
        text: 'In a private VPC, create the STS endpoint with private DNS in the subnets of the nodes.',
        command: `aws ec2 create-vpc-endpoint --vpc-id <vpc> --vpc-endpoint-type Interface --private-dns-enabled --service-name com.amazonaws.${known}.sts --subnet-ids <subnet> --security-group-ids <security-group>`,
      },
      {
        text: 'Let the SDK call the regional endpoint: the global name does not resolve to the VPC endpoint.',
        command:
          'kubectl -n <namespace> annotate serviceaccount <service-account> eks.amazonaws.com/sts-regional-endpoints=true',
      },
    ];
  },
  decide: {
    text: 'See whether the VPC has an STS endpoint with private DNS.',
    command: 'aws ec2 describe-vpc-endpoints --filters Name=vpc-id,Values=<vpc>',
  },
  page: {
    why: 'A pod with a service-account role calls STS itself. A private VPC without an STS endpoint, an endpoint whose security group does not let the pod’s address in, or an SDK that calls the global sts.amazonaws.com leaves that call without an answer.',
    prevent:
      'Create the endpoints sts, ecr.api, ecr.dkr, s3, ec2 and logs together with a private cluster.',
    notThis:
      'A name that cannot be looked up because the DNS server is silent is cluster-dns-unreachable. Any answer of STS, also AccessDenied, rules this out.',
    alsoKnownAs: ['Post "https://sts.amazonaws.com/": dial tcp i/o timeout'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/configure-sts-endpoint.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html',
    ],
  },
});
