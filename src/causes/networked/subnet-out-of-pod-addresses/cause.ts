import {
  type AddressShortage,
  addressShortage,
  SHORTAGE_KINDS,
} from '../../../capacity/address-shortage.ts';
import { PREFIX_ADDRESSES } from '../../../capacity/eni.ts';
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
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { waitingWords } from '../../../domain/pods/pods-seen.ts';
import type { Subnet } from '../../../evidence/aws/network.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { machineOf } from '../../../domain/planned/machine.ts';
import { plannedCni } from '../../../domain/planned/addons.ts';
import { networkModeOf } from '../../../capacity/cni-settings.ts';
import { prefixRoom } from '../../../capacity/planned.ts';

/** A running node asks its subnet for pod addresses, and the subnet has none left. */
const cause = defineCause({
  id: 'subnet-out-of-pod-addresses',
  stage: 'networked',
  title: 'the subnet has no free address for pods',
  scope: 'machine',
  signs: {
    refusedByEc2: definite(
      ['ipamd', 'aws-node', 'cni-plugin', 'cilium'],
      /InsufficientFreeAddressesInSubnet(?:.*?(?<subnet>subnet-[0-9a-f]+))?/,
    ),
    notEnough: likely(
      ['ipamd', 'aws-node'],
      /(?<subnet>subnet-[0-9a-f]+)? ?subnet doesn't seem to have enough IPs/,
    ),
    noAddresses: likely(['event', 'node-status'], /\bIPAMDNoIPs\b/),
    sandboxWithout: context(['event'], /failed to assign an IP address to container/),
    prefixMode: context(
      ['ipamd'],
      /Prefix target is|Prefix pool stats|IPv4 Prefixes on ENI|InsufficientCidrBlocks/,
    ),
    assigned: withdraws(
      ['ipamd'],
      /[Ss]uccessfully increased IP [Pp]ool|Created a new (?:ENI|eni): eni-|Successfully created and attached a new ENI/,
    ),
    // What `describe-subnets --query` prints, whatever the reader called the count.
    fewFree: context(
      ['client-output', 'aws-message'],
      /"(?:Available|available)\w{0,30}": ?"?(?<free>\d)\b|\b(?<subnet>subnet-[0-9a-z]{8,17})\b[\s|"',]{1,40}(?:(?:[a-z]{2}(?:-[a-z]{2,9}){1,3}-\d[a-z]|[\d.]{7,15}\/\d\d)[\s|"',]{1,40}){0,2}(?<free2>\d)[\s|]{0,40}$/,
      { anchors: ['Available', 'available', 'subnet-'] },
    ),
    manyFree: context(
      ['client-output', 'aws-message'],
      /"(?:Available|available)\w{0,30}": ?"?\d{2,6}\b|\bsubnet-[0-9a-z]{8,17}\b[\s|"',]{1,40}(?:(?:[a-z]{2}(?:-[a-z]{2,9}){1,3}-\d[a-z]|[\d.]{7,15}\/\d\d)[\s|"',]{1,40}){0,2}\d{2,6}[\s|]{0,40}$/,
      { anchors: ['Available', 'available', 'subnet-'] },
    ),
    nothingFree: context(
      ['ipamd', 'aws-node', 'cilium', 'event'],
      /no available IP addresses|failed to allocate ipv4 address for node \S+ from pool/,
    ),
    refusedInWords: likely(
      ['ipamd', 'aws-node', 'cni-plugin', 'cilium', 'event'],
      /[Tt]he specified subnet does not have enough free addresses/,
    ),
    toldUsedUp: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:ran|run|running|runs) out of (?:free |available |private |pod )?(?:IPs?|ips?|addresses|IP addresses)\b.{0,40}\bsubnets?\b(?!.{0,100}\b(?:launch|instance|machine))|\bsubnets?\b.{0,40}\b(?:ran|running|is|are|was|were) out of (?:free |available |private |pod )?(?:IPs?|ips?|addresses|IP addresses)\b(?!.{0,100}\b(?:launch|instance|machine))|\bsubnets?\b.{0,30}\b(?:has|have|had) no (?:more |free |available |left ){0,2}(?:IPs?|ips?|addresses)\b(?!.{0,100}\b(?:launch|instance|machine))|\bsubnets?\b.{0,30}\b(?:IPs?|addresses) (?:was|were|is|are) (?:exhausted|used up)(?!.{0,100}\b(?:launch|instance|machine))/,
      { isTold: true, anchors: ['subnet'] },
    ),
    toldZero: likely(
      ['client-output', 'unknown', 'terraform'],
      /\bsubnets?\b.{0,40}\b(?:has|have|had|with|shows?|only)\b.{0,12}\b(?:0|zero|no|1|2|3)\b (?:free |available |left |remaining |more )*(?:IPs?|ips?|addresses|IPv4 addresses|IP addresses)\b(?!.{0,100}\b(?:launch|instance|machine))/,
      { isTold: true, anchors: ['subnet'] },
    ),
  },
  needs: [...SHORTAGE_KINDS, 'aws/subnet', 'kube/ENIConfig'],
  symptoms: ['sandbox-not-created', 'cni-daemon-silent'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['cni-configuration-missing', 'no-usable-subnet-discovered', 'allocatable-too-small'],
  summary: ({ subnet, range, free, machine }) =>
    sentence`The subnet ${subnet}${phrase` (${range})`} of ${machine ?? 'the machine'} has ${free === undefined || free === '0' ? 'no free address' : `only ${free} free addresses`}, so new pods stay in ContainerCreating.`,
  remedy: ({ subnet }) => [
    step(
      'See how many addresses are left, and who holds them.',
      `aws ec2 describe-subnets --subnet-ids ${subnet ?? '<subnet>'} --query Subnets[].[SubnetId,CidrBlock,AvailableIpAddressCount]`,
    ),
    step(
      'Give pods more room: a second CIDR (100.64.0.0/10) with subnets tagged for the CNI.',
      'aws ec2 create-tags --resources <new-subnet> --tags Key=kubernetes.io/role/cni,Value=1',
    ),
    step(
      'At once: hold fewer spare addresses on each node.',
      'kubectl -n kube-system set env daemonset/aws-node WARM_IP_TARGET=2 MINIMUM_IP_TARGET=10',
    ),
  ],
  decide: step(
    'Read why ipamd gets no address.',
    "sudo grep -E 'InsufficientFreeAddresses|InsufficientCidrBlocks|not authorized|LimitExceeded|unknown instance type' /var/log/aws-routed-eni/ipamd.log | tail -n 20",
  ),
  page: {
    why: 'The VPC CNI takes pod addresses from the node’s subnet and keeps a warm stock on every node. Small subnets, many nodes or interfaces left behind by terminated instances use it up.',
    prevent: 'Size subnets by pods, not by nodes.',
    notThis:
      'The sandbox event is the same for every cause that starves ipamd; only its log tells them apart. Free addresses with InsufficientCidrBlocks is subnet-without-contiguous-prefix; many interfaces in state available is leaked-network-interfaces; an instance that is full is eni-limit-reached.',
    alsoKnownAs: [
      'failed to assign an IP address to container',
      'InsufficientFreeAddressesInSubnet',
    ],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/ipamd/ipamd.go',
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/872',
    ],
  },
});

