import { cniVariable, networkModeOf } from '../../../capacity/cni-settings.ts';
import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { networkTrouble } from '../../../domain/nodes/network-trouble.ts';
import type { DaemonSet } from '../../../evidence/kube/workloads.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { plannedCni } from '../../../domain/planned/addons.ts';

/** Custom networking is on, and the ENIConfig that this node asks for does not exist. */
const cause = defineCause({
  id: 'eniconfig-missing',
  stage: 'networked',
  title: 'custom networking is on and no ENIConfig exists for this node',
  scope: 'machine',
  signs: {
    notFound: definite(
      ['ipamd', 'aws-node'],
      /(?:eniconfigs?\.crd\.k8s\.amazonaws\.com|error while retrieving eniconfig:.*) "?(?<eniconfig>[\w.-]+)"? not found/i,
      {
        anchors: [
          'eniconfigs.crd.k8s.amazonaws.com',
          'ENIConfig.crd.k8s.amazonaws.com',
          'eniconfig',
        ],
      },
    ),
    noneForNode: context(
      ['ipamd', 'aws-node'],
      /Failed to get pod ENI config|No ENIConfig could be found for this node|eniconfig: eniconfig is not available/,
    ),
    asked: context(['ipamd', 'aws-node'], /Setting myENI to: (?<eniconfig>[\w.-]+)/),
    known: context(['ipamd', 'aws-node'], /Handle ENIConfig Add\/Update: +(?<known>[\w.-]+),/),
    noEni: context(['ipamd'], /Failed to attach any ENIs for custom networking/),
    configRead: withdraws(['ipamd'], /ipamd: using custom network config: .{0,300}subnet-/i, {
      anchors: [
        'using custom network config',
        'Using custom network config',
        'Found ENI Config Name',
      ],
    }),
    toldByHand: likely(
      ['client-output', 'unknown'],
      /\bENIConfigs?\b.{0,30}\b(?:until|unless|before) (?:we|I|somebody|someone) (?:puts?|creates?d?|adds?|added|apply|applied)\b|\bENIConfigs?\b.{0,80}\b(?:does|do|did)(?: not|n't) exist\b|\b(?:no|without an?y?) ENIConfigs? (?:in the cluster|for (?:the|this|its|our)|yet)\b|\bENIConfigs? (?:that|which) (?:is|are|was|were)(?: not|n't) (?:there|present|defined|created)\b/,
      { isTold: true, anchors: ['ENIConfig'] },
    ),
  },
  needs: ['kube/Node', 'kube/Pod', 'kube/DaemonSet', 'kube/ENIConfig'],
  symptoms: ['sandbox-not-created', 'cni-daemon-silent', 'cni-uninitialized'],
  withdrawnBy: [],
  explains: ['cni-configuration-missing', 'cni-killed-by-own-probes'],
  summary: ({ eniconfig, machine }) =>
    `Custom networking is on and the ENIConfig ${eniconfig ?? 'of this node'} does not exist, so ${machine ?? 'the node'} attaches no interface for pods.`,
  remedy: ({ eniconfig }) => [
    step(
      'See which names nodes ask for and which exist.',
      'kubectl get eniconfigs; kubectl get nodes -L topology.kubernetes.io/zone',
    ),
    step(
      'Create one of that name with the zone’s pod subnet and security groups.',
      `printf 'apiVersion: crd.k8s.amazonaws.com/v1alpha1\\nkind: ENIConfig\\nmetadata: {name: %s}\\nspec: {subnet: <pod-subnet>, securityGroups: [<security-group>]}\\n' ${eniconfig ?? '<zone>'} | kubectl apply -f -`,
    ),
    step(
      'Restart the CNI on the node.',
      'kubectl -n kube-system delete pod -l k8s-app=aws-node --field-selector spec.nodeName=<node>',
    ),
  ],
  decide: step(
    'List the ENIConfigs beside the zones of the nodes.',
    'kubectl get eniconfigs; kubectl get nodes -L topology.kubernetes.io/zone',
  ),
  page: {
    why: 'With AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG=true pods never use the node’s own subnet. The name of the ENIConfig comes from a label or annotation of the Node (ENI_CONFIG_LABEL_DEF, usually the zone), or is “default”.',
    prevent: 'Create one ENIConfig for every zone before turning custom networking on.',
    notThis:
      'An ENIConfig that exists and may not be read is eniconfig-not-readable; a Node label that a webhook refuses is node-webhook-denies-aws-node.',
    alsoKnownAs: [
      'Failed to get pod ENI config',
      'No ENIConfig could be found for this node',
      'eniconfig: eniconfig is not available',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/eniconfig/eniconfig.go',
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/1058',
    ],
  },
});

