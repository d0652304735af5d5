import {
  instanceOfNode,
  isEksNode,
  runningController,
  waitsForController,
} from '../../../domain/naming/seen-names.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import type { Instance, LaunchTemplateVersion } from '../../../evidence/aws/instance.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import type { AutoScalingGroup } from '../../../evidence/aws/groups.ts';

/** The AWS provider cannot tell from the tags to which cluster the machine belongs. */
const cause = defineCause({
  id: 'cluster-tag-missing-or-contradictory',
  stage: 'identified',
  title: 'the cluster tag of the instance is missing, doubled or contradictory',
  scope: 'machine',
  signs: {
    noClusterId: definite(
      ['cloud-controller', 'controller-manager', 'kubelet', 'kube-apiserver'],
      /AWS cloud failed to find ClusterID|no ClusterID [Ff]ound/,
    ),
    // Pasted terminals cut this line after its first word.
    contextNotBuilt: likely(
      ['controller-manager'],
      /error building controller context: no(?: ClusterID|\s*$)/,
    ),
    severalTags: definite(
      ['cloud-controller', 'controller-manager', 'kubelet', 'kube-apiserver'],
      /Found multiple cluster tags with prefix kubernetes\.io\/cluster\/ \((?<first>[^ )]+) and (?<second>[^ )]+)\)|Found multiple cluster tags with prefix kubernetes\.io\/cluster\/|Found multiple KubernetesCluster tags \((?<first2>[^ )]+) and (?<second2>[^ )]+)\)/,
    ),
    tagsDiffer: definite(
      ['cloud-controller', 'controller-manager', 'kubelet', 'kube-apiserver'],
      /clusterID tags did not match: "?(?<first>[^" ]+)"? vs "?(?<second>[^" ]+)|clusterID tags did not match/,
    ),
    tagNotFound: context(
      ['cloud-controller', 'controller-manager', 'kubelet', 'kube-apiserver'],
      /Tag "KubernetesCluster" nor "kubernetes\.io\/cluster\/\.\.\." not found|no clusterID filtering applied|detected a cluster without a ClusterID|has tag belonging to another cluster/,
    ),
    // On subnets and security groups the tag tells load balancers where to go.
    toldUntagged: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:[Ii]nstances?|[Nn]odes?|EC2|[Mm]achines?|[Ww]orkers?)\b(?: \w+){0,3}? (?:missing|without|lack(?:s|ed|ing)?|(?:did|do|does)(?: not|n't) have|had no|have no|has no)\b.{0,40}\bkubernetes\.io\/cluster\/|\b(?:[Mm]issing|[Ww]ithout|[Ff]orgot)\b.{0,40}\bkubernetes\.io\/cluster\/\S{1,100}.{0,40}\bon (?:\w+ ){0,3}(?:instances?|nodes?|machines?|workers?)\b|\btag\b.{0,6}\bkubernetes\.io\/cluster\/\S{1,100} (?:was|is|were) (?:missing|absent|not (?:set|there|present))\b.{0,10}\b(?:on|from|in) (?:\w+ ){0,3}(?:instances?|nodes?|machines?|workers?)\b/,
      { isTold: true, anchors: ['kubernetes.io/cluster/'] },
    ),
  },
  needs: ['kube/Node', 'aws/instance', 'kube/DaemonSet', 'kube/Deployment'],
  symptoms: ['node-uninitialized'],
  explains: [
    'instance-not-found-by-kubelet',
    'no-cloud-controller-manager',
    'ccm-cannot-initialize-node',
    'untagged-instance-filtered-out',
  ],
  summary: ({ first, second, untagged, node }) =>
    untagged !== undefined
      ? `The instance ${untagged} of the Node ${node ?? ''} has no tag kubernetes.io/cluster/…, by which the cloud controller narrows what it asks EC2; it finds no instance and leaves the Node uninitialized.`
      : first === undefined || second === undefined
        ? 'The AWS provider finds no cluster tag on its instance, exits, and leaves every new node without a cloud identity.'
        : `The instance carries the tags of two clusters (${first} and ${second}), so the AWS provider exits and leaves every new node without a cloud identity.`,
  remedy: ({ second, untagged }) => [
    {
      text: 'Tag the instance, its subnets and its security group with exactly one cluster.',
      command:
        untagged === undefined
          ? 'aws ec2 create-tags --resources <instance> <subnet> <security-group> --tags Key=kubernetes.io/cluster/<cluster>,Value=owned'
          : `aws ec2 create-tags --resources ${untagged} --tags Key=kubernetes.io/cluster/<cluster>,Value=owned`,
    },
    step(
      'Take a second cluster’s tag away.',
      `aws ec2 delete-tags --resources <instance> --tags Key=kubernetes.io/cluster/${second ?? '<other-cluster>'}`,
    ),
  ],
  decide: step(
    'List the cluster tags of the instance.',
    'aws ec2 describe-tags --filters Name=resource-id,Values=<instance> --query "Tags[?starts_with(Key,\'kubernetes.io/cluster/\')]"',
  ),
  page: {
    why: 'The AWS provider tells its own resources from other clusters’ by the tag kubernetes.io/cluster/<name> (formerly KubernetesCluster). Without one, or with two, it refuses to start rather than touch foreign instances.',
    prevent:
      'Tag at launch: launch template tag specifications, or tags of the Auto Scaling group that propagate.',
    notThis:
      'A kubelet that only warns and continues, on an instance that has the tag now, is cluster-tag-late.',
    alsoKnownAs: [
      'AWS cloud failed to find ClusterID',
      'Tag "KubernetesCluster" nor "kubernetes.io/cluster/..." not found',
    ],
    refs: [
      'https://github.com/kubernetes/cloud-provider-aws/blob/HEAD/pkg/providers/v1/tags.go',
      'https://github.com/kubernetes/kubernetes/issues/28519',
    ],
  },
});

