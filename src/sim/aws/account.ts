/** The one object that all calls of a cloud share. */
import { instanceTypes, type InstanceTypes } from '../../capacity/instance-types.ts';
import { INSTANCE_TYPES } from '../../capacity/instance-types.generated.ts';
import type { JsonObject } from '../../evidence/json.ts';
import type { Kernel, Timer } from '../kernel/kernel.ts';
import type { AddressBook } from './addresses.ts';
import type { AwsEvent, AwsRefusal, RunByAgent, WrittenLine } from './contract.ts';
import { History } from './history.ts';
import { createIds, type Ids } from './ids.ts';
import type { AwsCloudOptions, Lag } from './options.ts';
import type {
  AutoScalingGroup,
  Bucket,
  Grants,
  Instance,
  Issuer,
  Keys,
  Level,
  MetadataFault,
  NetworkInterface,
  SpotRequest,
  Subnet,
  Tags,
  Zone,
} from './state.ts';

/** Kinds whose objects are kept as the API shows them, without their tags. */
export const PLAIN_KINDS = [
  'dhcp-options',
  'image',
  'internet-gateway',
  'key-pair',
  'launch-template',
  'launch-template-version',
  'natgateway',
  'network-acl',
  'route-table',
  'security-group',
  'volume',
  'vpc',
  'vpc-endpoint',
  // Beyond EC2.
  'access-entry',
  'access-policy',
  'addon',
  'cluster',
  'command',
  'document',
  'hosted-zone',
  'insight',
  'instance-profile',
  'instance-refresh',
  'key',
  'nodegroup',
  'oidc-provider',
  'pod-identity',
  'policy',
  'record-set',
  'role',
  'scaling-activity',
  'stack',
  'stack-event',
  'trail-event',
  'update',
  'user',
] as const;

export type PlainKind = (typeof PLAIN_KINDS)[number];

export interface Account {
  readonly kernel: Kernel;
  readonly region: string;
  readonly partition: string;
  readonly accountId: string;
  readonly zones: readonly Zone[];
  readonly options: AwsCloudOptions;
  readonly ids: Ids;
  readonly types: InstanceTypes;
  readonly plain: Readonly<Record<PlainKind, History<JsonObject>>>;
  /** By the id of what they are on. */
  readonly tags: History<Tags>;
  /** `vpc-… enableDnsHostnames`; what is not here is true. */
  readonly vpcAttributes: Map<string, boolean>;
  readonly subnets: History<Subnet>;
  readonly books: Map<string, AddressBook>;
  readonly interfaces: History<NetworkInterface>;
  /** Interfaces that are or were on an instance, by its id. */
  readonly attached: Map<string, readonly string[]>;
  readonly instances: History<Instance>;
  readonly spotRequests: History<SpotRequest>;
  readonly groups: History<AutoScalingGroup>;
  /** When each group looks next, ms. */
  readonly looks: Map<string, { readonly atMs: number; readonly timer: Timer }>;
  /** The group of an instance and the activity that is about it. */
  readonly memberOf: Map<string, { readonly group: string; readonly activityId: string }>;
  /** Launches in a row that failed, by group. */
  readonly failures: Map<string, number>;
  /** By the name of a role, or `user/` and that of a user. */
  readonly grants: History<Grants>;
  /** Who signs tokens of service accounts, by the address of the issuer. */
  readonly issuers: Map<string, Issuer>;
  /** By access key. */
  readonly keys: Map<string, Keys>;
  readonly consoles: Map<string, string>;
  /** Log groups and their streams, of which each is read as it is by then. */
  readonly logGroups: Map<string, ReadonlyMap<string, () => readonly WrittenLine[]>>;
  /** The agents of Systems Manager on the machines; null before there are machines. */
  readonly agents: { run: RunByAgent | null };
  /** Ids of the events of CloudTrail that are kept, the oldest first. */
  readonly trail: string[];
  /** Machines that can still be had, by type and zone; all others are plenty. */
  readonly capacityLeft: Map<string, number>;
  /** When Spot Instances that were told so are ended, ms, by their id. */
  readonly notices: Map<string, number>;
  /** Instances that no call shows until then, ms. */
  readonly hiddenUntilMs: Map<string, number>;
  /** Until when instances show no private DNS name, ms. */
  readonly namelessUntilMs: Map<string, number>;
  /** Until when nothing that is detached gets free, ms. */
  readonly stuck: { detachUntilMs: number };
  /** What is wrong with the metadata service of an instance, and until when. */
  readonly metadataFaults: Map<string, MetadataFault>;
  /** The same for their tags. */
  readonly tagsHiddenUntilMs: Map<string, number>;
  /** `m5.large us-west-2a`: types that a zone does not offer. */
  readonly unoffered: Set<string>;
  /** By type and zone. */
  readonly prices: Map<string, { readonly fromMs: number; readonly dollars: number }[]>;
  readonly nextPriceMs: Map<string, number>;
  /** When the world began, ms. */
  readonly bornMs: number;
  /** Patterns of actions that are denied to everyone. */
  readonly denials: string[];
  /** Refusals that a fault has ordered, by action, `ec2:*` or `*`. */
  readonly refusals: Map<string, { readonly refusal: AwsRefusal; readonly left: number }>;
  /** Buckets other than those of the guide, by action. */
  readonly buckets: Map<string, Bucket>;
  readonly levels: Map<string, Level>;
  /** How often each action was called. */
  readonly calls: Map<string, number>;
  readonly listeners: ((event: AwsEvent) => void)[];
}

