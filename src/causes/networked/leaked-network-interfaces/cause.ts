import { interfaceOf, type OwnedInterface } from '../../../domain/network/interfaces.ts';
import { leaksOf } from '../../../capacity/leaks.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { placeOf, waitingPods, waitingWords } from '../../../domain/pods/pods-seen.ts';
import type { Instance, NetworkInterface } from '../../../evidence/aws/instance.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import type { Subnet } from '../../../evidence/aws/network.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import type { Timed } from '../../../evidence/time.ts';

/** Interfaces that the CNI made stay behind unattached and hold addresses of the subnet. */
const cause = defineCause({
  id: 'leaked-network-interfaces',
  stage: 'networked',
  title: 'network interfaces left behind by instances eat the subnet',
  scope: 'cluster',
  signs: {
    notRemoved: context(
      ['ipamd', 'aws-node'],
      /Failed to clean up leaked ENI (?<eni>eni-[0-9a-f]+)|Unable to get leaked ENIs/,
    ),
    notDetached: context(
      ['ipamd', 'aws-node'],
      /unable to detach ENI from EC2 instance, giving up/,
    ),
    staysBehind: context(
      ['ipamd', 'aws-node'],
      /Primary ENI will not get deleted when node terminates|Failed to delete newly created untagged ENI|Failed to free ENI eni-/,
    ),
    describedFree: likely(
      ['client-output', 'unknown'],
      /\binterfaces?\b.{0,60}\b(?:status|state) (?:of )?[\x22'`]?available\b.{0,60}\baws-[Kk]8[Ss]-i-[.…x*<]|\binterfaces?\b.{0,60}\bstatus "?available"?.{0,60}\baws-[Kk]8[Ss]-(?<instance>i-[0-9a-f]{8,17})|\baws-[Kk]8[Ss]-(?<instance2>i-[0-9a-f]{8,17})\b.{0,80}\b(?:terminated|does not exist any more|no longer exists)\b/,
      { isTold: true, anchors: ['aws-K8S-i-', 'aws-k8s-i-'] },
    ),
    toldLeaked: likely(
      ['client-output', 'unknown'],
      /\b(?:[Oo]rphaned|[Ll]eaked|[Dd]angling|[Ll]eftover|[Uu]nattached) (?:ENIs?|(?:elastic )?network interfaces)\b|\b\d{2,5} (?:available|unused|detached|unattached) ENI/,
      {
        isTold: true,
        anchors: [
          'rphaned ',
          'eaked ENI',
          'eaked network',
          'eaked elastic',
          'angling ',
          'eftover ',
          'nattached ',
          'available ENI',
          'unused ENI',
          'detached ENI',
        ],
      },
    ),
    toldHundreds: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:[Hh]undreds|[Dd]ozens|[Tt]housands|[Mm]any|[Ll]ots|[Tt]ons|\d{2,5}) (?:of )?(?:\w+ ){0,2}?(?:ENIs?|network interfaces)\b.{0,40}\b(?:(?:in |state |status |the )+["'`]?available\b|unattached|detached|orphaned|not attached|left (?:behind|over))/,
      {
        isTold: true,
        anchors: [
          'available',
          'unattached',
          'detached',
          'orphaned',
          'not attached',
          'left behind',
          'network interfaces',
        ],
      },
    ),
    instanceGone: context(
      ['aws-message', 'client-output', 'unknown'],
      /\(InvalidInstanceID\.NotFound\).{0,120}[Ii]nstance IDs? '(?<gone>i-[0-9a-f]{8,17})/,
    ),
    heldBySomething: context(
      ['terraform', 'client-output', 'aws-message'],
      /The subnet '(?<subnet>subnet-[0-9a-f]{8,17})' has dependencies and cannot be deleted/,
    ),
    toldKept: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:ENIs?|[Nn]etwork interfaces)\b.{0,60}\b(?:are|is|were|was|get|got) (?:NOT|not|never) (?:being |getting )?(?:deleted|released|cleaned up|removed|freed)\b|\b(?:ipamd|IPAMD|ipamD|IPAM|CNI|aws-node)\b.{0,40}\b(?:does not|doesn't|did not|didn't|never|fails to|failed to) (?:delete|release|clean up|remove|free)s? (?:the |its |old |its old |unused )?(?:ENIs?|[Nn]etwork interfaces)\b|\bENIs?\b.{0,120}(?:\b(?:ipamd|IPAMD|CNI|aws-node)\b.{0,20}(?:\b(?:does not|did not|never)|n't) (?:delete|release|clean up|remove|free)s?|\b(?:nobody|nothing) (?:ever )?(?:deletes|releases|cleans up|removes|frees)) (?:them|these|those)\b|\bENIs? (?:remain|linger|are left)\b.{0,60}\b(?:available|behind|after)\b|\b[Dd]elet(?:ing|ed) (?:the |all |old )?["'`]?[Aa]vailable["'`]? (?:ENIs?|network interfaces)\b/,
      {
        isTold: true,
        anchors: [
          'eleted',
          'eleased',
          'leaned up',
          'emoved',
          ' freed',
          ' delete',
          ' release',
          ' clean',
          ' remove',
          ' free ',
          ' frees ',
          'vailable',
          'network interfaces',
          ' remain',
          ' linger',
          ' are left',
        ],
      },
    ),
  },
  needs: ['aws/network-interface', 'aws/instance', 'aws/subnet', 'aws/cluster', 'kube/Pod'],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['subnet-out-of-pod-addresses', 'network-interface-quota-reached'],
  summary: ({ count, owner, addresses, subnet }) =>
    subnet !== undefined
      ? `${count ?? 'Several'} unattached interfaces of the CNI (made for ${owner ?? 'instances'}, which is gone, and others) hold ${addresses ?? 'many'} addresses of the full subnet ${subnet}, so pods there get none.`
      : `${count ?? 'Several'} unattached interfaces of the CNI (of ${owner ?? 'instances that are gone'} and others) hold addresses that no pod can use.`,
  remedy: ({ owner }) => [
    step(
      'List them with the instance that made them, and see that it is gone.',
      "aws ec2 describe-network-interfaces --filters Name=status,Values=available Name=tag-key,Values=node.k8s.amazonaws.com/instance_id --query 'NetworkInterfaces[].[NetworkInterfaceId,SubnetId,Description]' --output text",
    ),
    step(
      'Delete those whose instance no longer exists.',
      `aws ec2 describe-network-interfaces --filters Name=status,Values=available 'Name=description,Values=aws-K8S-${owner ?? '<instance-that-is-gone>'}' --query 'NetworkInterfaces[].NetworkInterfaceId' --output text | xargs -n1 aws ec2 delete-network-interface --network-interface-id`,
    ),
    step(
      'Update the CNI, whose later releases clean up by themselves, and drain nodes before terminating them.',
    ),
  ],
  decide: step(
    'Count unattached interfaces that the CNI made.',
    "aws ec2 describe-network-interfaces --filters Name=status,Values=available 'Name=description,Values=aws-K8S-*' --query 'length(NetworkInterfaces)'",
  ),
  page: {
    why: 'An instance that is terminated between creating and attaching an interface, or while it detaches one, leaves it behind in state available.',
    prevent:
      'A current CNI (its cleanup needs ec2:DescribeNetworkInterfaces and ec2:DeleteNetworkInterface) and draining before termination.',
    notThis:
      'One unattached interface of a living instance is being attached. “Found n leaked ENIs” in the log is the cleanup doing its work.',
    alsoKnownAs: ['leaked ENIs', 'aws-K8S-i- available'],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/69',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/awsutils/awsutils.go',
    ],
  },
});