const judged = matched(cause, matchShortage);

type Own = ViewOf<typeof cause>;

/** With prefixes the words "not enough IPs/Prefixes" fit a fragmented subnet just as well. */
function matchShortage(view: Own): Match | null {
  const named = view.sign('refusedByEc2') ?? view.sign('noAddresses');
  if (named !== null) return null;
  const shortage = addressShortage(view, view.sign('sandboxWithout') !== null);
  if (shortage !== null) return matchSubnet(view, shortage);
  const told = matchCount(view) ?? matchChosen(view);
  if (told !== null) return told;
  if (view.sign('notEnough') === null || view.sign('prefixMode') === null) return null;
  return cannotSay({
    reason: 'not-collected',
    detail: 'what EC2 answered: a full subnet or one without a whole /28',
    collect:
      'sudo grep -E "InsufficientFreeAddresses|InsufficientCidrBlocks" /var/log/aws-routed-eni/ipamd.log',
  });
}

/** Pods without an address, and a count of free addresses that is small in every subnet shown. */
function matchCount(view: Own): Match | null {
  const [without, few] = [view.sign('sandboxWithout'), view.sign('fewFree')];
  if (without === null || few === null || view.sign('manyFree') !== null) return null;
  const { subnet, free, free2 } = few.last.captures;
  const named = subnet === undefined ? {} : { subnet };
  return found({ ...named, free: free ?? free2 ?? '0' }, [without.first, few.last], 'likely');
}

/** Pods without an address, and nobody shows a subnet but full ones. */
function matchChosen(view: Own): Match | null {
  const without = view.sign('sandboxWithout') ?? view.clusterSign('sandboxWithout');
  const [first, ...others] = view.everywhere('aws/subnet');
  if (view.isLive || without === null || first === undefined) return null;
  const isFull = ({ value }: Seen<Subnet>): boolean => value.AvailableIpAddressCount === 0;
  if (view.sign('manyFree') !== null || ![first, ...others].every(isFull)) return null;
  return found(
    detailsOf(first, 0),
    [without.first, view.quote(first, wordsOf(first, 0))],
    'likely',
  );
}

