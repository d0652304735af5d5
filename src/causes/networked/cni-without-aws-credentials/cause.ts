import { defineCause } from '../../../diagnosis/cause.ts';

/** ipamd runs and has no AWS credentials to ask EC2 with. */
export default defineCause({
  id: 'cni-without-aws-credentials',
  stage: 'networked',
  title: 'the VPC CNI finds no AWS credentials',
  scope: 'machine',
  signs: {
    noProviders: {
      in: ['ipamd', 'aws-node'],
      anchors: ['NoCredentialProviders'],
      pattern: /NoCredentialProviders: no valid providers in chain/,
      weight: 'definite',
      strict: true,
    },
    eniCallWithout: {
      in: ['ipamd', 'aws-node'],
      anchors: ['NoCredentialProviders', 'no EC2 IMDS role found'],
      pattern:
        /(?:DescribeNetworkInterfaces|DescribeInstanceTypes|CreateNetworkInterface|attached ENIs|\bENI\b).{0,600}(?:NoCredentialProviders|no EC2 IMDS role found)/,
      weight: 'definite',
    },
    noInstanceRole: {
      in: ['ipamd', 'aws-node'],
      anchors: ['no EC2 IMDS role found'],
      pattern: /no EC2 IMDS role found/,
      weight: 'definite',
      strict: true,
    },
    podIdentitySilent: {
      in: ['ipamd', 'aws-node'],
      anchors: ['169.254.170.23', 'fd00:ec2::23'],
      pattern:
        /(?:169\.254\.170\.23|\[fd00:ec2::23\])\S*: (?:dial tcp \S+ )?(?:connect: connection refused|i\/o timeout|context deadline exceeded|connect: no route to host)/,
      weight: 'definite',
      strict: true,
    },
    enisRead: {
      in: ['ipamd'],
      anchors: ['DescribeAllENIs success', 'uccessfully increased IP'],
      pattern: /DescribeAllENIs success|[Ss]uccessfully increased IP/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['cni-daemon-silent', 'cni-uninitialized', 'node-not-ready'],
  withdrawnBy: ['networking-initialised'],
  explains: [
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
    'instance-type-lookup-denied',
    'instance-type-unknown-to-cni',
  ],
  summary: ({ machine }) =>
    `The VPC CNI of ${machine ?? 'the machine'} finds no AWS credentials, so it cannot list its network interfaces and the node stays without pod network.`,
  remedy: () => [
    {
      text: 'Give the instance a profile whose role has AmazonEKS_CNI_Policy.',
      command:
        'aws ec2 associate-iam-instance-profile --instance-id <instance> --iam-instance-profile Name=<node-instance-profile>',
    },
    {
      text: 'Where the CNI gets its role through Pod Identity, install the agent before.',
      command: 'aws eks create-addon --cluster-name <cluster> --addon-name eks-pod-identity-agent',
    },
    {
      text: 'Restart the CNI.',
      command: 'kubectl -n kube-system rollout restart daemonset/aws-node',
    },
  ],
  decide: {
    text: 'Read why ipamd cannot list its interfaces.',
    command:
      "sudo grep -E 'NoCredentialProviders|IMDS role|169.254.170.23|UnauthorizedOperation' /var/log/aws-routed-eni/ipamd.log | tail -n 5",
  },
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