export default matched(cause, matchLeaks);

type Own = ViewOf<typeof cause>;

const LEAKED_MIN = 5;

function matchLeaks(view: Own): Match | null {
  const { nowMs } = view;
  return nowMs === null ? matchUnattached(view) : matchFullSubnet(view, nowMs);
}

/** Interfaces of this cluster, or of nobody's, whose instance is not among those that live. */
function leakedOf(view: Own, nowMs: number): readonly OwnedInterface[] {
  const cluster = view.read('aws/cluster');
  const name = cluster.state === 'seen' ? (cluster.value.name ?? null) : null;
  const states = new Map(
    view.list('aws/instance').map(({ value }) => [value.InstanceId ?? '', value.State?.Name ?? '']),
  );
  const interfaces = view
    .list('aws/network-interface')
    .map(({ value }) => interfaceOf(value))
    .filter((network) => network !== null)
    .filter((network) => network.cluster !== null && network.cluster === name);
  const { leaked } = leaksOf(interfaces, { states, isComplete: states.size > 0 }, nowMs);
  return leaked.filter(({ verdict }) => verdict === 'leaked').map(({ network }) => network);
}

/** They matter where pods wait and the subnet that they lie in has less than these need. */
function matchFullSubnet(view: Own, nowMs: number): Match | null {
  const leaked = leakedOf(view, nowMs);
  if (leaked.length === 0) return clear;
  const waiting = waitingAnywhere(view.list('kube/Pod'), view);
  const [first] = waiting;
  if (first === undefined) return clear;
  for (const subnet of view.list('aws/subnet')) {
    const id = subnet.value.SubnetId ?? '';
    const free = subnet.value.AvailableIpAddressCount ?? Number.NaN;
    const inside = leaked.filter((network) => network.subnetId === id);
    if (inside.length > 0 && free < waiting.length) return foundIn(view, subnet, inside, first);
  }
  return null;
}

