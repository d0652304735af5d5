import { defineCause, step } from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';

/** kube-proxy of a Windows node works with the node's identity, which lacks the group for it. */
export default defineCause({
  id: 'windows-kube-proxy-group-missing',
  stage: 'usable',
  title: 'the Windows node role lacks the group eks:kube-proxy-windows',
  scope: 'group',
  signs: {
    listRefused: definite(
      ['kube-proxy', 'kubelet', 'journal', 'pod-app'],
      /User "system:node:(?<user>[\w.-]+)" cannot (?:list|watch) resource "endpoint(?:slice)?s"/,
    ),
    servicesRefused: likely(
      ['kube-proxy'],
      /User "system:node:(?<user>[\w.-]+)" cannot (?:list|watch) resource "services"/,
      { strict: true },
    ),
    toldOfWindows: likely(
      ['client-output', 'unknown'],
      /\b(?:DNS|[Nn]ame resolution)\b.{0,80}\bnot (?:for|in|on|from) Windows\b|\bWindows (?:pods?|containers?|nodes?)\b.{0,30}\b(?:cannot|can't|can not|do not|don't|fail to) resolve\b/,
      { isTold: true },
    ),
    toldGroup: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:missing|lack(?:s|ed|ing)?|[Ww]ithout|(?:did|do|does)(?: not|n't) have|not in|[Ff]orgot)\b.{0,30}\beks:kube-proxy-windows\b/,
      { isTold: true, anchors: ['eks:kube-proxy-windows'] },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ user }) =>
    sentence`kube-proxy on the Windows node ${user} may not list services, because its role lacks the group eks:kube-proxy-windows, so services and DNS fail in Windows pods.`,
  remedy: () => [
    step(
      'Use an access entry of the type for Windows nodes.',
      'aws eks create-access-entry --cluster-name <cluster> --principal-arn <node-role-arn> --type EC2_WINDOWS',
    ),
    step(
      'Or add the group to the role in aws-auth.',
      "eksctl create iamidentitymapping --cluster <cluster> --arn <node-role-arn> --group system:bootstrappers,system:nodes,eks:kube-proxy-windows --username 'system:node:{{EC2PrivateDNSName}}'",
    ),
  ],
  decide: step(
    'See which groups the Windows nodes’ role has.',
    'kubectl -n kube-system get configmap aws-auth -o yaml',
  ),
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
