/** Calls of EC2 that read instances and their interfaces. */
import { type JsonObject, textAt } from '../../../evidence/json.ts';
import { type Account, drawLag, isoMoment } from '../account.ts';
import {
  flagIn,
  listIn,
  needed,
  type Operation,
  type Operations,
  reads,
  type Request,
  textsIn,
} from '../operation.ts';
import type { Instance } from '../state.ts';
import { chosen, type FilterPaths, filtered, lists } from './filters.ts';
import { instanceOf, missingInstances } from './instances.ts';
import { likely } from './likely.ts';
import { refused } from '../refusal.ts';
import { showInstance, showInterface, stateOf, subnetIn } from './show.ts';

const INSTANCE_FILTERS: FilterPaths = {
  architecture: 'Architecture',
  'availability-zone': 'Placement.AvailabilityZone',
  'client-token': 'ClientToken',
  'dns-name': 'PublicDnsName',
  'iam-instance-profile.arn': 'IamInstanceProfile.Arn',
  'image-id': 'ImageId',
  'instance-id': 'InstanceId',
  'instance-lifecycle': 'InstanceLifecycle',
  'instance-state-code': 'State.Code',
  'instance-state-name': 'State.Name',
  'instance-type': 'InstanceType',
  'instance.group-id': 'SecurityGroups[].GroupId',
  'ip-address': 'PublicIpAddress',
  'key-name': 'KeyName',
  'launch-time': 'LaunchTime',
  'metadata-options.http-tokens': 'MetadataOptions.HttpTokens',
  'network-interface.addresses.private-ip-address':
    'NetworkInterfaces[].PrivateIpAddresses[].PrivateIpAddress',
  'network-interface.network-interface-id': 'NetworkInterfaces[].NetworkInterfaceId',
  'network-interface.private-dns-name': 'NetworkInterfaces[].PrivateDnsName',
  'network-interface.subnet-id': 'NetworkInterfaces[].SubnetId',
  'private-dns-name': 'PrivateDnsName',
  'private-ip-address': 'PrivateIpAddress',
  'spot-instance-request-id': 'SpotInstanceRequestId',
  'subnet-id': 'SubnetId',
  'vpc-id': 'VpcId',
};

/** Instances that a call at this moment shows. */
function visible({ account, atMs, input }: Request): readonly Instance[] {
  const ids = textsIn(input, 'InstanceIds');
  const nowMs = account.kernel.nowMs();
  const isShown = ({ instanceId }: Instance): boolean =>
    (account.hiddenUntilMs.get(instanceId) ?? 0) <= nowMs;
  if (ids.length === 0) return account.instances.valuesAt(atMs).filter(isShown);
  return byId(account, ids, atMs).filter(isShown);
}

function byId(account: Account, ids: readonly string[], atMs: number): readonly Instance[] {
  return [...new Set(ids)].flatMap((id) => account.instances.at(id, atMs) ?? []);
}

const INSTANCE_ID = /^i-(?:[0-9a-f]{8}|[0-9a-f]{17})$/;

/** @throws RefusedError for ids that are none, and those that are not there or not yet seen */
function checkIds(ids: readonly string[], found: readonly Instance[]): void {
  const malformed = ids.find((id) => !INSTANCE_ID.test(id));
  if (malformed !== undefined)
    throw refused('InvalidInstanceID.Malformed', `Invalid id: "${malformed}"`);
  const seen = new Set(found.map(({ instanceId }) => instanceId));
  const missing = [...new Set(ids)].filter((id) => !seen.has(id));
  if (missing.length > 0) throw missingInstances(missing);
}

/** The instances of a request by its ids; all of them without. */
function instancesFor(request: Request): readonly Instance[] {
  const found = visible(request);
  checkIds(textsIn(request.input, 'InstanceIds'), found);
  return found;
}

function shown(request: Request, instances: readonly Instance[]): readonly JsonObject[] {
  const { account, atMs } = request;
  const tagsMs = atMs - drawLag(account, 'aws/tags', account.options.tagLag);
  return instances.map((instance) =>
    showInstance(account, instance, {
      atMs,
      tagsMs: Math.min(tagsMs, hiddenTagsMs(account, instance, tagsMs)),
    }),
  );
}

/** Tags may be kept from sight for a while; before the launch there were none. */
function hiddenTagsMs(
  account: Account,
  { instanceId, launchedMs }: Instance,
  tagsMs: number,
): number {
  const untilMs = account.tagsHiddenUntilMs.get(instanceId) ?? 0;
  return untilMs > account.kernel.nowMs() ? launchedMs - 1 : tagsMs;
}

function reservationOf(account: Account, rows: readonly JsonObject[], id: string): JsonObject {
  return { ReservationId: id, OwnerId: account.accountId, Groups: [], Instances: [...rows] };
}

