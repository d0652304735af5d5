import {
  type AddressShortage,
  addressShortage,
  SHORTAGE_KINDS,
} from '../../../capacity/address-shortage.ts';
import { subnetOf, subnetState, usedAddresses } from '../../../capacity/subnet.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { waitingWords } from '../../../domain/pods/pods-seen.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { machineOf } from '../../../domain/planned/machine.ts';
import { freeIn } from '../../../domain/planned/room.ts';
import { plannedCni } from '../../../domain/planned/addons.ts';
import { networkModeOf } from '../../../capacity/cni-settings.ts';
import { prefixRoom } from '../../../capacity/planned.ts';

/** Prefix delegation asks for whole /28 blocks, and the subnet has only scattered addresses. */
const cause = defineCause({
  id: 'subnet-without-contiguous-prefix',
  stage: 'networked',
  title: 'the subnet has free addresses but no whole /28 block for a prefix',
  scope: 'machine',
  signs: {
    refusedByEc2: definite(
      ['ipamd', 'aws-node', 'event'],
      /InsufficientCidrBlocks(?:.*?(?<subnet>subnet-[0-9a-f]+))?/,
    ),
    refusedInWords: likely(
      ['ipamd', 'aws-node', 'event'],
      /[Tt]here aren't sufficient free Ipv4 addresses or prefixes(?:.{0,200}?(?<subnet>subnet-[0-9a-f]+))?/,
    ),
    noFreePrefix: context(
      ['ipamd'],
      /Prefix target is \d+, short of [1-9]\d* prefixes, free 0 prefixes/,
      { anchors: ['Prefix target is'] },
    ),
    poolUsedUp: context(
      ['ipamd'],
      /Prefix pool stats: Total IPs\/Prefixes = (?<total>\d+)\/\d+, AssignedIPs\/CooldownIPs: (?<used>\d+)\/\d+, c\.maxIPsPerENI = (?<room>\d+)/,
    ),
    toldMode: context(
      ['client-output', 'unknown'],
      /\b[Pp]refix[ -][Dd]elegation\b.{0,30}\b(?:enabled|on|active|in use|used|turned on)\b|\b(?:enabled|use|using|with) [Pp]refix[ -][Dd]elegation\b/,
      { isTold: true, anchors: ['refix'] },
    ),
    toldFree: context(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:many|plenty of|enough|lots of|hundreds of|dozens of|\d{2,5}) (?:\w+, )?(?:free|available|unused)\b.{0,20}\b(?:IPs?|addresses)\b.{0,30}\bsubnets?\b|\bsubnets?\b.{0,40}\b(?:many|plenty of|enough|lots of|hundreds of|dozens of|\d{2,5}) (?:\w+, )?(?:free|available|unused)\b.{0,20}\b(?:IPs?|addresses)\b/,
      { isTold: true, anchors: ['subnet'] },
    ),
    waitsForAddress: context(
      ['client-output', 'unknown', 'event', 'pod-status'],
      /\bfailed to assign an? IP address\b|\bfailed to assign IP address\b/,
      { anchors: ['failed to assign'] },
    ),
    otherReason: context(
      ['ipamd', 'aws-node'],
      /UnauthorizedOperation|\wLimitExceeded|non schedulable node|CNI is terminating|Failed to get pod ENI config|max ENI limit|InsufficientFreeAddressesInSubnet/,
    ),
    assigned: withdraws(
      ['ipamd'],
      /[Ss]uccessfully increased IP [Pp]ool|Successfully created and attached a new ENI|Added ENI\(eni-\w+\)'s IP\/Prefix \S+ to datastore/,
      {
        anchors: [
          'uccessfully increased IP',
          'Successfully created and attached a new ENI',
          'IP/Prefix',
        ],
      },
    ),
    ciliumStopped: context(['cilium'], /Subnet might be out of prefixes/),
  },
  needs: [...SHORTAGE_KINDS, 'aws/subnet', 'aws/network-interface'],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['subnet-out-of-pod-addresses'],
  summary: ({ subnet, range, free, machine }) =>
    free !== undefined
      ? `The subnet ${subnet ?? ''} (${range ?? ''}) has ${free} free addresses and no whole /28 among them, so prefix delegation gets no more pod addresses on ${machine ?? 'the machine'}.`
      : sentence`EC2 finds no contiguous /28 in the subnet ${subnet ?? 'of'} ${subnet === undefined ? (machine ?? 'the machine') : ''}, so prefix delegation gets no more pod addresses although single ones are free.`,
  remedy: ({ subnet }) => [
    step(
      'Reserve a range of the subnet for prefixes.',
      `aws ec2 create-subnet-cidr-reservation --reservation-type prefix --subnet-id ${subnet ?? '<subnet>'} --cidr <range-of-the-subnet>`,
    ),
    step('Or put prefix-mode nodes into a fresh subnet of their own.'),
  ],
  decide: step(
    'Tell a full subnet from a fragmented one.',
    "sudo grep -E 'InsufficientCidrBlocks|InsufficientFreeAddresses' /var/log/aws-routed-eni/ipamd.log | tail -n 5",
  ),
  page: {
    why: 'A prefix is an aligned block of 16 addresses. Single secondary addresses, load balancers and endpoints spread over a subnet leave many addresses free and no aligned block whole.',
    prevent:
      'Use subnets of their own, or reservations of type prefix, before turning on ENABLE_PREFIX_DELEGATION; do not mix both modes in one subnet.',
    notThis:
      'InsufficientFreeAddressesInSubnet is a subnet that is really full: subnet-out-of-pod-addresses. A pool short of prefixes without EC2’s refusal may only be waiting for the next round.',
    alsoKnownAs: [
      'InsufficientCidrBlocks',
      'There are not enough free cidr blocks in the specified subnet',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/best-practices/prefix-mode-linux.html',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/ipamd/ipamd.go',
    ],
  },
});

