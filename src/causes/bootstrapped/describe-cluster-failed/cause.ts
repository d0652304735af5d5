import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { clears, context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** bootstrap.sh asked EKS for the cluster's endpoint and certificate and did not get them. */
const cause = defineCause({
  id: 'describe-cluster-failed',
  stage: 'bootstrapped',
  title: 'bootstrap.sh gets no answer to DescribeCluster',
  scope: 'machine',
  signs: {
    exhausted: context(['cloud-init', 'console'], /Exhausted retries while describing cluster/),
    throttled: likely(
      ['cloud-init', 'console', 'aws-message'],
      /(?<reason>TooManyRequestsException|ThrottlingException)\b.*\bDescribeCluster\b/,
    ),
    denied: definite(
      ['cloud-init', 'console', 'aws-message'],
      /(?:\((?<reason>AccessDenied\w*)\) when calling the DescribeCluster operation|EKS: DescribeCluster\b.{0,200}\b(?<reason2>AccessDenied(?:Exception)?):).*:assumed-role\/(?<role>[^/\s]+)\/m?i-[0-9a-f]+ is not authorized to perform: eks:DescribeCluster/,
      { anchors: ['eks:DescribeCluster'] },
    ),
    timedOut: likely(
      ['cloud-init', 'console', 'journal'],
      /(?:(?<reason>Connect timeout on endpoint URL): "https:\/\/|HTTPSConnectionPool\(host='(?=.*Caused by (?<reason2>ConnectTimeoutError)\())eks\.[\w-]{1,40}\.(?:amazonaws\.com|api\.aws)/,
      { anchors: ['Connect timeout on endpoint URL', 'Caused by ConnectTimeoutError('] },
    ),
    waiterFailed: likely(
      ['cloud-init', 'console'],
      /Waiter ClusterActive failed: (?!.*ResourceNotFound)(?<reason>.{0,160})/,
    ),
    completed: withdraws(['cloud-init', 'console'], /\[eks-bootstrap\] INFO: complete/),
    kubeletRuns: clears(
      ['kubelet'],
      /Starting kubelet main sync loop|Observed pod startup duration/,
      { strict: true },
    ),
    notConnected: context(
      ['cloud-init', 'console', 'journal'],
      /Could not connect to the endpoint URL: "https:\/\/eks\.[\w-]{1,40}\.(?:amazonaws\.com|api\.aws)/,
    ),
    // What the CLI prints for a cluster that has neither endpoint nor certificate yet.
    nothingDescribed: context(
      ['cloud-init', 'console', 'client-output', 'unknown', 'host-file'],
      /^\s*None\s+None\s*$/,
      { anchors: ['None None', 'None\tNone'] },
    ),
    answerFile: context(
      ['cloud-init', 'console', 'client-output', 'unknown', 'host-file', 'journal'],
      /\bdescribe_cluster_result\.txt\b/,
      { isBackground: true },
    ),
    answerTold: likely(
      ['client-output', 'unknown'],
      /\bdescribe_cluster_result\.txt\b.{0,60}\b(?<reason>None\s+None|empty)\b/,
      { isTold: true, anchors: ['describe_cluster_result.txt'] },
    ),
  },
  needs: [],
  symptoms: ['boot-verdict', 'user-data-script-failed'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['failed-user-script'],
  summary: ({ machine, reason, reason2 }) =>
    reason2 === undefined
      ? `bootstrap.sh on ${machine ?? 'the machine'} could not describe its cluster${reason === undefined ? '' : ` (${reason.trim()})`} and ended before the kubelet was configured.`
      : `nodeadm on ${machine ?? 'the machine'} could not describe its cluster (${reason2}) and ended before the kubelet was configured.`,
  remedy: ({ reason, role }) => [
    step(
      'Give the script what it asks for, so that it calls EKS no more (and many machines can start at once).',
      "/etc/eks/bootstrap.sh <cluster> --apiserver-endpoint '<endpoint>' --b64-cluster-ca '<certificate-authority>' --dns-cluster-ip '<service-cidr-base>.10'",
    ),
    ...(reason?.startsWith('AccessDenied') === true
      ? [
          step(
            'Or let the node role describe the cluster.',
            `aws iam attach-role-policy --role-name ${role ?? '<node-role>'} --policy-arn arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy`,
          ),
        ]
      : []),
    ...(reason?.includes('imeout') === true
      ? [
          step(
            'Or find out what stops the call: the route of the subnet to a NAT gateway, or the endpoint for eks with a group that lets the machine in.',
            'curl -sS -m 8 -o /dev/null -w "%{http_code} %{remote_ip}\\n" https://eks.<region>.amazonaws.com',
          ),
        ]
      : []),
    step(
      'See whether the call works from the machine now.',
      'aws eks describe-cluster --name <cluster> --query cluster.status',
    ),
  ],
  decide: step(
    'Read what the call answered.',
    'sudo grep -nE "DescribeCluster|ClusterActive|describing cluster" /var/log/cloud-init-output.log',
  ),
  page: {
    why: 'Without endpoint and certificate in its arguments bootstrap.sh asks EKS for them. The call is limited per account, so a burst of new machines is throttled; without permission or a way to eks.<region>.amazonaws.com it fails for good.',
    prevent:
      'Pass endpoint, certificate and DNS address in user data, as managed node groups and Karpenter do.',
    notThis:
      '“No cluster found for name” is wrong-cluster-name-in-user-data. When every machine of the subnet times out it is the network (no-nat-or-vpc-endpoints); a call that succeeds on a later attempt is nothing.',
    alsoKnownAs: [
      'Waiter ClusterActive failed: An error occurred (TooManyRequestsException): Too Many Requests',
      'Exited with error on line 286',
    ],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/commit/b2289030',
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
    ],
  },
});

/** The file in which bootstrap.sh keeps the answer has no values. */
export default matched(cause, (view) => {
  const [values, file] = [view.sign('nothingDescribed'), view.sign('answerFile')];
  if (values === null || file === null) return null;
  return found({ reason: 'None None' }, [file.first, values.first], 'likely');
});
