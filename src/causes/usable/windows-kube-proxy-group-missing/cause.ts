import { defineCause } from '../../../diagnosis/cause.ts';

/** kube-proxy of a Windows node works with the node's identity, which lacks the group for it. */
export default defineCause({
  id: 'windows-kube-proxy-group-missing',
  stage: 'usable',
  title: 'the Windows node role lacks the group eks:kube-proxy-windows',
  scope: 'group',
  signs: {
    listRefused: {
      in: ['kube-proxy', 'kubelet', 'journal', 'pod-app'],
      anchors: ['cannot list resource', 'cannot watch resource'],
      pattern:
        /User "system:node:(?<user>[\w.-]+)" cannot (?:list|watch) resource "endpointslices"/,
      weight: 'definite',
    },
    servicesRefused: {
      in: ['kube-proxy'],
      anchors: ['cannot list resource', 'cannot watch resource'],
      pattern: /User "system:node:(?<user>[\w.-]+)" cannot (?:list|watch) resource "services"/,
      weight: 'likely',
      strict: true,
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ user }) =>
    `kube-proxy on the Windows node ${user ?? ''} may not list services, because its role lacks the group eks:kube-proxy-windows, so services and DNS fail in Windows pods.`.replace(
      'node  may',
      'node may',
    ),
  remedy: () => [
    {
      text: 'Use an access entry of the type for Windows nodes.',
      command:
        'aws eks create-access-entry --cluster-name <cluster> --principal-arn <node-role-arn> --type EC2_WINDOWS',
    },
    {
      text: 'Or add the group to the role in aws-auth.',
      command:
        "eksctl create iamidentitymapping --cluster <cluster> --arn <node-role-arn> --group system:bootstrappers,system:nodes,eks:kube-proxy-windows --username 'system:node:{{EC2PrivateDNSName}}'",
    },
  ],
  decide: {
    text: 'See which groups the Windows nodes’ role has.',
    command: 'kubectl -n kube-system get configmap aws-auth -o yaml',
  },
  page: {
    why: 'On Windows kube-proxy is a process of the host and uses the node’s kubeconfig. system:nodes may not list services and endpoint slices, the group eks:kube-proxy-windows may.',
    prevent: 'Give Windows nodes a role of their own with an EC2_WINDOWS access entry.',
    notThis:
      'On Linux kube-proxy has a service account; there the same words come from another program.',
    alsoKnownAs: ['eks:kube-proxy-windows'],
    refs: [
      'https://karpenter.sh/docs/troubleshooting/',
      'https://docs.aws.amazon.com/eks/latest/userguide/windows-support.html',
    ],
  },
});