const judged = matched(cause, matchBlocks);

type Own = ViewOf<typeof cause>;

/** ipamd tries every five seconds; a used-up pool with room on its interface means refusals. */
const STANDSTILL_MS = 30_000;

function matchBlocks(view: Own): Match | null {
  const shortage = addressShortage(view);
  if (view.sign('refusedByEc2') !== null) return null;
  if (shortage !== null) return matchSubnet(view, shortage);
  return matchStandstill(view) ?? matchTold(view);
}

/** Counted from every interface that EC2 lists; what it does not list could only take more. */
function matchSubnet(view: Own, shortage: AddressShortage): Match | null {
  const { mode, waiting, instance, daemonSet } = shortage;
  const [first] = waiting;
  if (mode.addressing !== 'prefix' || shortage.isFull === true) return clear;
  const id = instance.value.SubnetId ?? null;
  const fact = view.list('aws/subnet').find(({ value }) => value.SubnetId === id);
  const subnet = fact === undefined || mode.customNetworking ? null : subnetOf(fact.value);
  const interfaces = view.everywhere('aws/network-interface').map(({ value }) => value);
  if (first === undefined || fact === undefined || subnet === null || interfaces.length === 0)
    return null;
  const { free, freeBlocks } = subnetState(subnet, usedAddresses(subnet, interfaces));
  if (freeBlocks !== 0 || free === null || free === 0) return freeBlocks === 0 ? null : clear;
  const range = fact.value.CidrBlock ?? '';
  return found({ subnet: subnet.id, range, free: String(free) }, [
    view.quote(first, `${waitingWords(first)} (${waiting.length} pods)`),
    view.quote(fact, `${subnet.id} ${range} AvailableIpAddressCount ${free}, free /28 blocks 0`),
    view.quote(daemonSet, 'DaemonSet aws-node ENABLE_PREFIX_DELEGATION true'),
  ]);
}

/** Pods wait for addresses of a subnet that has many, on nodes that take whole prefixes. */
function matchTold(view: Own): Match | null {
  const told = [view.sign('toldMode'), view.sign('toldFree'), view.sign('waitsForAddress')];
  const proof = told.flatMap((one) => (one === null ? [] : [one.last]));
  return proof.length < told.length ? null : found({}, proof, 'likely');
}

function matchStandstill(view: Own): Match | null {
  const short = view.sign('noFreePrefix')?.last;
  const pool = view.sign('poolUsedUp')?.last;
  if (view.sign('refusedByEc2') !== null || view.sign('otherReason') !== null) return null;
  if (short === undefined || pool === undefined) return null;
  const { total, used, room } = pool.captures;
  const waitedMs =
    (pool.moment.when?.ms ?? 0) - (short.moment.when?.ms ?? Number.POSITIVE_INFINITY);
  if (waitedMs < STANDSTILL_MS || total !== used || Number(total) >= Number(room)) return null;
  return found({}, [short, pool], 'likely');
}

export default foreseen(
  judged,
  (plan, group) => {
    const cni = plannedCni(plan);
    if (cni === null) return NOT_SHOWN;
    const mode = networkModeOf(cni.value);
    if (mode.addressing !== 'prefix') return clear;
    const room = prefixRoom(group, machineOf(plan, group));
    if (room === null || mode.customNetworking) return NOT_SHOWN;
    const [subnet] = room.subnets;
    if (room.blocks > 0 || subnet === undefined) return clear;
    const range = subnet.value.CidrBlock ?? '';
    return found(
      { subnet: subnet.address, range, free: String(freeIn(subnet) ?? 0), machine: group.name },
      [
        plan.quote(subnet, `${range} has no /28 without an address that EC2 reserves`),
        plan.quote(cni, 'ENABLE_PREFIX_DELEGATION true'),
      ],
    );
  },
  {
    remedy: () => [
      step('Give the group subnets of /26 or larger.'),
      step('Or take ENABLE_PREFIX_DELEGATION out of configuration_values of the add-on vpc-cni.'),
    ],
  },
);
