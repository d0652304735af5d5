import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { OTHER_NETWORK } from '../../../diagnosis/other-network-signs.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** EKS calls addresses of the cluster’s own networks alone; an overlay’s pods have others. */
const cause = defineCause({
  id: 'control-plane-refuses-pod-addresses',
  stage: 'usable',
  title:
    'the control plane does not call pods whose addresses are outside of the cluster’s networks',
  scope: 'cluster',
  signs: {
    webhookRefused: definite(
      [
        'client-output',
        'event',
        'kube-apiserver',
        'controller-manager',
        'terraform',
        'object',
        'pod-app',
        'journal',
      ],
      /https:\/\/(?<service>[a-z0-9][\w.-]{0,100})[^\s"]{0,200}"?: [Aa]ddress is not allowed/,
    ),
    ...OTHER_NETWORK,
    webhookTimesOut: context(
      ['client-output', 'event', 'kube-apiserver', 'terraform', 'object', 'pod-app'],
      /failed (?:calling|to call) webhook .{0,300}https:\/\/(?<service>[a-z0-9][\w.-]{0,100}).{0,200}(?:context deadline exceeded|i\/o timeout|Client\.Timeout)/,
      { anchors: ['calling webhook', 'to call webhook'] },
    ),
    alone: likely(
      ['client-output', 'event', 'kube-apiserver', 'terraform', 'object', 'pod-app'],
      /: Address is not allowed\b/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ service }) =>
    `The control plane does not call ${service ?? 'a webhook or aggregated API'}: its pods have addresses outside of the cluster’s VPC and remote pod networks, so creating objects that it checks fails.`,
  remedy: ({ service }) => [
    step(
      'Let the pods behind the service use the host’s network, on ports that are free there (most charts have hostNetwork).',
      `kubectl get endpointslices -A -o wide | grep ${service?.split('.')[0] ?? '<service>'}`,
    ),
    step(
      'On hybrid nodes, make the pod network known to the cluster, and route it.',
      'aws eks describe-cluster --name <cluster> --query cluster.remoteNetworkConfig',
    ),
    step(
      'On EC2, use the VPC CNI, whose pods have addresses of the VPC, or run the webhook on such nodes.',
      'kubectl -n kube-system get daemonset aws-node',
    ),
  ],
  decide: step(
    'Compare the addresses behind the service with the networks of the VPC and the cluster.',
    'kubectl get endpointslices -A -o wide',
  ),
  page: {
    why: 'The control plane of EKS is not on the nodes’ overlay. It calls webhooks and aggregated APIs only at addresses of the VPC, or of the remote networks of hybrid nodes, and refuses others before it tries. With Calico, Cilium or Weave as an overlay every pod has such an address.',
    prevent:
      'Host network for webhooks on overlays; a routable remote pod network in the cluster’s configuration for hybrid nodes.',
    notThis:
      'Addresses that are called and do not answer are node-ports-closed-to-control-plane. no endpoints available is webhook-blocks-system-pods.',
    alsoKnownAs: ['failed calling webhook: Address is not allowed'],
    refs: [
      'https://github.com/external-secrets/external-secrets/issues/1789',
      'https://github.com/aws/containers-roadmap/issues/1215',
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-webhooks.html',
    ],
  },
});

/** A webhook that times out in a cluster whose pods have a network of their own. */
export default matched(cause, (view) => {
  const silent = view.sign('webhookTimesOut') ?? view.clusterSign('webhookTimesOut');
  const told = view.sign('otherNetworkTold') ?? view.clusterSign('otherNetworkTold');
  if (silent === null || told === null || view.isLive) return null;
  return found(silent.last.captures, [silent.last, told.last], 'likely');
});