function describeInstances(request: Request): JsonObject {
  const { account, input } = request;
  const instances = likely(request, instancesFor(request));
  const rows = filtered(shown(request, instances), input, INSTANCE_FILTERS);
  const reservations = new Map<string, JsonObject[]>();
  for (const row of rows) {
    const id = account.instances.get(textAt(row, 'InstanceId') ?? '')?.reservationId ?? '';
    const rest = reservations.get(id);
    if (rest === undefined) reservations.set(id, [row]);
    else rest.push(row);
  }
  return { Reservations: [...reservations].map(([id, one]) => reservationOf(account, one, id)) };
}

/** What RunInstances answers with: the instances that it has just made. */
export function reservationShown(account: Account, instances: readonly Instance[]): JsonObject {
  const atMs = account.kernel.nowMs();
  const rows = instances.map((one) => showInstance(account, one, { atMs, tagsMs: atMs }));
  return reservationOf(account, rows, instances[0]?.reservationId ?? '');
}

function checkOf(instance: Instance, nowMs: number): JsonObject {
  const isRunning = instance.state === 'running';
  const passed = isRunning && nowMs >= instance.checkedMs;
  const Status = !isRunning ? 'not-applicable' : passed ? 'ok' : 'initializing';
  if (!isRunning) return { Status };
  return {
    Details: [{ Name: 'reachability', Status: passed ? 'passed' : 'initializing' }],
    Status,
  };
}

function statusRows(request: Request): readonly JsonObject[] {
  const { account, input } = request;
  const nowMs = account.kernel.nowMs();
  const all = flagIn(input, 'IncludeAllInstances') === true;
  return instancesFor(request)
    .filter(({ state }) => all || state === 'running')
    .map((instance) => ({
      AvailabilityZone: subnetIn(account, instance.subnetId).zone.name,
      Events: [],
      InstanceId: instance.instanceId,
      InstanceState: stateOf(instance),
      InstanceStatus: checkOf(instance, nowMs),
      SystemStatus: checkOf(instance, nowMs),
    }));
}

function attributeOf(request: Request): JsonObject {
  const { account, input } = request;
  const InstanceId = needed(input, 'InstanceId');
  const instance = instanceOf(account, InstanceId);
  const name = needed(input, 'Attribute');
  const attributes: Readonly<Record<string, JsonObject>> = {
    userData: {
      UserData: instance.userData === '' ? {} : { Value: encodeText(instance.userData) },
    },
    instanceType: { InstanceType: { Value: instance.instanceType } },
    sourceDestCheck: { SourceDestCheck: { Value: true } },
    disableApiTermination: { DisableApiTermination: { Value: false } },
    groupSet: { Groups: instance.groupIds.map((GroupId) => ({ GroupId })) },
  };
  const found = attributes[name];
  if (found === undefined)
    throw refused('InvalidParameterValue', `Value (${name}) for parameter attribute is invalid.`);
  return { InstanceId, ...found };
}