function waitingAnywhere(pods: readonly Seen<Pod>[], time: Timed): readonly Seen<Pod>[] {
  return pods.filter((pod) => waitingPods([pod], placeOf(pod), time).length > 0);
}

function foundIn(
  view: Own,
  subnet: Seen<Subnet>,
  inside: readonly OwnedInterface[],
  waiting: Seen<Pod>,
): Match {
  const [first] = inside;
  const id = subnet.value.SubnetId ?? '';
  const free = subnet.value.AvailableIpAddressCount ?? '';
  const addresses = inside.reduce((sum, network) => sum + network.addresses, 0);
  const ids = inside.slice(0, 3).map((network) => network.id);
  const owner = first?.instanceId ?? 'an instance';
  const details = { count: String(inside.length), owner, addresses: String(addresses), subnet: id };
  return found(details, [
    view.quote(subnet, `${ids.join(' ')} available in ${id}, aws-K8S-${owner}, which is gone`),
    view.quote(subnet, `${id} AvailableIpAddressCount ${free}`),
    view.quote(waiting, waitingWords(waiting)),
  ]);
}

/** ipamd attaches one interface at a time, so two unattached ones of an instance are left over. */
function matchUnattached(view: Own): Match | null {
  const left = view.list('aws/network-interface').filter((entry) => ownerOf(entry.value) !== null);
  const owners = left.map((entry) => ownerOf(entry.value) ?? '');
  const twice = owners.find((owner, index) => owners.indexOf(owner) !== index);
  const gone = goneInstance(view, owners);
  const owner = twice ?? gone?.owner;
  const [first] = left;
  if (first === undefined || (owner === undefined && left.length < LEAKED_MIN)) return null;
  const quotes = left
    .slice(0, 4)
    .map((entry, index) =>
      view.quote(
        entry,
        `NetworkInterface ${entry.value.NetworkInterfaceId ?? ''} available, aws-K8S-${owners[index] ?? ''}`,
      ),
    );
  const proof = gone === null ? quotes : [...quotes, gone.proof];
  return found({ count: String(left.length), owner: owner ?? owners[0] ?? '' }, proof, 'likely');
}

/** An owner that EC2 does not know any more, or shows as terminated. */
function goneInstance(
  view: Own,
  owners: readonly string[],
): { readonly owner: string; readonly proof: Quote } | null {
  const refused = view.sign('instanceGone')?.last ?? view.clusterSign('instanceGone')?.last;
  const named = refused?.captures['gone'];
  if (refused !== undefined && named !== undefined && owners.includes(named))
    return { owner: named, proof: refused };
  const ended = view
    .list('aws/instance')
    .find(({ value }) => isEnded(value) && owners.includes(value.InstanceId ?? ''));
  if (ended === undefined) return null;
  const owner = ended.value.InstanceId ?? '';
  return { owner, proof: view.quote(ended, `${owner} ${ended.value.State?.Name ?? ''}`) };
}

function isEnded({ State }: Instance): boolean {
  return State?.Name === 'terminated';
}

function ownerOf(item: NetworkInterface): string | null {
  if (item.Status !== 'available') return null;
  return /^aws-K8S-(i-[0-9a-f]+)$/.exec(item.Description ?? '')?.[1] ?? null;
}
