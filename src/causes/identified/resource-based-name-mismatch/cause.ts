import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { likely } from '../../../diagnosis/sign.ts';
import { refusedName, wordsOfRefused } from '../../../domain/naming/seen-names.ts';
import {
  INITIALISED,
  isSessionName,
  OF_EKS,
  REFUSED_NAMES,
} from '../../../diagnosis/name-signs.ts';
import { instanceIdIn, ipInName } from '../../../evidence/names.ts';
import type { Quote } from '../../../evidence/sighting.ts';

/** One component calls the machine i-…, another ip-… or with a domain. */
const cause = defineCause({
  id: 'resource-based-name-mismatch',
  stage: 'identified',
  title: 'a resource-based (i-…) host name that one of the components does not expect',
  scope: 'machine',
  signs: {
    ...REFUSED_NAMES,
    ...OF_EKS,
    notFoundByResourceName: likely(
      ['cloud-controller', 'controller-manager'],
      /failed to get (?:provider ID|instance metadata) for node (?<node>i-[0-9a-f]{8,17}(?:\.[a-z0-9.-]+)?)(?![\w.-]).*instance not found/,
    ),
    // Older controllers take every name that begins with i- for an instance id.
    takenForId: likely(
      ['cloud-controller', 'controller-manager'],
      /(?:node |NodeName failed for \\*")(?<node>i-[0-9a-f]{8,17}\.[a-z0-9.-]*[a-z0-9])\b.*InvalidInstanceID\.Malformed/,
    ),
    ...INITIALISED,
  },
  needs: ['kube/Node', 'aws/instance', 'kube/DaemonSet', 'kube/Deployment', 'kube/Pod'],
  symptoms: ['instance-not-found', 'node-forbidden', 'node-uninitialized'],
  explains: [
    'instance-not-found-by-kubelet',
    'kubelet-serving-certificate-missing',
    'lease-or-csinode-publishing-failed',
    'ccm-cannot-initialize-node',
  ],
  summary: ({ node, credential, ec2Name, instance }) =>
    ec2Name !== undefined
      ? `The Node is called ${node ?? ''}, but EC2 calls ${instance ?? 'the instance'} ${ec2Name}: one is the resource-based name, the other is not, and the cloud controller leaves the Node uninitialized.`
      : credential === undefined
        ? `The cloud controller finds no instance for the Node ${node ?? 'i-…'}, which has the resource-based name; the Node stays uninitialised.`
        : `The kubelet registers as ${node ?? 'one name'} but its credential is for ${credential}: one side uses the resource-based name, the other does not, and the API server refuses it.`,
  remedy: ({ subnet }) => [
    step(
      'Use IP names in the subnet (new instances only), then replace the machines.',
      `aws ec2 modify-subnet-attribute --subnet-id ${subnet ?? '<subnet>'} --private-dns-hostname-type-on-launch ip-name`,
    ),
    step(
      'Or let all parts use the name that EC2 has: a machine image that overrides the host name with it, and a cloud controller that knows resource names.',
      'aws ec2 describe-instances --instance-ids <instance> --query "Reservations[].Instances[].[PrivateDnsName,PrivateDnsNameOptions.HostnameType]"',
    ),
  ],
  decide: step(
    'See which kind of name the subnet gives and which the kubelet uses.',
    'aws ec2 describe-instances --instance-ids <instance> --query "Reservations[].Instances[].[PrivateDnsName,PrivateDnsNameOptions.HostnameType]"; hostname -f',
  ),
  page: {
    why: 'Subnets can name instances after their id (i-….<region>.compute.internal) instead of their address. The IAM mapping, the kubelet, the cloud controller and Karpenter each derive a name, and older ones know addresses only.',
    prevent:
      'Keep ip-name on subnets with nodes, unless every component is known to support resource names.',
    notThis:
      'Here the host parts differ. Equal host parts with another domain are foreign-dhcp-domain-name, without domain hostname-without-domain. Also a mapping with {{SessionName}} where {{EC2PrivateDNSName}} belongs gives a credential i-….',
    refs: [
      'https://github.com/kubernetes/cloud-provider-aws/issues/285',
      'https://github.com/kubernetes/cloud-provider-aws/blob/HEAD/docs/prerequisites.md',
    ],
  },
});

export default matched(cause, (view) => matchNames(view) ?? matchFacts(view));

type Own = ViewOf<typeof cause>;

/** The objects alone: a waiting Node, and the other kind of name in EC2. */
function matchFacts(view: Own): Match | null {
  const refused = refusedName({
    nodes: view.list('kube/Node'),
    instances: view.list('aws/instance'),
    workloads: [...view.list('kube/DaemonSet'), ...view.list('kube/Deployment')],
    pods: view.everywhere('kube/Pod'),
    time: view,
  });
  if (refused?.difference !== 'resource-name') return null;
  const { node, instance, instanceId, ec2Name } = refused;
  const [ofNode, ofInstance] = wordsOfRefused(refused);
  const type = instance.value.PrivateDnsNameOptions?.HostnameType ?? null;
  const subnet = instance.value.SubnetId ?? null;
  const words = type === null ? ofInstance : `${ofInstance} HostnameType ${type}`;
  const names = { node: node.value.name, instance: instanceId, ec2Name };
  return found({ ...names, ...(subnet === null ? {} : { subnet }) }, [
    view.quote(node, ofNode),
    view.quote(instance, words),
  ]);
}

function matchNames(view: Own): Match | null {
  const refused = (['refusedName', 'refusedObject', 'refusedInLog'] as const).flatMap(
    (name) => view.sign(name)?.quotes ?? [],
  );
  const quotes = refused.filter(isResourceName);
  const [first] = quotes;
  if (first === undefined) return refused.length === 0 ? null : clear;
  const { credential = '', node = '' } = first.captures;
  if (!isSessionName(credential, node)) return found(first.captures, quotes);
  // On EKS the credential has the name that the IAM mapping gives, and no other reason.
  const isEks =
    view.sign('onEks') ?? view.clusterSign('onEks') ?? view.clusterSign('onBottlerocket');
  return isEks === null ? found(first.captures, quotes, 'likely') : clear;
}

/** An instance id against an address, or against the same id with a domain. */
function isResourceName(quote: Quote): boolean {
  const { credential = '', node = '' } = quote.captures;
  const [left, right] = [instanceIdIn(credential), instanceIdIn(node)];
  if (left !== null && right !== null) return left === right && credential !== node;
  return (
    (left !== null && ipInName(node) !== null) || (right !== null && ipInName(credential) !== null)
  );
}
