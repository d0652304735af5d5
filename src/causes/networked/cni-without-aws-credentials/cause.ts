import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';
import { networkTrouble, type NetworkTrouble } from '../../../domain/nodes/network-trouble.ts';
import { isReadyPod, placeOf, podsOfSet } from '../../../domain/pods/pods-seen.ts';

/** ipamd runs and has no AWS credentials to ask EC2 with. */
const cause = defineCause({
  id: 'cni-without-aws-credentials',
  stage: 'networked',
  title: 'the VPC CNI finds no AWS credentials',
  scope: 'machine',
  signs: {
    noProviders: definite(
      ['ipamd', 'aws-node', 'cilium'],
      /NoCredentialProviders: no valid providers in chain/,
      { strict: true },
    ),
    eniCallWithout: definite(
      ['ipamd', 'aws-node', 'cilium'],
      /(?<!connectivity check failed.{0,200})(?:DescribeNetworkInterfaces|DescribeInstanceTypes|DescribeVpcs|DescribeSubnets|DescribeSecurityGroups|CreateNetworkInterface|attached ENIs|\bENI\b).{0,600}(?:NoCredentialProviders|no EC2 IMDS role found)/,
    ),
    noInstanceRole: definite(['ipamd', 'aws-node'], /no EC2 IMDS role found/, { strict: true }),
    podIdentitySilent: definite(
      ['ipamd', 'aws-node'],
      /(?:169\.254\.170\.23|\[fd00:ec2::23\])\S*: (?:dial tcp \S+ )?(?:connect: connection refused|i\/o timeout|context deadline exceeded|connect: no route to host)/,
      { strict: true },
    ),
    enisRead: withdraws(['ipamd'], /DescribeAllENIs success|[Ss]uccessfully increased IP/),
    enisReadByCilium: withdraws(['cilium'], /Synchronized ENI information/),
  },
  needs: [
    'kube/Node',
    'kube/Pod',
    'kube/DaemonSet',
    'kube/ServiceAccount',
    'aws/instance',
    'aws/pod-identity-association',
  ],
  symptoms: ['cni-daemon-silent', 'cni-uninitialized', 'node-not-ready'],
  withdrawnBy: ['networking-initialized'],
  explains: [
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
    'instance-type-lookup-denied',
    'instance-type-unknown-to-cni',
  ],
  summary: ({ machine, agent }) =>
    agent !== undefined
      ? `aws-node is to get its role from the Pod Identity agent, and ${agent}; the VPC CNI of ${machine ?? 'the machine'} has no AWS credentials and the node stays without pod network.`
      : `The CNI of ${machine ?? 'the machine'} finds no AWS credentials, so it cannot list its network interfaces and the node stays without pod network.`,
  remedy: () => [
    step(
      'Give the instance a profile whose role has AmazonEKS_CNI_Policy.',
      'aws ec2 associate-iam-instance-profile --instance-id <instance> --iam-instance-profile Name=<node-instance-profile>',
    ),
    step(
      'Where the CNI gets its role through Pod Identity, install the agent before.',
      'aws eks create-addon --cluster-name <cluster> --addon-name eks-pod-identity-agent',
    ),
    step('Restart the CNI.', 'kubectl -n kube-system rollout restart daemonset/aws-node'),
  ],
  decide: step(
    'Read why ipamd cannot list its interfaces.',
    "sudo grep -E 'NoCredentialProviders|IMDS role|169.254.170.23|UnauthorizedOperation' /var/log/aws-routed-eni/ipamd.log | tail -n 5",
  ),
  page: {
    why: 'ipamd asks the SDK’s chain: environment, service-account token, Pod Identity agent, instance metadata. With an instance that has no profile, or with Pod Identity configured and no agent on the node yet, the chain ends empty.',
    prevent:
      'Put the instance profile into the launch template; with Pod Identity for the CNI, install the agent add-on first, since its pods use the host network and need no CNI.',
    notThis:
      'With credentials and a refused call it is cni-without-ec2-permissions; with a role that STS refuses, cni-role-not-assumable. Refused connections to 127.0.0.1:50051 and a bare “failed to retrieve attached ENIs info” only say that ipamd is down.',
    alsoKnownAs: [
      'ipamd init: failed to retrieve attached ENIs info',
      'NoCredentialProviders aws-node',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/1051',
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/3840',
    ],
  },
});

export default matched(cause, matchIdentity);

type Own = ViewOf<typeof cause>;

/** aws-node does not work on the node, and what should give it credentials is not there. */
function matchIdentity(view: Own): Match | null {
  if (view.anySign('noProviders', 'eniCallWithout', 'noInstanceRole', 'podIdentitySilent'))
    return null;
  const daemonSet = view.list('kube/DaemonSet').find(({ value }) => value.name === 'aws-node');
  const trouble = daemonSet === undefined ? null : networkTrouble(view, 'aws-node');
  if (trouble === null) return null;
  return matchAgent(view, trouble) ?? matchProfile(view, trouble);
}

const AGENT = 'eks-pod-identity-agent';

function matchAgent(view: Own, trouble: NetworkTrouble): Match | null {
  const association = view
    .list('aws/pod-identity-association')
    .find(({ value }) => value.serviceAccount === 'aws-node' && value.namespace === 'kube-system');
  if (association === undefined) return null;
  const daemonSet = view.list('kube/DaemonSet').find(({ value }) => value.name === AGENT);
  const pods = podsOfSet(view.list('kube/Pod'), AGENT).filter((pod) => placeOf(pod) === view.node);
  if (pods.some(isReadyPod)) return null;
  const agent =
    daemonSet === undefined ? `there is no DaemonSet ${AGENT}` : `${AGENT} is not Ready there`;
  return found({ agent }, [
    view.quote(association, `Pod Identity association of kube-system/aws-node; ${agent}`),
    view.quote(trouble.fact, trouble.words),
  ]);
}

function matchProfile(view: Own, trouble: NetworkTrouble): Match | null {
  const instance = view
    .list('aws/instance')
    .find(({ value }) => value.InstanceId === view.instanceId);
  const account = view
    .list('kube/ServiceAccount')
    .find(({ value }) => value.name === 'aws-node' && value.namespace === 'kube-system');
  if (instance === undefined || account === undefined) return null;
  const hasRole = account.value.annotations['eks.amazonaws.com/role-arn'] !== undefined;
  if (hasRole || (instance.value.IamInstanceProfile?.Arn ?? null) !== null) return null;
  return found({}, [
    view.quote(instance, `instance ${view.instanceId ?? ''} has no IamInstanceProfile`),
    view.quote(trouble.fact, trouble.words),
  ]);
}
