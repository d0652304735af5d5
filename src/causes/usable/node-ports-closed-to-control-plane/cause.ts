import { defineCause } from '../../../diagnosis/cause.ts';

/** The control plane's packets to the node are dropped, while the node's own to it pass. */
export default defineCause({
  id: 'node-ports-closed-to-control-plane',
  stage: 'usable',
  title: 'the control plane does not reach ports of the node',
  scope: 'group',
  signs: {
    kubeletSilent: {
      in: ['client-output', 'event', 'kube-apiserver', 'pod-app', 'audit', 'controller-manager'],
      anchors: [':10250'],
      pattern:
        /dial tcp (?<owner>(?<address>\d+\.\d+\.\d+\.\d+):(?<port>10250)): (?:i\/o timeout|connect: (?:connection timed out|no route to host))/,
      weight: 'likely',
    },
    webhookSilent: {
      in: [
        'client-output',
        'event',
        'kube-apiserver',
        'controller-manager',
        'terraform',
        'object',
        'karpenter',
        'pod-app',
        'journal',
      ],
      anchors: ['failed calling webhook', 'failed to call webhook'],
      pattern:
        /(?:(?<owner>(?:replicaset|daemonset|statefulset|job)\/[\w.-]+) .{0,200}failed to call webhook|(?<!Error creating: Internal error occurred: )failed (?:calling|to call) webhook "?(?<owner2>[\w.-]*)).*(?:dial tcp (?<address>\d+\.\d+\.\d+\.\d+):(?<port>\d+): (?:i\/o timeout|connect: (?:connection timed out|no route to host))|: context deadline exceeded|Client\.Timeout exceeded|net\/http: request canceled while waiting for connection)/,
      weight: 'likely',
    },
    created: {
      in: ['event'],
      anchors: ['SuccessfulCreate'],
      pattern:
        /\bSuccessfulCreate +(?<owner>(?:replicaset|daemonset|statefulset|job)\/[\w.-]+) .*\bCreated pod: /,
      weight: 'withdraws',
    },
    apiServiceSilent: {
      in: ['object', 'client-output', 'kube-apiserver'],
      anchors: ['failing or missing response from'],
      pattern:
        /failing or missing response from https:\/\/(?<owner>(?<address>\d+\.\d+\.\d+\.\d+):(?<port>\d+))\/apis\/.*(?:i\/o timeout|context deadline exceeded|Client\.Timeout exceeded|request canceled while waiting)/,
      weight: 'likely',
    },
    nodeGone: {
      in: ['event', 'node-status'],
      anchors: ['status is now: NodeNotReady', 'condition Ready=Unknown'],
      pattern: /status is now: NodeNotReady|condition Ready=Unknown/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  // A pod that its owner got later takes back only that owner's failures.
  per: ['owner'],
  blocksAbove: false,
  summary: ({ address, port }) =>
    address === undefined
      ? 'The control plane gets no answer from an admission webhook on the nodes, so creating pods fails while nodes stay Ready.'
      : `The control plane gets no answer from ${address}:${port ?? '10250'}, so ${port === '10250' ? 'logs, exec and metrics' : 'webhooks and aggregated APIs'} fail while the node stays Ready.`,
  remedy: ({ port }) => [
    {
      text: 'Let the cluster’s security group reach the nodes’ on that port.',
      command: `aws ec2 authorize-security-group-ingress --group-id <node-security-group> --protocol tcp --port ${port ?? '<webhook-port>'} --source-group <cluster-security-group>`,
    },
    {
      text: 'On hybrid nodes, route the remote node and pod networks back to the cluster’s VPC.',
      command: 'aws eks describe-cluster --name <cluster> --query cluster.remoteNetworkConfig',
    },
  ],
  decide: {
    text: 'See what the nodes’ security group lets in.',
    command:
      'aws ec2 describe-security-groups --group-ids <node-security-group> --query SecurityGroups[].IpPermissions',
  },
  page: {
    why: 'Heartbeats go from the node to the control plane; logs, exec, webhooks and aggregated APIs go the other way. Custom security groups often let only some ports in (443 and 10250), and a webhook’s pod listens on 9443, 8443 or 4443.',
    prevent: 'Use the cluster security group for nodes, or let all ports in from it.',
    notThis:
      'Connection refused means that nothing listens. tls: internal error is kubelet-serving-certificate-missing. no endpoints available is webhook-blocks-system-pods. A node that is NotReady as well has another cause.',
    alsoKnownAs: [
      'Error from server: Get https://…:10250/containerLogs: dial tcp i/o timeout',
      'failed calling webhook context deadline exceeded',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/blob/HEAD/docs/network_connectivity.md',
    ],
  },
});
