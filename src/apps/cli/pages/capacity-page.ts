import type { Capacity } from '../../../capacity/capacity.ts';
import { columns, commandRows, marked, paragraph } from './layout.ts';
import { capacityLines } from './capacity-report.ts';
import { counted, grouped, shown } from '../../../domain/words.ts';
import type {
  CapacityDocument,
  CapacityPlanDocument,
  CniView,
  GroupCapacity,
  LeakView,
  NodeCapacity,
  SubnetCapacity,
  Unseen,
} from '../../../capacity/cluster/document.ts';

const ROWS_MAX = 500;

function orDash(value: number | string | null): string {
  if (typeof value === 'number') return grouped(value);
  return value === null || value === '' ? '-' : shown(value);
}

function targetText(cni: CniView): string {
  const targets = [
    ['WARM_ENI_TARGET', cni.warmEniTarget],
    ['WARM_IP_TARGET', cni.warmIpTarget],
    ['MINIMUM_IP_TARGET', cni.minimumIpTarget],
    ['WARM_PREFIX_TARGET', cni.addressing === 'prefix' ? cni.warmPrefixTarget : null],
    ['MAX_ENI', cni.maxEni],
  ] as const;
  return targets.flatMap(([name, value]) => (value === null ? [] : `${name}=${value}`)).join(', ');
}

const ADDRESSING = {
  secondary: 'single addresses',
  prefix: '/28 prefixes',
  ipv6: 'IPv6 prefixes',
} as const;

function cniLines(cni: CniView): readonly string[] {
  if (cni.state === 'absent')
    return paragraph(
      'No DaemonSet kube-system/aws-node: pods get no addresses from the VPC, so ENI limits do not apply.',
    );
  if (cni.state === 'unknown')
    return paragraph(
      'DaemonSet kube-system/aws-node not seen: assuming the defaults of its manifest.',
    );
  const extras = [
    ADDRESSING[cni.addressing],
    cni.customNetworking ? 'custom networking' : null,
    cni.podEni ? 'pod security groups' : null,
    targetText(cni),
  ].filter((one) => one !== null);
  return paragraph(`aws-node ${shown(cni.version ?? '(version unknown)')}: ${extras.join(', ')}`);
}

function groupText({ group }: { readonly group: GroupCapacity['group'] }): string {
  return group.kind === 'none' ? 'no group' : shown(group.name);
}

const NODE_HEADING = ['NODE', 'TYPE', 'GROUP', 'MAX-PODS', 'CAN HOLD', 'PODS', 'WARM', 'ENIS'];

function nodeCells(node: NodeCapacity): readonly string[] {
  const { attached, limit } = node.enis;
  return [
    shown(node.name),
    orDash(node.instanceType),
    groupText(node),
    `${orDash(node.maxPods)}${node.problem === null ? '' : ' !'}`,
    orDash(node.addressPods),
    orDash(node.pods),
    orDash(node.warm),
    `${orDash(attached)}/${orDash(limit)}`,
  ];
}

function nodeLines(nodes: readonly NodeCapacity[]): readonly string[] {
  if (nodes.length === 0) return ['No Nodes seen.'];
  const rows = nodes.slice(0, ROWS_MAX).map(nodeCells);
  const problems = Map.groupBy(
    nodes.filter(({ problem }) => problem !== null),
    ({ problem }) => problem ?? '',
  );
  const rest = nodes.length - rows.length;
  return [
    ...columns([NODE_HEADING, ...rows]),
    ...(rest > 0 ? [`  and ${grouped(rest)} more; list them: rollcall capacity -o json`] : []),
    ...[...problems].flatMap(([problem, own]) => {
      const [first] = own;
      const who = own.length === 1 ? shown(first?.name ?? '') : counted(own.length, 'Node');
      return marked('!', `${who}: ${problem}`, '  ');
    }),
  ];
}

const GROUP_HEADING = ['GROUP', 'TYPE', 'NODES', 'CAN HOLD', 'SUBNETS', 'FREE', 'MORE NODES'];

function groupLines(groups: readonly GroupCapacity[]): readonly string[] {
  if (groups.length === 0) return [];
  const rows = groups.map((one) => [
    groupText(one),
    shown(one.instanceType),
    grouped(one.nodes),
    orDash(one.addressPods),
    one.subnets.length > 1 ? String(one.subnets.length) : orDash(one.subnets[0] ?? null),
    orDash(one.free),
    orDash(one.moreNodes),
  ]);
  const limits = groups.map(
    (one) => `${groupText(one)} (${shown(one.instanceType)}): ${one.limit}`,
  );
  return [
    ...columns([GROUP_HEADING, ...rows]),
    ...limits.flatMap((text) => marked('limit', text, '  ')),
  ];
}

