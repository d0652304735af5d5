import {
  type AddressShortage,
  addressShortage,
  SHORTAGE_KINDS,
} from '../../../capacity/address-shortage.ts';
import {
  arithmeticLine,
  eniBudget,
  HOST_NETWORK_PODS,
  podAddresses,
} from '../../../capacity/eni.ts';
import { knownType } from '../../../capacity/known-type.ts';
import { DEFAULT_MODE } from '../../../capacity/mode.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, withdraws } from '../../../diagnosis/sign.ts';
import { waitingWords } from '../../../domain/pods/pods-seen.ts';
import { isAfter } from '../../../evidence/time.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { launchedBy, machineOf } from '../../../domain/planned/machine.ts';
import { plannedCni } from '../../../domain/planned/addons.ts';
import { networkModeOf } from '../../../capacity/cni-settings.ts';

/** All interfaces are attached and full, and the kubelet still accepts pods. */
const cause = defineCause({
  id: 'max-pods-above-address-capacity',
  stage: 'networked',
  title: 'the kubelet accepts more pods than the instance has addresses for',
  scope: 'machine',
  signs: {
    noneLeft: context(
      ['ipamd', 'aws-node'],
      /DataStore has no available IP(?:\/Prefix)? addresses|(?:AssignPodIP\w*|assignPodIPv4AddressUnsafe): no available IP(?:\/Prefix)? addresses/,
      { atLeast: 3 },
    ),
    allAttached: context(
      ['ipamd'],
      /Skipping .{0,60}(?:max ENI limit (?:of \d+ )?is already reached|max ENI already attached)/,
      { anchors: ['as the max ENI limit', 'max ENI already attached'] },
    ),
    served: withdraws(
      ['ipamd', 'aws-node'],
      /Send AddNetworkReply: (?:IPv4Addr:? ?\d|success: true)/,
    ),
    spare: withdraws(['ipamd'], /IP pool is (?:NOT )?too (?:low|high): available \([1-9]/),
    refused: context(
      ['ipamd', 'aws-node'],
      /InsufficientFreeAddressesInSubnet|InsufficientCidrBlocks|AttachmentLimitExceeded|Failed to (?:attach ENI|CreateNetworkInterface)/,
    ),
    customNetworking: context(
      ['client-output', 'unknown', 'object'],
      /\bAWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG\b["']?\s{0,10}[=:]?\s{0,10}["']?true\b|--cni-custom-networking-enabled\b/,
      { isTold: true },
    ),
    typeNamed: context(
      ['client-output', 'unknown'],
      /(?<![\w.-]|: ?["']?)(?<type>[a-z]{1,4}\d[a-z]{0,4}(?:-[a-z0-9]{1,8})?\.(?:nano|micro|small|medium|large|(?:\d{1,2})?xlarge|metal(?:-\d{2}xl)?))(?![\w.-])/,
      {
        isBackground: true,
        anchors: ['.nano', '.micro', '.small', '.medium', '.large', 'xlarge', '.metal'],
      },
    ),
    podsAllowed: context(
      ['client-output', 'unknown', 'node-status'],
      /^\s*pods:\s{1,20}(?<pods>\d{1,4})\s*$|\b(?:max[ -]?[Pp]ods|kubelet allows)\b["'`]?\s{0,4}(?:of |is |to |at |was |set to |=|:)?\s{0,4}["'`]?(?<pods2>\d{2,4})\b/,
      {
        isBackground: true,
        anchors: ['pods:', 'max-pods', 'max pods', 'maxpods', 'maxPods', 'kubelet allows'],
      },
    ),
    toldTrunk: context(
      ['client-output', 'unknown'],
      /\b[Ss]ecurity [Gg]roups? for [Pp]ods?\b|\bENABLE_POD_ENI\b|\b[Tt]runk(?:ing)? (?:ENI|interface)s?\b|\bAWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG\b|\b[Cc]ustom networking\b/,
      {
        isTold: true,
        isBackground: true,
        anchors: [
          'roups for ',
          'roup for ',
          'ENABLE_POD_ENI',
          'runk ENI',
          'runking ENI',
          'runk interface',
          'runking interface',
          'AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG',
          'ustom networking',
        ],
      },
    ),
    toldUnchanged: context(
      ['client-output', 'unknown'],
      /\b(?:same|unchanged|old|previous) (?:number of |value (?:of|for) |limit of )?(?:--)?max[- ]?[Pp]ods\b|\bmax[- ]?[Pp]ods\b(?:[^.]|\.\w){0,40}\b(?:unchanged|the same|as before|not (?:been )?(?:reduced|lowered|changed|adapted|adjusted)|too high)\b/,
      { isTold: true, anchors: ['maxpods', 'maxPods', 'max-pods', 'max pods', 'max Pods'] },
    ),
    toldNoAddress: context(
      ['client-output', 'unknown'],
      /\b[Pp]ods?\b[^.]{0,160}\b(?:never|not|n't|no|without|waits? for|out of) (?:(?:get|gets|got|have|has|find) )?(?:(?:any |an )?(?:IP )?address(?:es)?|(?:any|an) IP)\b|\b(?:can ?not|can't|could not|couldn't|unable to|fail(?:s|ed|ing)? to) (?:assign|allocate|get|give|obtain) (?:an? |any |more )?(?:IPs?|ips?)\b(?!(?: address(?:es)?)? (?:via local|to container))/,
      {
        isTold: true,
        anchors: [
          'address',
          ' an IP',
          'any IP',
          'assign ',
          'allocate ',
          'obtain ',
          'get an ',
          'get any ',
          'get more ',
          'get IP',
          'get ip',
          'get a ',
          'give ',
        ],
      },
    ),
    toldEmpty: context(
      ['client-output', 'unknown'],
      /\b(?:0|no|zero) (?:free|available|more) (?:IP )?addresses\b|\bsubnets? (?:is|are|was|were) (?:full|empty|exhausted|used up)\b|\bInsufficient(?:FreeAddressesInSubnet|CidrBlocks)\b/,
      {
        isTold: true,
        anchors: [' addresses', 'subnet ', 'subnets ', 'InsufficientFreeAddr', 'InsufficientCidr'],
      },
    ),
    addressRefused: context(
      ['event', 'kubelet', 'cni-plugin', 'containerd'],
      /failed to assign an IP address to container/,
    ),
    otherNetworkOrPrefixes: context(
      ['client-output', 'unknown', 'object', 'terraform'],
      /\bENABLE_PREFIX_DELEGATION\b|\b[Pp]refix (?:delegation|assignment|mode)\b|\b[Cc]ilium\b|\b[Cc]alico\b|\b[Ww]eave\b|\b[Ff]lannel\b|\bWindows\b/,
      {
        isBackground: true,
        anchors: [
          'ENABLE_PREFIX_DELEGATION',
          'refix delegation',
          'refix assignment',
          'refix mode',
          'cilium',
          'Cilium',
          'calico',
          'Calico',
          'weave',
          'Weave',
          'flannel',
          'Flannel',
          'Windows',
        ],
      },
    ),
    // Where Cilium shares out ranges itself, each node has one that does not grow.
    rangeFull: context(
      ['kubelet', 'event', 'cni-plugin', 'containerd', 'cilium', 'client-output', 'unknown'],
      /\bpostIpamFailure\s.{0,20}range is full\b/,
    ),
    toldMorePods: context(
      ['client-output', 'unknown'],
      /\b(?:more than|over|above|beyond) \d{2,4}\b.{0,12}\bpods\b/,
      {
        isTold: true,
        isBackground: true,
        anchors: ['more than ', 'over ', 'above ', 'beyond '],
      },
    ),
  },
  needs: SHORTAGE_KINDS,
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ machine, type, maxPods, fits }) =>
    maxPods === undefined
      ? `${machine ?? 'The instance'} has all its interfaces attached and all addresses given out, and its kubelet still accepts pods; those stay in ContainerCreating.`
      : `The kubelet of ${machine ?? 'the node'} accepts ${maxPods} pods, and the addresses of a ${type ?? 'machine of its type'} are enough for ${fits ?? 'fewer'}; all are given out, so further pods stay in ContainerCreating.`,
  remedy: ({ fits }) => [
    step(
      'See how many pods the node claims to hold.',
      "kubectl get node <node> -o jsonpath='{.status.capacity.pods} {.metadata.labels.node\\.kubernetes\\.io/instance-type}'",
    ),
    {
      text: sentence`Drop the own max-pods value from kubelet arguments or user data, so that the type’s own figure${phrase` (${fits})`} holds; then replace the nodes.`,
      command: null,
    },
    step(
      'Or get more addresses out of each interface.',
      'kubectl -n kube-system set env daemonset/aws-node ENABLE_PREFIX_DELEGATION=true WARM_PREFIX_TARGET=1',
    ),
  ],
  decide: step(
    'Compare the node’s pod capacity with the addresses of its type.',
    "kubectl get nodes -o custom-columns='NAME:.metadata.name,TYPE:.metadata.labels.node\\.kubernetes\\.io/instance-type,PODS:.status.capacity.pods'",
  ),
  page: {
    why: 'Without prefix delegation an instance has (interfaces × (addresses per interface − 1)) pod addresses. A max-pods of 110, custom networking (which loses the first interface) or a trunk interface leave fewer addresses than the kubelet believes.',
    prevent:
      'Let the machine image compute max-pods; with Karpenter set RESERVED_ENIS where an interface is reserved.',
    notThis:
      '“Too many pods” in a scheduling event is the opposite: the kubelet’s number was respected. Addresses that EC2 refuses are subnet-out-of-pod-addresses or subnet-without-contiguous-prefix. 110 on a small type may come from instance-type-unknown-to-ami.',
    alsoKnownAs: [
      'DataStore has no available IP/Prefix addresses',
      'max-pods EKS ContainerCreating',
    ],
    refs: [
      'https://karpenter.sh/docs/troubleshooting/',
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/nodeadm/internal/kubelet/eni_max_pods.go',
    ],
  },
});

const judged = matched(cause, matchSaturation);

type Own = ViewOf<typeof cause>;

function matchSaturation(view: Own): Match | null {
  const shortage = addressShortage(view);
  if (shortage !== null) return matchShortage(view, shortage);
  const none = view.sign('noneLeft');
  const all = view.sign('allAttached');
  if (none === null || all === null || view.sign('refused') !== null) return matchTold(view);
  // Addresses that lacked while interfaces still came are no sign that the last one was not enough.
  if (!isAfter(none.last.moment, all.first.moment)) return null;
  return found({}, [all.first, none.first], 'likely');
}

/** The type, the mode and the limit stand beside each other, and addresses were refused. */
function matchTold(view: Own): Match | null {
  const [mode, type, allowed, refused] = (
    ['customNetworking', 'typeNamed', 'podsAllowed', 'addressRefused'] as const
  ).map((name) => view.sign(name)?.last ?? null);
  if (!mode || !type || !allowed || !refused) return matchReserved(view);
  const known = knownType(type.captures['type'] ?? '', []);
  const maxPods = allowed.captures['pods'] ?? allowed.captures['pods2'] ?? '';
  if (known === null) return null;
  const budget = eniBudget(known, { ...DEFAULT_MODE, customNetworking: true });
  const fits = podAddresses(budget) + HOST_NETWORK_PODS;
  if (!(Number(maxPods) > fits)) return null;
  const details = { type: known.name, maxPods, fits: String(fits) };
  return found(details, [mode, type, allowed, refused], 'likely');
}

/** An interface was taken from the pods, and the limit of pods is the one of before. */
function matchReserved(view: Own): Match | null {
  const [taken, unchanged] = [view.sign('toldTrunk'), view.sign('toldUnchanged')];
  const refused = view.sign('addressRefused') ?? view.sign('toldNoAddress');
  if (taken === null || unchanged === null || refused === null) return matchType(view);
  // An empty subnet refuses addresses whatever the limit is.
  if (view.anySign('refused', 'toldEmpty')) return null;
  return found({}, [taken.last, unchanged.last, refused.last], 'likely');
}

/** A limit that somebody sets by hand, and the type that has fewer addresses in the usual mode. */
function matchType(view: Own): Match | null {
  const [type, allowed] = [view.sign('typeNamed'), view.sign('podsAllowed')];
  const refused = view.sign('addressRefused') ?? view.sign('toldNoAddress');
  if (type === null || allowed === null || refused === null) return matchRange(view);
  if (view.anySign('refused', 'toldEmpty', 'otherNetworkOrPrefixes')) return matchRange(view);
  const known = knownType(type.last.captures['type'] ?? '', []);
  const isOne = type.quotes.every(({ captures }) => captures['type'] === known?.name);
  if (known === null || !isOne) return null;
  const { pods = '', pods2 = pods } = allowed.last.captures;
  const fits = podAddresses(eniBudget(known, DEFAULT_MODE)) + HOST_NETWORK_PODS;
  if (!(Number(pods2) > fits)) return null;
  const details = { type: known.name, maxPods: pods2, fits: String(fits) };
  return found(details, [type.last, allowed.last, refused.last], 'likely');
}

/** The range of a node has no address left, and the node takes more pods than that. */
function matchRange(view: Own): Match | null {
  const full = view.sign('rangeFull');
  const pods =
    view.sign('podsAllowed') ?? view.sign('toldMorePods') ?? view.clusterSign('toldMorePods');
  return full === null || pods === null ? null : found({}, [full.last, pods.last], 'likely');
}

/** Interfaces of others leave fewer addresses; that is eni-limit-reached. */
function matchShortage(view: Own, shortage: AddressShortage): Match | null {
  const { node, instance, budget, attached, typeName, waiting } = shortage;
  const [first] = waiting;
  if (budget === null || first === undefined || shortage.isFull === null) return null;
  if (!shortage.isFull) return clear;
  const maxPods = Number(node.value.capacity['pods'] ?? Number.NaN);
  const fits = podAddresses(budget) + HOST_NETWORK_PODS;
  if (!(maxPods > fits) || attached.foreign.length > 0) return null;
  const held = `${attached.enis} interfaces attached, ${attached.secondary.length} pod addresses`;
  return found({ type: typeName, maxPods: String(maxPods), fits: String(fits) }, [
    view.quote(node, `Node ${node.value.name} status.capacity.pods ${maxPods}`),
    view.quote(instance, `${typeName}: ${arithmeticLine(budget)}; ${held}`),
    view.quote(first, `${waitingWords(first)} (${waiting.length} pods)`),
  ]);
}

export default foreseen(
  judged,
  (plan, group) => {
    const { userData, types } = machineOf(plan, group);
    const cni = plannedCni(plan);
    const maxPods = userData?.value.maxPods ?? null;
    const budgets = types.map((name) => {
      const type = knownType(name, []);
      return type === null || cni === null ? null : eniBudget(type, networkModeOf(cni.value));
    });
    const known = budgets.filter((one) => one !== null);
    const [budget] = known.toSorted((one, other) => podAddresses(one) - podAddresses(other));
    if (userData === null || cni === null || !budget || known.length < budgets.length)
      return NOT_SHOWN;
    const fits = podAddresses(budget) + HOST_NETWORK_PODS;
    if (maxPods === null || maxPods <= fits) return clear;
    // Of several types those may be launched that have room.
    if (known.some((one) => maxPods <= podAddresses(one) + HOST_NETWORK_PODS)) return NOT_SHOWN;
    const type = types[budgets.indexOf(budget)] ?? '';
    return found(
      { machine: group.name, type, maxPods: String(maxPods), fits: String(fits) },
      [
        plan.quote(userData, `user data of ${group.name} sets max-pods ${maxPods}`),
        plan.quote(launchedBy(group), `${type}: ${arithmeticLine(budget)}`),
        plan.quote(cni, `the add-on vpc-cni gives ${budget.addressing} addresses`),
      ],
      'likely',
    );
  },
  {
    summary: ({ planned, type, maxPods, fits }) =>
      `The kubelets of ${planned ?? 'the group'} will accept ${maxPods ?? ''} pods, and the addresses of a ${type ?? 'machine'} are enough for ${fits ?? 'fewer'}; further pods will stay in ContainerCreating.`,
    remedy: ({ fits }) => [
      step(`Take max-pods out of the user data, or set it to ${fits ?? 'what fits'}.`),
      step(
        'Or set ENABLE_PREFIX_DELEGATION = "true" in configuration_values of the add-on vpc-cni.',
      ),
    ],
  },
);
