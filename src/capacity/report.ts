import type { Capacity, NodesThatFit } from './capacity.ts';
import { cidrText } from './cidr.ts';
import type { Exhaustion } from './forecast.ts';
import { type InstanceType, isUnknownType } from './instance-type.ts';
import type { InstanceWithoutPodAddresses, NetworkInterface, OwnerShare } from './interfaces.ts';
import { columns, commandRows, marked, paragraph } from './layout.ts';
import type { Leaks } from './leaks.ts';
import type { SubnetState } from './subnet.ts';
import type { HeldAddresses } from './warm.ts';
import { counted, grouped, shown } from './words.ts';

/** What is known of the cluster around one instance type, as far as it was looked at. */
export interface CapacityPage {
  readonly capacity: Capacity;
  readonly subnets: readonly SubnetState[];
  readonly owners: readonly OwnerShare[];
  readonly leaks: Leaks | null;
  readonly withoutPodAddresses: readonly InstanceWithoutPodAddresses[];
  readonly exhaustion: Exhaustion | null;
  /** Sentences from elsewhere, such as what the image would set by itself. */
  readonly notes: readonly string[];
}

const MEBI_PER_GIBI = 1024;

function titleOf(type: InstanceType): string {
  const memory = type.memoryMiB === null ? null : `${type.memoryMiB / MEBI_PER_GIBI} GiB`;
  const parts = [
    type.vcpus === null ? null : counted(type.vcpus, 'vCPU'),
    memory,
    type.arch,
    type.bareMetal === true ? 'bare metal' : type.hypervisor,
    type.tables.retired ? 'no longer in any table' : null,
    type.source === 'aws' ? 'as EC2 describes it' : 'as shipped with this program',
  ];
  return `${type.name}: ${parts.filter((part) => part !== null).join(', ')}`;
}

function heldText(held: HeldAddresses, pods: string): string {
  const blocks = held.blocks === 0 ? '' : ` in ${counted(held.blocks, 'prefix')}`;
  return `${pods}: ${counted(held.addresses, 'address')}${blocks} on ${counted(held.enis, 'interface')}`;
}

function heldLines(capacity: Capacity): readonly string[] {
  const { held } = capacity;
  if (held === null) return [];
  const full = counted(held.full.addresses - held.full.enis - held.full.warm, 'pod');
  const text = [
    heldText(held.empty, 'no pod'),
    heldText(held.first, '1 pod'),
    heldText(held.full, full),
  ].join(' · ');
  return [
    ...marked('subnet ', `A node takes: ${text}.`, '  '),
    ...paragraph(`ipamd wants ${held.full.because}, as far as they fit.`, '          '),
  ];
}

function podsText(capacity: Capacity): string {
  const { maxPods } = capacity;
  if (maxPods === null) return 'not known';
  const { allowed, recommended } = maxPods;
  const advice =
    recommended === null ? 'AWS recommends a number by vCPUs' : `AWS recommends ${recommended}`;
  return `${grouped(allowed)} have addresses, ${advice}.`;
}

/** What one instance of a type holds, and what ends it. */
export function capacityLines(capacity: Capacity): readonly string[] {
  const { type, maxPods, mismatch } = capacity;
  if (isUnknownType(type))
    return [
      ...paragraph(`${shown(type.unknown)}: not in the shipped table, so nothing is known of it.`),
      '  EC2 would tell:',
      ...commandRows(type.command),
    ];
  return [
    ...paragraph(titleOf(type)),
    ...marked('pods   ', podsText(capacity), '  '),
    ...(maxPods?.lines ?? []).flatMap((line) => paragraph(line, '          ')),
    ...marked('limit  ', capacity.sentence, '  '),
    ...heldLines(capacity),
    ...(mismatch === null ? [] : marked('!      ', mismatch.sentence, '  ')),
  ];
}

function percent(share: number | null): string {
  return share === null ? '-' : `${Math.round(share * 100)} %`;
}

function orDash(count: number | null): string {
  return count === null ? '-' : grouped(count);
}

