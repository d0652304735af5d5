import { defineCause } from '../../../diagnosis/cause.ts';

/** The authenticator cannot find out the private DNS name of the calling instance. */
export default defineCause({
  id: 'instance-invisible-to-authenticator',
  stage: 'authenticated',
  title: 'the authenticator cannot look up the instance that calls',
  scope: 'machine',
  signs: {
    notInCache: {
      in: ['authenticator'],
      anchors: ['failed to find node i-'],
      pattern:
        /failed to find node (?<instance>i-[0-9a-f]{8,17})(?: in PrivateDNSNameCache|\s*\\?"|\s*$)/,
      weight: 'likely',
    },
    lookupFailed: {
      in: ['authenticator'],
      anchors: ['failed querying private DNS from EC2 API for node'],
      pattern: /failed querying private DNS from EC2 API for node (?<instance>i-[0-9a-f]{8,17})/,
      weight: 'likely',
    },
    lookupThrottled: {
      in: ['authenticator'],
      anchors: ['DescribeInstances'],
      pattern: /DescribeInstances.*(?<throttled>RequestLimitExceeded|Throttling)/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: [],
  summary: ({ instance, throttled }) =>
    `The authenticator cannot look up the private DNS name of ${instance ?? 'the instance'}${throttled === undefined ? '' : ' (its calls to EC2 are throttled)'}, so the kubelet gets 401 Unauthorized.`,
  remedy: () => [
    {
      text: 'In a large scale-up it passes by itself; make smaller steps.',
      command:
        'aws autoscaling set-desired-capacity --auto-scaling-group-name <group> --desired-capacity <fewer>',
    },
    {
      text: 'When it stays, see whether the instance is in the account that the cluster role can describe.',
      command:
        'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].[OwnerId,Instances[].PrivateDnsName]',
    },
  ],
  decide: {
    text: 'Read why the authenticator denied this instance.',
    command:
      "aws logs filter-log-events --log-group-name /aws/eks/<cluster>/cluster --log-stream-name-prefix authenticator- --filter-pattern 'PrivateDNSNameCache'",
  },
  page: {
    why: 'To fill {{EC2PrivateDNSName}} the authenticator describes the instance, in batches when many arrive. Throttling, or an instance that it may not see, leaves the name empty-handed.',
    prevent: 'Scale in steps of some dozens; keep nodes in the cluster’s account.',
    notThis:
      'A session that is no instance id is session-name-not-instance-id; an empty name that was found is private-dns-name-late.',
    refs: [
      'https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/HEAD/pkg/ec2provider/ec2provider.go',
    ],
  },
});