const judged = matched(cause, matchNames);

type Own = ViewOf<typeof cause>;

function matchNames(view: Own): Match | null {
  return matchLogged(view) ?? matchListed(view);
}

/** Releases before 1.8 list the ENIConfigs that they read, and the one that the node asks for. */
function matchLogged(view: Own): Match | null {
  const [none, asked, known] = [view.sign('noneForNode'), view.sign('asked'), view.sign('known')];
  // With none known, or more than are quoted, nobody can tell whether the one asked for is there.
  if (asked === null || known === null) return null;
  // ipamd reads all that there are at once; of a single one the others may be cut off.
  if (none === null && known.count < 2) return null;
  if (known.quotes.length < known.count) return null;
  const name = asked.last.captures['eniconfig'];
  if (known.quotes.some((quote) => quote.captures['known'] === name)) return null;
  return found(asked.last.captures, [asked.last, none?.last ?? known.last], 'likely');
}

const DEFAULT_KEY = 'k8s.amazonaws.com/eniConfig';

/** The name for which ipamd asks (amazon-vpc-cni-k8s pkg/eniconfig): annotation, label, default. */
function askedName(node: KubeNode, daemonSet: Seen<DaemonSet>): string {
  const label = cniVariable(daemonSet.value, 'ENI_CONFIG_LABEL_DEF') ?? DEFAULT_KEY;
  const annotation = cniVariable(daemonSet.value, 'ENI_CONFIG_ANNOTATION_DEF') ?? DEFAULT_KEY;
  return node.annotations[annotation] ?? node.labels[label] ?? 'default';
}

function matchListed(view: Own): Match | null {
  const daemonSet = view.list('kube/DaemonSet').find(({ value }) => value.name === 'aws-node');
  const node = view.read('kube/Node');
  if (daemonSet === undefined || node.state !== 'seen') return null;
  if (!networkModeOf(daemonSet.value).customNetworking) return null;
  const trouble = networkTrouble(view, 'aws-node');
  if (trouble === null) return null;
  const name = askedName(node.value, daemonSet);
  const configs = view.list('kube/ENIConfig');
  if (configs.some(({ value }) => value.name === name)) return clear;
  if (view.read('kube/ENIConfig').state === 'unknown') return configsUnknown();
  const names = configs.map(({ value }) => value.name).slice(0, 6);
  return found({ eniconfig: name }, [
    view.quote(daemonSet, 'DaemonSet aws-node AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG true'),
    view.quote(
      node,
      `${node.value.name} asks for ENIConfig ${name}; there are: ${names.join(' ')}`,
    ),
    view.quote(trouble.fact, trouble.words),
  ]);
}

function configsUnknown(): Match {
  return cannotSay({
    reason: 'not-collected',
    detail: 'which ENIConfigs there are',
    collect: 'kubectl get eniconfigs',
  });
}

export default foreseen(
  judged,
  (plan, group) => {
    const cni = plannedCni(plan);
    if (cni === null) return NOT_SHOWN;
    if (!networkModeOf(cni.value).customNetworking) return clear;
    const made = plan.list('kube/ENIConfig').length > 0;
    if (made) return clear;
    if (plan.doubtOf('kube/ENIConfig') !== null || group.cluster?.change !== 'create')
      return NOT_SHOWN;
    return found(
      { machine: group.name },
      [
        plan.quote(cni, 'AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG true, eniConfig.create is not'),
        plan.quote(group.fact, `${group.name} is in cluster ${group.clusterName ?? ''}`),
      ],
      'likely',
    );
  },
  {
    summary: ({ planned }) =>
      `Custom networking is on and nothing in this plan makes an ENIConfig, so the machines of ${planned ?? 'the group'} will attach no interface for pods.`,
    remedy: () => [
      step(
        'Set eniConfig.create = true with the region and subnets in configuration_values of the add-on vpc-cni, or make the ENIConfigs before the nodes.',
      ),
    ],
  },
);