function subnetRow({ subnet, usable, free, freeBlocks, fragmentation }: SubnetState) {
  const { id, zone, cidr } = subnet;
  return [
    shown(id),
    shown(zone ?? '-'),
    cidrText(cidr),
    grouped(usable),
    orDash(free),
    orDash(freeBlocks),
    percent(fragmentation),
  ];
}

const SUBNET_HEADING = ['SUBNET', 'ZONE', 'CIDR', 'USABLE', 'FREE', 'FREE /28', 'FRAGMENTED'];

function fitLine(fit: NodesThatFit | null): readonly string[] {
  if (fit === null) return [];
  const by = fit.factor === 'subnet-blocks' ? 'whole /28 blocks' : 'addresses';
  return paragraph(
    `They can feed ${counted(fit.nodes, 'more node')} full of pods; ${by} end it.`,
    '  ',
  );
}

/** Subnets with their free addresses and blocks, and how many nodes they feed. */
export function subnetLines(
  states: readonly SubnetState[],
  fit: NodesThatFit | null,
): readonly string[] {
  if (states.length === 0) return [];
  const unexplained = states.filter((state) => state.unexplained > 0);
  return [
    ...columns([SUBNET_HEADING, ...states.map(subnetRow)]),
    ...fitLine(fit),
    ...unexplained.flatMap(({ subnet, unexplained: count }) =>
      paragraph(
        `${shown(subnet.id)}: ${counted(count, 'address')} in use by no listed interface, so FREE /28 is an upper bound.`,
        '  ',
      ),
    ),
  ];
}

/** Who holds the addresses. */
export function ownerLines(owners: readonly OwnerShare[]): readonly string[] {
  if (owners.length === 0) return [];
  const rows = owners.map(({ owner, interfaces, addresses }) => [
    owner,
    grouped(interfaces),
    grouped(addresses),
  ]);
  return columns([['OWNER', 'INTERFACES', 'ADDRESSES'], ...rows]);
}

function clusterText({ cluster }: NetworkInterface): string {
  return cluster === null ? '' : `, of cluster ${shown(cluster)}`;
}

const LEAKS_SHOWN_MAX = 20;

/** Leaked interfaces, oldest first, each with the command that deletes it. */
export function leakLines(leaks: Leaks): readonly string[] {
  if (leaks.leaked.length === 0) return ['No leaked interface of the CNI.'];
  const count = leaks.leaked.length;
  const sure = leaks.leaked.filter(({ verdict }) => verdict === 'leaked').length;
  return [
    ...paragraph(
      `${counted(sure, 'interface')} of the CNI leaked, with ${counted(leaks.addresses, 'address')}${sure < count ? `; ${count - sure} more may be` : ''}.`,
    ),
    ...leaks.leaked
      .slice(0, LEAKS_SHOWN_MAX)
      .flatMap(({ network, verdict, because, command }) => [
        ...marked(
          verdict === 'leaked' ? '!' : '?',
          `${shown(network.id)} in ${shown(network.subnetId ?? 'an unknown subnet')}, ${counted(network.addresses, 'address')}${clusterText(network)}: ${because}.`,
          '  ',
        ),
        ...commandRows(command),
      ]),
    ...(count > LEAKS_SHOWN_MAX ? [`  and ${count - LEAKS_SHOWN_MAX} more.`] : []),
  ];
}

function exhaustionLines(exhaustion: Exhaustion | null): readonly string[] {
  return exhaustion === null ? [] : paragraph(exhaustion.sentence);
}

/** The whole page, paragraphs apart by an empty row, each row within 100 columns. */
export function capacityPage(page: CapacityPage): readonly string[] {
  const paragraphs = [
    capacityLines(page.capacity),
    page.notes.flatMap((note) => paragraph(note)),
    subnetLines(page.subnets, page.capacity.fit),
    exhaustionLines(page.exhaustion),
    ownerLines(page.owners),
    page.leaks === null ? [] : leakLines(page.leaks),
    page.withoutPodAddresses.flatMap(({ sentence }) => marked('!', sentence)),
  ];
  return paragraphs
    .filter((rows) => rows.length > 0)
    .flatMap((rows, index) => (index === 0 ? rows : ['', ...rows]));
}