const SUBNET_HEADING = ['SUBNET', 'ZONE', 'CIDR', 'USABLE', 'FREE', 'FREE /28', 'WARM', 'NODES'];

function subnetCells(one: SubnetCapacity): readonly string[] {
  return [
    shown(one.id),
    orDash(one.zone),
    one.cidr,
    grouped(one.usable),
    `${orDash(one.free)}${one.free === 0 ? ' !' : ''}`,
    orDash(one.freeBlocks),
    orDash(one.warm),
    grouped(one.nodes),
  ];
}

/** Subnets with what is free and what is held for pods to come. */
export function subnetTable(subnets: readonly SubnetCapacity[]): readonly string[] {
  if (subnets.length === 0) return [];
  const unexplained = subnets.filter((one) => one.unexplained > 0);
  return [
    ...columns([SUBNET_HEADING, ...subnets.map(subnetCells)]),
    ...unexplained.flatMap(({ id, unexplained: count }) =>
      paragraph(
        `${shown(id)}: ${counted(count, 'address')} in use outside the listed interfaces, so FREE /28 is an upper bound.`,
        '  ',
      ),
    ),
  ];
}

function ownerLines({ owners }: CapacityDocument): readonly string[] {
  if (owners.length === 0) return [];
  const rows = owners.map((one) => [one.owner, grouped(one.interfaces), grouped(one.addresses)]);
  return columns([['OWNER', 'INTERFACES', 'ADDRESSES'], ...rows]);
}

const LEAKS_SHOWN_MAX = 20;

function leakLines(leaked: readonly LeakView[]): readonly string[] {
  if (leaked.length === 0) return [];
  const sure = leaked.filter(({ verdict }) => verdict === 'leaked');
  const addresses = sure.reduce((sum, one) => sum + one.addresses, 0);
  const more = leaked.length - sure.length;
  const tail = more === 0 ? '' : `; ${more} more may be`;
  return [
    ...paragraph(
      `${counted(sure.length, 'interface')} of the CNI leaked, with ${counted(addresses, 'address')}${tail}.`,
    ),
    ...leaked
      .slice(0, LEAKS_SHOWN_MAX)
      .flatMap((one) => [
        ...marked(
          one.verdict === 'leaked' ? '!' : '?',
          `${shown(one.id)} in ${shown(one.subnet ?? 'an unknown subnet')}, ${counted(one.addresses, 'address')}: ${one.because}.`,
          '  ',
        ),
        ...commandRows(one.command),
      ]),
    ...(leaked.length > LEAKS_SHOWN_MAX ? [`  and ${leaked.length - LEAKS_SHOWN_MAX} more.`] : []),
  ];
}

function bareLines({ withoutPodAddresses: bare }: CapacityDocument): readonly string[] {
  return bare.flatMap(({ instanceId, node }) =>
    marked(
      '!',
      `${shown(instanceId)}${node === null ? '' : ` (${shown(node)})`} holds no secondary address and no prefix: no pod gets an address there.`,
    ),
  );
}

/** What was not to be seen, and why. */
export function unseenLines(unseen: readonly Unseen[]): readonly string[] {
  return unseen.flatMap(({ what, why }) =>
    marked('?', why.startsWith(what) ? shown(why) : `${shown(what)}: ${shown(why)}`),
  );
}

/** Paragraphs apart by an empty row. */
export function pageOf(paragraphs: readonly (readonly string[])[]): readonly string[] {
  return paragraphs
    .filter((rows) => rows.length > 0)
    .flatMap((rows, index) => (index === 0 ? rows : ['', ...rows]));
}

/** The page of a cluster, each row within 100 columns. */
export function clusterPage(document: CapacityDocument): readonly string[] {
  return pageOf([
    cniLines(document.cni),
    nodeLines(document.nodes),
    groupLines(document.groups),
    subnetTable(document.subnets),
    ownerLines(document),
    leakLines(document.leaked),
    bareLines(document),
    unseenLines(document.notObservable),
  ]);
}

/** The page of one type before launch. */
export function planPage(
  document: CapacityPlanDocument,
  capacity: Capacity,
  notes: readonly string[],
): readonly string[] {
  const { moreNodes, subnets } = document;
  const fit =
    moreNodes === null
      ? []
      : paragraph(
          subnets.length === 1
            ? `It can feed ${counted(moreNodes, 'more node')} full of pods.`
            : `They can feed ${counted(moreNodes, 'more node')} full of pods.`,
          '  ',
        );
  return pageOf([
    capacityLines(capacity),
    notes.flatMap((note) => paragraph(note)),
    [...subnetTable(subnets), ...fit],
    unseenLines(document.notObservable),
  ]);
}