/** Letters of a direction in the ids of zones: `usw2-az1`. */
function zoneIdOf(region: string, index: number): string {
  const [area = '', ...rest] = region.split('-');
  const number = rest.pop() ?? '1';
  const direction = rest
    .join('')
    .replaceAll(/(north|south|east|west|central)/g, (word) => word[0] ?? '');
  return `${area}${direction}${number}-az${index + 1}`;
}

function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}

function emptyKinds(): Account['plain'] {
  const entries = PLAIN_KINDS.map((kind) => [kind, new History<JsonObject>()] as const);
  return Object.fromEntries(entries) as Account['plain'];
}

export function createAccount(options: AwsCloudOptions): Account {
  const { kernel, region, accountId, zones = ['a', 'b', 'c'] } = options;
  return {
    kernel,
    region,
    accountId,
    options,
    partition: partitionOf(region),
    zones: zones.map((one, index) => ({ name: region + one, id: zoneIdOf(region, index) })),
    ids: createIds(kernel.random('aws/ids')),
    types: instanceTypes(INSTANCE_TYPES),
    plain: emptyKinds(),
    tags: new History(),
    vpcAttributes: new Map(),
    subnets: new History(),
    books: new Map(),
    interfaces: new History(),
    attached: new Map(),
    instances: new History(),
    spotRequests: new History(),
    groups: new History(),
    looks: new Map(),
    memberOf: new Map(),
    failures: new Map(),
    grants: new History(),
    issuers: new Map(),
    keys: new Map(),
    consoles: new Map(),
    logGroups: new Map(),
    agents: { run: null },
    trail: [],
    capacityLeft: new Map(),
    notices: new Map(),
    hiddenUntilMs: new Map(),
    tagsHiddenUntilMs: new Map(),
    namelessUntilMs: new Map(),
    stuck: { detachUntilMs: 0 },
    metadataFaults: new Map(),
    unoffered: new Set(),
    prices: new Map(),
    nextPriceMs: new Map(),
    bornMs: kernel.nowMs(),
    denials: [],
    refusals: new Map(),
    buckets: new Map(),
    levels: new Map(),
    calls: new Map(),
    listeners: [],
  };
}

/** `arn:aws:iam::123456789012:role/x`; services of the whole partition have no region. */
export function arnOf(account: Account, service: string, resource: string): string {
  const isGlobal = service === 'iam' || service === 'sts';
  const region = isGlobal ? '' : account.region;
  return `arn:${account.partition}:${service}:${region}:${account.accountId}:${resource}`;
}

/** A moment as the AWS command line prints it. */
export function isoMoment(ms: number): string {
  return new Date(ms).toISOString();
}

/** A duration of a stream in whole ms. */
export function drawMs(account: Account, stream: string, medianMs: number, sigma: number): number {
  return Math.round(account.kernel.random(stream).lognormal(medianMs, sigma));
}

/** How far behind one call is, ms. */
export function drawLag(account: Account, stream: string, lag: Lag | undefined): number {
  if (lag === undefined || lag.medianMs === 0) return 0;
  return drawMs(account, stream, lag.medianMs, lag.sigma);
}

export function emit(account: Account, event: AwsEvent): void {
  account.kernel.log('aws', `${event.kind} ${event.instanceId}`);
  for (const listener of account.listeners) listener(event);
}
