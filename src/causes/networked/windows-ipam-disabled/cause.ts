import { clear, defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** EKS hands addresses to Windows pods only when one ConfigMap says so. */
export default defineCause({
  id: 'windows-ipam-disabled',
  stage: 'networked',
  title: 'address management for Windows pods is not enabled',
  scope: 'cluster',
  signs: {
    noAddress: {
      in: ['event', 'kubelet', 'pod-status'],
      anchors: ['does not have label vpc.amazonaws.com/PrivateIPv4Address'],
      pattern:
        /\bpod (?:[\w.-]{1,253} )?does not have label vpc\.amazonaws\.com\/PrivateIPv4Address/,
      weight: 'context',
    },
    resourceMissing: {
      in: ['event', 'scheduler'],
      anchors: ['Insufficient vpc.amazonaws.com/PrivateIPv4Address'],
      pattern: /Insufficient vpc\.amazonaws\.com\/PrivateIPv4Address/,
      weight: 'context',
    },
    configMapMissing: {
      in: ['client-output', 'unknown'],
      anchors: ['amazon-vpc-cni'],
      pattern: /configmaps? "?amazon-vpc-cni"? not found/i,
      weight: 'context',
    },
  },
  needs: ['kube/ConfigMap'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  match: (view) => matchConfigMap(view),
  summary: () =>
    'The ConfigMap amazon-vpc-cni does not enable address management for Windows, so Windows pods get no address and stay in ContainerCreating.',
  remedy: () => [
    {
      text: 'Enable it.',
      command:
        'kubectl create configmap amazon-vpc-cni -n kube-system --from-literal=enable-windows-ipam=true --dry-run=client -o yaml | kubectl apply -f -',
    },
    {
      text: 'Let the cluster role manage interfaces.',
      command:
        'aws iam attach-role-policy --policy-arn arn:aws:iam::aws:policy/AmazonEKSVPCResourceController --role-name <cluster-role>',
    },
  ],
  decide: {
    text: 'Read the ConfigMap.',
    command:
      "kubectl -n kube-system get configmap amazon-vpc-cni -o jsonpath='{.data.enable-windows-ipam}'",
  },
  page: {
    why: 'Windows nodes have no ipamd of their own; a controller in the control plane assigns addresses, and it does so only when asked to. At least one Linux node must run for CoreDNS and the rest.',
    prevent: 'Create the ConfigMap with the cluster.',
    notThis:
      'The event only says that nobody assigned an address. With a webhook of one’s own see windows-webhook-ignores-os-selector; with the right refused, cluster-role-without-vpc-controller-policy.',
    alsoKnownAs: [
      'pod does not have label vpc.amazonaws.com/PrivateIPv4Address',
      'enable-windows-ipam',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/windows-support.html',
      'https://karpenter.sh/docs/troubleshooting/',
    ],
  },
});

type Signs = 'noAddress' | 'resourceMissing' | 'configMapMissing';

function matchConfigMap(view: View<'kube/ConfigMap', Signs>): Match | null {
  const waits = view.sign('noAddress') ?? view.sign('resourceMissing');
  const configMap = view
    .list('kube/ConfigMap')
    .find((entry) => entry.value.name === 'amazon-vpc-cni');
  if (configMap !== undefined && configMap.value.data?.['enable-windows-ipam'] === 'true')
    return clear;
  if (waits === null) return null;
  if (configMap !== undefined)
    return found({}, [
      waits.first,
      view.quote(configMap, 'ConfigMap amazon-vpc-cni without enable-windows-ipam: true'),
    ]);
  const missing = view.sign('configMapMissing');
  return missing === null ? null : found({}, [waits.first, missing.first]);
}