/** An instance that has no slot left asks EC2 for nothing, however full its subnet is. */
function matchSubnet(view: Own, shortage: AddressShortage): Match | null {
  const { waiting, isFull, mode } = shortage;
  const [first] = waiting;
  const subnet = subnetOf(view, shortage);
  if (first === undefined || isFull === true) return isFull === true ? clear : null;
  const id = shortage.instance.value.SubnetId ?? '<subnet>';
  if (subnet === null) return subnetUnknown(id);
  const free = subnet.value.AvailableIpAddressCount ?? null;
  if (free === null) return subnetUnknown(id);
  const enough = mode.addressing === 'prefix' ? 1 : waiting.length;
  if (free >= enough) return clear;
  if (hasRoomElsewhere(view, subnet)) return null;
  const event = view.sign('sandboxWithout') ?? view.clusterSign('sandboxWithout');
  return found(detailsOf(subnet, free), [
    view.quote(first, `${waitingWords(first)} (${waiting.length} pods)`),
    view.quote(subnet, wordsOf(subnet, free)),
    ...(event === null ? [] : [event.last]),
  ]);
}

function detailsOf(subnet: Seen<Subnet>, free: number): Readonly<Record<string, string>> {
  const range = subnet.value.CidrBlock ?? '';
  return { subnet: subnet.value.SubnetId ?? '', range, free: String(free) };
}

function wordsOf(subnet: Seen<Subnet>, free: number): string {
  const { value } = subnet;
  return `${value.SubnetId ?? ''} ${value.CidrBlock ?? ''} AvailableIpAddressCount ${free}`;
}

function subnetUnknown(id: string): Match {
  return cannotSay({
    reason: 'not-collected',
    detail: `how many addresses of ${id} are free`,
    collect: `aws ec2 describe-subnets --subnet-ids ${id} --query 'Subnets[].[SubnetId,CidrBlock,AvailableIpAddressCount]'`,
  });
}

/** With custom networking the subnet of the zone's ENIConfig, else that of the instance. */
function subnetOf(view: Own, { mode, node, instance }: AddressShortage): Seen<Subnet> | null {
  const zone = node.value.labels['topology.kubernetes.io/zone'] ?? '';
  const config = view.list('kube/ENIConfig').find(({ value }) => value.name === zone);
  const id = mode.customNetworking
    ? (config?.value.spec?.subnet ?? null)
    : (instance.value.SubnetId ?? null);
  const subnets = view.list('aws/subnet');
  return subnets.find(({ value }) => id !== null && value.SubnetId === id) ?? null;
}

/** Subnets tagged for the CNI in the same zone, which it takes new interfaces from. */
function hasRoomElsewhere(view: Own, full: Seen<Subnet>): boolean {
  const { VpcId: vpc, AvailabilityZone: zone } = full.value;
  return view
    .list('aws/subnet')
    .some(
      ({ value }) =>
        value.VpcId === vpc &&
        value.AvailabilityZone === zone &&
        isTagged(value) &&
        (value.AvailableIpAddressCount ?? 0) > PREFIX_ADDRESSES,
    );
}

function isTagged(subnet: Subnet): boolean {
  return (subnet.Tags ?? []).some(
    (tag) => tag.Key === 'kubernetes.io/role/cni' && tag.Value !== '0',
  );
}

/** Each machine needs one address or one /28 for its pods beside its own address. */
export default foreseen(
  judged,
  (plan, group) => {
    const cni = plannedCni(plan);
    const room = prefixRoom(group, machineOf(plan, group));
    if (cni === null || room === null || group.desired === null) return NOT_SHOWN;
    const { desired } = group;
    const mode = networkModeOf(cni.value);
    const [subnet] = room.subnets;
    if (mode.customNetworking || mode.addressing === 'ipv6' || subnet === undefined)
      return NOT_SHOWN;
    const isPrefix = mode.addressing === 'prefix';
    // Too few for the machines themselves, or none at all for prefixes, are other causes.
    if (room.addresses < desired || (isPrefix && room.blocks === 0)) return NOT_SHOWN;
    const left = isPrefix ? room.blocks : room.addresses - desired;
    if (left >= desired) return clear;
    const details = { subnet: room.subnets.map(({ address }) => address).join(', ') };
    const free = isPrefix ? `${left} /28 blocks` : `${left} addresses`;
    return found(
      { ...details, free, wanted: String(desired), machine: group.name },
      [
        plan.quote(
          subnet,
          `${subnet.value.CidrBlock ?? ''}: ${free} left for the pods of ${desired} machines`,
        ),
        plan.quote(group.fact, `${group.name} starts ${desired} machines`),
      ],
      'likely',
    );
  },
  {
    summary: ({ subnet, free, wanted, planned }) =>
      `The subnets of ${planned ?? 'the group'} (${subnet ?? ''}) have ${free ?? 'no addresses'} for the pods of ${wanted ?? 'its'} machines, so some of them will get no address for any pod.`,
    remedy: () => [step('Give the group larger subnets, or more of them.')],
  },
);
