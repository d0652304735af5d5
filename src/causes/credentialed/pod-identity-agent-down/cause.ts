import { defineCause } from '../../../diagnosis/cause.ts';

/** The agent that hands out Pod Identity credentials does not listen on its node. */
export default defineCause({
  id: 'pod-identity-agent-down',
  stage: 'credentialed',
  title: 'the EKS Pod Identity agent does not listen on the node',
  scope: 'machine',
  signs: {
    addressNotBound: {
      in: ['pod-identity-agent'],
      anchors: ['Unable to start server'],
      pattern:
        /Unable to start server: listen tcp (?<address>169\.254\.170\.23:80|\[fd00:ec2::23\]:80): (?:bind: )?(?<reason>[a-z ]{4,60})/,
      weight: 'definite',
    },
    linkNotMade: {
      in: ['pod-identity-agent'],
      anchors: [
        'Cannot setup link',
        'Unable to create interface',
        'nable to configure required family',
        'nable to configure family',
        'Error bringing up link',
        'Unable to initalize agent',
        'Unable to initalize executor',
      ],
      pattern:
        /Cannot setup link|Unable to create interface \S+|[Uu]nable to configure (?:required )?family|Error bringing up link|Unable to initalize (?:agent|executor)/,
      weight: 'likely',
      strict: true,
    },
    routeTaken: {
      in: ['pod-identity-agent'],
      anchors: ['to be interface index'],
      pattern: /expected route (?<address>\S+) to be interface index \d+ but is \d+/,
      weight: 'definite',
    },
    refusedToPod: {
      in: ['pod-app', 'client-output', 'csi-driver', 'event', 'journal', 'pod-identity-agent'],
      anchors: ['169.254.170.23', 'fd00:ec2::23'],
      pattern:
        /dial tcp (?<address>169\.254\.170\.23:80|\[fd00:ec2::23\]:80): (?:connect: )?(?<reason>connection refused|no route to host|network is unreachable)/,
      weight: 'likely',
    },
    listening: {
      in: ['pod-identity-agent'],
      anchors: ['Storing creds in cache'],
      pattern: /Storing creds in cache/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, instance, address, reason }) =>
    `The EKS Pod Identity agent on ${node ?? instance ?? 'the node'} does not serve ${address ?? 'its link-local address'}${reason === undefined ? '' : ` (${reason})`}, so pods there get no AWS credentials.`,
  remedy: () => [
    {
      text: 'See whether every node has a Ready agent; install the add-on where there is none.',
      command:
        'kubectl -n kube-system get pods -l app.kubernetes.io/name=eks-pod-identity-agent -o wide',
    },
    {
      text: 'On nodes without IPv6, let the agent listen on IPv4 alone.',
      command:
        'aws eks update-addon --cluster-name <cluster> --addon-name eks-pod-identity-agent --configuration-values \'{"agent":{"additionalArgs":{"-b":"169.254.170.23"}}}\'',
    },
    {
      text: 'With a proxy in the pods, put 169.254.170.23 into NO_PROXY.',
      command: 'kubectl exec <pod> -- env',
    },
  ],
  decide: {
    text: 'Read why the agent ends.',
    command:
      'kubectl -n kube-system logs -l app.kubernetes.io/name=eks-pod-identity-agent --prefix --tail=50',
  },
  page: {
    why: 'Pods with an association ask http://169.254.170.23/v1/credentials, which the agent on their node serves over a link of its own. The agent ends when IPv6 is disabled and it is told to bind fd00:ec2::23, when another program holds port 80 on the address or the route, or when it is not there.',
    prevent:
      'Use a recent add-on, let its DaemonSet tolerate all taints, and put the link-local address into NO_PROXY of every pod.',
    notThis:
      'An HTTP answer of 400 or 403 from the same address is pod-identity-not-authorized. Requests that the client gives up (context canceled) say nothing about the agent.',
    alsoKnownAs: [
      'dial tcp 169.254.170.23:80: connect: connection refused',
      'listen tcp [fd00:ec2::23]:80: bind: cannot assign requested address',
    ],
    refs: [
      'https://github.com/aws/eks-pod-identity-agent/issues/16',
      'https://docs.aws.amazon.com/eks/latest/userguide/pod-id-agent-config-ipv6.html',
    ],
  },
});
