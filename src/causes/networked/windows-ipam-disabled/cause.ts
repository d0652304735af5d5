import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context } from '../../../diagnosis/sign.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { machineOf } from '../../../domain/planned/machine.ts';
import { plannedCni } from '../../../domain/planned/addons.ts';

/** EKS hands addresses to Windows pods only when one ConfigMap says so. */
const cause = defineCause({
  id: 'windows-ipam-disabled',
  stage: 'networked',
  title: 'address management for Windows pods is not enabled',
  scope: 'cluster',
  signs: {
    noAddress: context(
      ['event', 'kubelet', 'pod-status'],
      /\bpod (?:[\w.-]{1,253} )?does not have label vpc\.amazonaws\.com\/PrivateIPv4Address/,
    ),
    resourceMissing: context(
      ['event', 'scheduler'],
      /Insufficient vpc\.amazonaws\.com\/PrivateIPv4Address/,
    ),
    toldUnset: context(
      ['client-output', 'unknown'],
      /\bamazon-vpc-cni\b.{0,160}\b(?:nothing (?:about|for|on) [Ww]indows|(?:no|without|lacks|misses|not have) (?:an? )?[`'"]?enable-windows-ipam|enable-windows-ipam\b.{0,20}\b(?:missing|not set|absent|false))/,
      { isTold: true, anchors: ['amazon-vpc-cni'] },
    ),
    // What a person sees of the ConfigMap, which a sentence before may ask about.
    unsetShown: context(
      ['client-output', 'unknown'],
      /\bget (?:cm|configmaps?) amazon-vpc-cni\b.{0,60}\b(?:shows|has|contains|prints|gives) (?:only|just|nothing)\b(?!.{0,160}enable-windows-ipam: ?["'`]?true)/,
      { anchors: ['amazon-vpc-cni'] },
    ),
    configMapMissing: context(
      ['client-output', 'unknown'],
      /configmaps? "?amazon-vpc-cni"? not found/i,
      { anchors: ['amazon-vpc-cni'] },
    ),
  },
  needs: ['kube/ConfigMap'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: () =>
    'The ConfigMap amazon-vpc-cni does not enable address management for Windows, so Windows pods get no address and stay in ContainerCreating.',
  remedy: () => [
    step(
      'Enable it.',
      'kubectl create configmap amazon-vpc-cni -n kube-system --from-literal=enable-windows-ipam=true --dry-run=client -o yaml | kubectl apply -f -',
    ),
    step(
      'Let the cluster role manage interfaces.',
      'aws iam attach-role-policy --policy-arn arn:aws:iam::aws:policy/AmazonEKSVPCResourceController --role-name <cluster-role>',
    ),
  ],
  decide: step(
    'Read the ConfigMap.',
    "kubectl -n kube-system get configmap amazon-vpc-cni -o jsonpath='{.data.enable-windows-ipam}'",
  ),
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

const judged = matched(cause, matchConfigMap);

type Own = ViewOf<typeof cause>;

function matchConfigMap(view: Own): Match | null {
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
  const missing =
    view.sign('configMapMissing') ?? view.sign('unsetShown') ?? view.sign('toldUnset');
  return missing === null ? null : found({}, [waits.first, missing.first]);
}

export default foreseen(
  judged,
  (plan, group) => {
    const { family } = machineOf(plan, group);
    if (family !== 'windows') return family === null ? NOT_SHOWN : clear;
    const [configMap] = plan.list('kube/ConfigMap');
    if (plannedCni(plan) === null || configMap === undefined) return NOT_SHOWN;
    if (configMap.value.data?.['enable-windows-ipam'] === 'true') return clear;
    if (plan.doubtOf('kube/ConfigMap') !== null || group.cluster?.change !== 'create')
      return NOT_SHOWN;
    return found(
      {},
      [
        plan.quote(configMap, 'the add-on vpc-cni does not set enableWindowsIpam'),
        plan.quote(group.fact, `${group.name} has Windows machines`),
      ],
      'likely',
    );
  },
  {
    summary: ({ planned }) =>
      `Nothing in this plan enables the address management for Windows, so Windows pods on ${planned ?? 'the group'} will get no address and stay in ContainerCreating.`,
    remedy: () => [
      step('Set enableWindowsIpam = "true" in configuration_values of the add-on vpc-cni.'),
    ],
  },
);