/** The text in base64, which is how EC2 keeps user data. */
export function encodeText(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** @returns the text as it is when it is no base64 */
export function decodeText(encoded: string): string {
  try {
    const binary = atob(encoded);
    return new TextDecoder().decode(Uint8Array.from(binary, (one) => one.charCodeAt(0)));
  } catch {
    return encoded;
  }
}

/** The last 64 KiB are kept (API reference, GetConsoleOutput). */
const CONSOLE_CHARS = 65_536;

function consoleOutput({ account, input }: Request): JsonObject {
  const InstanceId = needed(input, 'InstanceId');
  instanceOf(account, InstanceId);
  return {
    InstanceId,
    Output: (account.consoles.get(InstanceId) ?? '').slice(-CONSOLE_CHARS),
    Timestamp: isoMoment(account.kernel.nowMs()),
  };
}

const INTERFACES = {
  member: 'NetworkInterfaces',
  rows: ({ account, atMs }: Request): readonly JsonObject[] =>
    account.interfaces.valuesAt(atMs).map((one) => showInterface(account, one, atMs)),
  filters: {
    'addresses.private-ip-address': 'PrivateIpAddresses[].PrivateIpAddress',
    'attachment.attachment-id': 'Attachment.AttachmentId',
    'attachment.device-index': 'Attachment.DeviceIndex',
    'attachment.instance-id': 'Attachment.InstanceId',
    'attachment.status': 'Attachment.Status',
    'availability-zone': 'AvailabilityZone',
    description: 'Description',
    'group-id': 'Groups[].GroupId',
    'interface-type': 'InterfaceType',
    'mac-address': 'MacAddress',
    'network-interface-id': 'NetworkInterfaceId',
    'private-dns-name': 'PrivateDnsName',
    'private-ip-address': 'PrivateIpAddress',
    status: 'Status',
    'subnet-id': 'SubnetId',
    'vpc-id': 'VpcId',
  },
  ids: {
    member: 'NetworkInterfaceIds',
    path: 'NetworkInterfaceId',
    code: 'InvalidNetworkInterfaceID.NotFound',
    words: 'networkInterface ID',
  },
};

/** Interfaces have their tags in `TagSet`, unlike all else. */
function describeInterfaces(request: Request): JsonObject {
  const rows = chosen(
    { ...INTERFACES, filters: {} },
    { ...request, input: withoutFilters(request.input) },
  );
  const tagged = rows.map((row) => ({ ...row, Tags: row['TagSet'] ?? [] }));
  const left = filtered(tagged, request.input, INTERFACES.filters);
  return { NetworkInterfaces: left.map(({ Tags: _tags, ...row }) => row) };
}

function withoutFilters({ Filters: _filters, ...input }: JsonObject): JsonObject {
  return input;
}

function associations({ account, input, atMs }: Request): readonly JsonObject[] {
  const wanted = listIn(input, 'AssociationIds').map(String);
  return account.instances
    .valuesAt(atMs)
    .filter(({ profileArn, state }) => profileArn !== null && state !== 'terminated')
    .map((instance) => ({
      AssociationId: `iip-assoc-${instance.instanceId.slice('i-'.length)}`,
      InstanceId: instance.instanceId,
      IamInstanceProfile: { Arn: instance.profileArn ?? '', Id: 'AIPA' },
      State: 'associated',
    }))
    .filter(({ AssociationId }) => wanted.length === 0 || wanted.includes(AssociationId));
}

function tagRows(request: Request): readonly JsonObject[] {
  const { account, atMs } = request;
  return account.tags.ids().flatMap((ResourceId) => {
    const ResourceType = resourceType(ResourceId);
    return Object.entries(account.tags.at(ResourceId, atMs) ?? {}).map(([Key, Value]) => ({
      Key,
      ResourceId,
      ResourceType,
      Value,
    }));
  });
}

const RESOURCE_TYPES: Readonly<Record<string, string>> = {
  ami: 'image',
  dopt: 'dhcp-options',
  eni: 'network-interface',
  i: 'instance',
  igw: 'internet-gateway',
  lt: 'launch-template',
  nat: 'natgateway',
  rtb: 'route-table',
  sg: 'security-group',
  sir: 'spot-instances-request',
  subnet: 'subnet',
  vol: 'volume',
  vpc: 'vpc',
};

function resourceType(id: string): string {
  return RESOURCE_TYPES[id.slice(0, id.indexOf('-'))] ?? 'other';
}

/** Layers of the network by zone; ordinary types are known only so far. */
function topology(request: Request): JsonObject {
  const { account, input } = request;
  const rows = shown(request, instancesFor(request));
  const left = filtered(rows, input, INSTANCE_FILTERS);
  return {
    Instances: left.map((row) => {
      const instance = instanceOf(account, textAt(row, 'InstanceId') ?? '');
      const { zone } = subnetIn(account, instance.subnetId);
      return {
        InstanceId: instance.instanceId,
        InstanceType: instance.instanceType,
        NetworkNodes: [1, 2, 3].map((layer) => `nn-${zone.id.replace('-', '')}${layer}`),
        AvailabilityZone: zone.name,
        ZoneId: zone.id,
      };
    }),
  };
}

const BY_TOKEN = {
  size: 'MaxResults',
  sizeMax: 1000,
  sizeDefault: 1000,
  token: ['NextToken', 'NextToken'],
} as const;

function paged(list: string, answer: Operation['answer'], sizeDefault = 1000): Operation {
  return reads(answer, { ...BY_TOKEN, list, sizeDefault });
}

export const READ_INSTANCES: Operations = {
  DescribeInstances: paged('Reservations', describeInstances),
  DescribeInstanceStatus: paged('InstanceStatuses', (request) => ({
    InstanceStatuses: [
      ...filtered(statusRows(request), request.input, {
        'availability-zone': 'AvailabilityZone',
        'instance-state-name': 'InstanceState.Name',
        'instance-status.status': 'InstanceStatus.Status',
        'system-status.status': 'SystemStatus.Status',
      }),
    ],
  })),
  DescribeInstanceAttribute: reads(attributeOf),
  DescribeInstanceTopology: paged('Instances', topology, 20),
  DescribeNetworkInterfaces: paged('NetworkInterfaces', describeInterfaces),
  DescribeIamInstanceProfileAssociations: lists({
    member: 'IamInstanceProfileAssociations',
    rows: associations,
    filters: { 'instance-id': 'InstanceId', state: 'State' },
    ids: null,
  }),
  DescribeTags: lists({
    member: 'Tags',
    rows: tagRows,
    filters: {
      key: 'Key',
      value: 'Value',
      'resource-id': 'ResourceId',
      'resource-type': 'ResourceType',
    },
    ids: null,
  }),
  GetConsoleOutput: reads(consoleOutput),
};

/** The state of a thing before a call changed it and after, as EC2 answers. */
export function stateChange(before: Instance, after: Instance): JsonObject {
  return {
    InstanceId: before.instanceId,
    CurrentState: stateOf(after),
    PreviousState: stateOf(before),
  };
}
