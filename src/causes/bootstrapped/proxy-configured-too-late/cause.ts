import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** The proxy is set by a user-data script, which runs after nodeadm needed it. */
export default defineCause({
  id: 'proxy-configured-too-late',
  stage: 'bootstrapped',
  title: 'the HTTP proxy is set by a user-data script, after nodeadm needed it',
  scope: 'machine',
  signs: {
    callFailed: {
      in: ['nodeadm', 'console'],
      anchors: [
        'operation error EC2: DescribeInstances',
        'operation error EKS: DescribeCluster',
        'max wait time for Instance',
      ],
      pattern:
        /operation error (?:EC2: DescribeInstances|EKS: DescribeCluster).*(?:i\/o timeout|deadline exceeded|exceeded maximum number of attempts)|exceeded max wait time for InstanceCondition/,
      weight: 'context',
    },
    retried: {
      in: ['nodeadm', 'console', 'cloud-init'],
      anchors: ['retrying request EC2/DescribeInstances'],
      pattern: /retrying request EC2\/DescribeInstances, attempt \d+/,
      weight: 'context',
      atLeast: 3,
    },
    setByScript: {
      in: ['cloud-init', 'user-data'],
      anchors: ['HTTPS_PROXY=', 'https_proxy=', 'HTTP_PROXY=', 'http_proxy='],
      pattern:
        /(?:HTTPS?_PROXY|https?_proxy)=["']?(?:https?:\/\/)?(?:[^@\s"']*@)?(?:(?<proxy>[\w.-]+:\d+)|\$)/,
      weight: 'context',
    },
    setEarly: {
      in: ['cloud-init', 'user-data', 'nodeadm'],
      anchors: ['nodeadm-config.service.d', 'nodeadm.service.d'],
      pattern: /nodeadm(?:-config)?\.service\.d/,
      weight: 'context',
    },
    detailsKnown: {
      in: ['nodeadm', 'cloud-init', 'console'],
      anchors: ['Instance details populated', 'Default options populated'],
      pattern: /(?:Instance details|Default options) populated/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['boot-call-retried'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['private-dns-name-lookup-failed'],
  match: (view) => matchLateProxy(view),
  summary: ({ machine, proxy }) =>
    `nodeadm on ${machine ?? 'the machine'} got no answer from AWS because the proxy${proxy === undefined ? '' : ` ${proxy}`} is only set by a user-data script, which runs after nodeadm-config.`,
  remedy: ({ proxy }) => [
    {
      text: 'Give nodeadm the proxy before it starts: a MIME part of type text/cloud-boothook that writes a drop-in for its units (or bake the drop-in into the image).',
      command: `mkdir -p /etc/systemd/system/nodeadm-config.service.d && printf '[Service]\\nEnvironment=HTTPS_PROXY=http://${proxy ?? '<proxy>:<port>'} NO_PROXY=169.254.169.254,<vpc-cidr>,<service-cidr>,.internal\\n' > /etc/systemd/system/nodeadm-config.service.d/proxy.conf`,
    },
    {
      text: 'Or spare the proxy for AWS: interface endpoints for ec2, eks, ecr.api, ecr.dkr and sts, a gateway endpoint for s3.',
      command: 'aws ec2 describe-vpc-endpoints --query VpcEndpoints[].[ServiceName,State]',
    },
  ],
  decide: {
    text: 'Compare when nodeadm-config ran with when the script set the proxy.',
    command:
      'systemctl show nodeadm-config -p ExecMainStartTimestamp -p Environment; sudo grep -in proxy /var/log/cloud-init-output.log',
  },
  page: {
    why: 'nodeadm-config runs before cloud-init’s user scripts and asks EC2 for the instance’s name. In a network that leads out only through a proxy, it needs the proxy’s address by then; a script that exports it later works by hand and never in time.',
    prevent:
      'Deliver proxy settings in a boothook or in the NodeConfig where nodeadm supports it, always with 169.254.169.254 in NO_PROXY.',
    notThis:
      'Without any proxy in the design the same lines are private-dns-name-lookup-failed. A proxy that is configured and refuses, or that also catches metadata, is wrong-proxy-configuration; Bottlerocket with user and password in the URL is proxy-credentials-ignored.',
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/issues/2128',
      'https://github.com/awslabs/amazon-eks-ami/issues/2127',
    ],
  },
});

type Signs = 'callFailed' | 'retried' | 'setByScript' | 'setEarly' | 'detailsKnown';

function matchLateProxy(view: View<never, Signs>): Match | null {
  const script = view.sign('setByScript');
  const call = view.sign('callFailed') ?? view.sign('retried');
  if (script === null || call === null || view.sign('setEarly') !== null) return null;
  return found(script.first.captures, [call.first, script.first], 'likely');
}
