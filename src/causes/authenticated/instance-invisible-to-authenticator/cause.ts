import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** The authenticator cannot find out the private DNS name of the calling instance. */
export default defineCause({
  id: 'instance-invisible-to-authenticator',
  stage: 'authenticated',
  title: 'the authenticator cannot look up the instance that calls',
  scope: 'machine',
  signs: {
    notInCache: likely(
      ['authenticator'],
      /failed to find node (?<instance>i-[0-9a-f]{8,17})(?: in PrivateDNSNameCache|\s*\\?"|\s*$)/,
      { anchors: ['failed to find node i-'] },
    ),
    lookupFailed: likely(
      ['authenticator'],
      /failed querying private DNS from EC2 API for nodes? \[?(?<instance>i-[0-9a-f]{8,17})/,
    ),
    lookupThrottled: context(
      ['authenticator'],
      /DescribeInstances.*(?<throttled>RequestLimitExceeded|Throttling)/,
    ),
  },
  needs: [],
  symptoms: [],
  summary: ({ instance, throttled }) =>
    `The authenticator cannot look up the private DNS name of ${instance ?? 'the instance'}${throttled === undefined ? '' : ' (its calls to EC2 are throttled)'}, so the kubelet gets 401 Unauthorized.`,
  remedy: () => [
    step(
      'In a large scale-up it passes by itself; make smaller steps.',
      'aws autoscaling set-desired-capacity --auto-scaling-group-name <group> --desired-capacity <fewer>',
    ),
    step(
      'When it stays, see whether the instance is in the account that the cluster role can describe.',
      'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].[OwnerId,Instances[].PrivateDnsName]',
    ),
  ],
  decide: step(
    'Read why the authenticator denied this instance.',
    "aws logs filter-log-events --log-group-name /aws/eks/<cluster>/cluster --log-stream-name-prefix authenticator- --filter-pattern 'PrivateDNSNameCache'",
  ),
  page: {
    why: 'To fill {{EC2PrivateDNSName}} the authenticator describes the instance, in batches when many arrive. Throttling, or an instance that it may not see, leaves the name empty-handed.',
    prevent: 'Scale in steps of some dozens; keep nodes in the cluster’s account.',
    notThis:
      'A session that is not an instance id is session-name-not-instance-id; an empty name that was found is private-dns-name-late.',
    refs: [
      'https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/HEAD/pkg/ec2provider/ec2provider.go',
    ],
  },
});