const judged = matched(cause, (view) => matchWarning(view) ?? matchUntagged(view));

type Own = ViewOf<typeof cause>;

function matchWarning(view: Own): Match | null {
  const warned = view.sign('tagNotFound');
  const decided = ['noClusterId', 'contextNotBuilt', 'severalTags', 'tagsDiffer'] as const;
  if (warned === null || view.anySign(...decided)) return null;
  const [instance, ...others] = view.list('aws/instance');
  // Without a name in the log only a single described instance can be the one meant.
  if (instance === undefined || others.length > 0) return null;
  const keys = (instance.value.Tags ?? []).map((tag) => tag.Key ?? '');
  const isTagged = keys.some(
    (key) => key === 'KubernetesCluster' || key.startsWith('kubernetes.io/cluster/'),
  );
  const tags = `instance tags: ${keys.join(', ') || 'none'}`;
  return isTagged ? null : found({}, [warned.first, view.quote(instance, tags)]);
}

function keysOf(instance: Instance): readonly string[] {
  return (instance.Tags ?? []).map((tag) => tag.Key ?? '');
}

function isClusterTag(key: string): boolean {
  return key === 'KubernetesCluster' || key.startsWith('kubernetes.io/cluster/');
}

/** A waiting Node of the right name without providerID, whose running instance lacks the tag. */
function matchUntagged(view: Own): Match | null {
  const node = view
    .list('kube/Node')
    .find(({ value }) => waitsForController(value, view) && value.providerId === null);
  const workloads = [...view.list('kube/DaemonSet'), ...view.list('kube/Deployment')];
  if (node === undefined || isEksNode(node.value) || runningController(workloads) === null)
    return null;
  const instance = instanceOfNode(node.value, view.list('aws/instance'));
  if (instance === null || instance.value.PrivateDnsName !== node.value.name) return null;
  const keys = keysOf(instance.value);
  if (keys.some(isClusterTag)) return null;
  const untagged = instance.value.InstanceId ?? '';
  return found({ untagged, node: node.value.name }, [
    view.quote(node, `Node ${node.value.name} has no spec.providerID and stays uninitialized`),
    view.quote(
      instance,
      `${untagged} PrivateDnsName ${node.value.name}, tags: ${keys.join(', ') || 'none'}`,
    ),
  ]);
}

/** Tags of the machines of a group, by the group itself or by its template. */
function plannedKeys(
  group: AutoScalingGroup,
  version: LaunchTemplateVersion | undefined,
): readonly string[] {
  const specified = (version?.LaunchTemplateData?.TagSpecifications ?? [])
    .filter(({ ResourceType: type }) => type === 'instance')
    .flatMap(({ Tags: tags }) => tags ?? []);
  return [...(group.Tags ?? []), ...specified]
    .map(({ Key: key }) => key ?? '')
    .filter(isClusterTag);
}

export default foreseen(
  judged,
  (plan, group) => {
    if (group.kind !== 'AutoScalingGroup') return null;
    const value = group.fact.value as AutoScalingGroup;
    if ((value.Tags ?? null) === null || group.cluster?.change !== 'create') return NOT_SHOWN;
    const [first, second] = new Set(plannedKeys(value, group.template?.value));
    if (first !== undefined && second === undefined) return clear;
    const tags =
      first === undefined ? 'no tag kubernetes.io/cluster/…' : `tags ${first} and ${second ?? ''}`;
    return found(
      first === undefined ? { untagged: group.name } : { first, second: second ?? '' },
      [
        plan.quote(group.fact, `${group.name} has ${tags}`),
        plan.quote(group.cluster, `cluster ${group.clusterName ?? ''}`),
      ],
      'likely',
    );
  },
  {
    summary: ({ first, second, cluster, planned }) =>
      first === undefined
        ? `The machines of ${planned ?? 'the group'} get no tag kubernetes.io/cluster/${cluster ?? ''}, by which the cloud controller finds its instances; it will leave their Nodes uninitialized.`
        : `The machines of ${planned ?? 'the group'} get the tags of two clusters (${first} and ${second ?? ''}); the AWS provider takes an instance for one cluster only.`,
    remedy: ({ cluster }) => [
      step(
        `Give the aws_autoscaling_group one tag kubernetes.io/cluster/${cluster ?? '<cluster>'} = "owned" with propagate_at_launch = true.`,
      ),
    ],
  },
);
