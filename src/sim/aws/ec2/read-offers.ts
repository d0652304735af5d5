/** Calls of EC2 that read what is offered: images, types, Spot prices and requests, zones. */
import { type InstanceType, isUnknownType } from '../../../capacity/instance-type.ts';
import { type JsonObject, textAt } from '../../../evidence/json.ts';
import { isoMoment } from '../account.ts';
import { type Operations, reads, type Request, textIn, textsIn, withValues } from '../operation.ts';
import { refused } from '../refusal.ts';
import { lists } from './filters.ts';
import { type Plain, plain } from './plain-listing.ts';
import { priceRows } from './prices.ts';
import { architectureOf, typeLimits } from './types.ts';

const NETWORK_PERFORMANCE = 'Up to 10 Gigabit';

/** As DescribeInstanceTypes answers, from the shipped table. */
function showType(type: InstanceType): JsonObject {
  const architecture = architectureOf(type);
  const cards = type.cards ?? 1;
  return withValues({
    InstanceType: type.name,
    CurrentGeneration: !type.tables.retired,
    FreeTierEligible: false,
    SupportedUsageClasses: ['on-demand', 'spot'],
    SupportedRootDeviceTypes: ['ebs'],
    SupportedVirtualizationTypes: ['hvm'],
    BareMetal: type.bareMetal ?? false,
    Hypervisor: type.hypervisor ?? undefined,
    ProcessorInfo: { SupportedArchitectures: [architecture] },
    VCpuInfo: { DefaultVCpus: type.vcpus ?? 2 },
    MemoryInfo: { SizeInMiB: type.memoryMiB ?? 8192 },
    NetworkInfo: {
      NetworkPerformance: NETWORK_PERFORMANCE,
      MaximumNetworkInterfaces: type.enisAllCards ?? type.enis,
      MaximumNetworkCards: cards,
      DefaultNetworkCardIndex: 0,
      NetworkCards: Array.from({ length: cards }, (_one, NetworkCardIndex) => ({
        NetworkCardIndex,
        NetworkPerformance: NETWORK_PERFORMANCE,
        MaximumNetworkInterfaces: type.enis,
      })),
      Ipv4AddressesPerInterface: type.ipv4PerEni,
      Ipv6AddressesPerInterface: type.ipv4PerEni,
      Ipv6Supported: true,
      EnaSupport: 'required',
      EfaSupported: false,
    },
    HibernationSupported: false,
    BurstablePerformanceSupported: /^t\d/.test(type.name),
    AutoRecoverySupported: true,
  });
}

/** Types that the region offers; more than the table has no one can launch. */
function typeRows({ account, input }: Request): readonly JsonObject[] {
  const wanted = textsIn(input, 'InstanceTypes');
  if (wanted.length > 0) {
    const missing = wanted.filter((name) => isUnknownType(account.types.named(name)));
    if (missing.length > 0) {
      const message = `The following supplied instance types do not exist: [${missing.join(', ')}]`;
      throw refused('InvalidInstanceType', message);
    }
  }
  const names = wanted.length > 0 ? [...new Set(wanted)] : account.types.names;
  return names.map((name) => showType(typeLimits(account, name)));
}

/** A zone may lack a type that its neighbours have. */
function offeringRows({ account, input }: Request): readonly JsonObject[] {
  const LocationType = textIn(input, 'LocationType') ?? 'region';
  const locations =
    LocationType === 'region'
      ? [account.region]
      : account.zones.map(({ name, id }) => (LocationType === 'availability-zone-id' ? id : name));
  return account.types.names.flatMap((InstanceType) =>
    locations
      .filter((Location) => !account.unoffered.has(`${InstanceType} ${Location}`))
      .map((Location) => ({ InstanceType, LocationType, Location })),
  );
}

function spotRequestRows({ account, atMs }: Request): readonly JsonObject[] {
  return account.spotRequests.valuesAt(atMs).map((one) =>
    withValues({
      CreateTime: isoMoment(one.createdMs),
      InstanceId: one.instanceId ?? undefined,
      LaunchSpecification: {
        ImageId: one.imageId,
        InstanceType: one.instanceType,
        SubnetId: one.subnetId,
      },
      LaunchedAvailabilityZone: account.subnets.get(one.subnetId)?.zone.name,
      ProductDescription: 'Linux/UNIX',
      SpotInstanceRequestId: one.spotRequestId,
      SpotPrice: '1.000000',
      State: one.state,
      Status: {
        Code: one.statusCode,
        Message: one.statusMessage,
        UpdateTime: isoMoment(one.changedMs),
      },
      Tags: [],
      Type: 'one-time',
      InstanceInterruptionBehavior: 'terminate',
    }),
  );
}

function images(request: Request): readonly JsonObject[] {
  const owners = textsIn(request.input, 'Owners');
  const rows = plain({ ...IMAGES }).rows(request);
  if (owners.length === 0) return rows;
  const isOwner = (row: JsonObject): boolean =>
    owners.includes(textAt(row, 'OwnerId') ?? '') ||
    owners.includes(textAt(row, 'ImageOwnerAlias') ?? '') ||
    (owners.includes('self') && row['OwnerId'] === request.account.accountId);
  return rows.filter(isOwner);
}

const IMAGES: Plain = {
  kind: 'image',
  member: 'Images',
  id: 'ImageId',
  ids: 'ImageIds',
  code: 'InvalidAMIID.NotFound',
  words: 'image id',
  filters: {
    architecture: 'Architecture',
    'image-id': 'ImageId',
    name: 'Name',
    'owner-id': 'OwnerId',
    'root-device-type': 'RootDeviceType',
    state: 'State',
    'virtualization-type': 'VirtualizationType',
  },
};

function regions({ account }: Request): readonly JsonObject[] {
  const { region } = account;
  return [
    {
      Endpoint: `ec2.${region}.amazonaws.com`,
      RegionName: region,
      OptInStatus: 'opt-in-not-required',
    },
  ];
}

function zoneRows({ account }: Request): readonly JsonObject[] {
  return account.zones.map(({ name, id }) => ({
    State: 'available',
    OptInStatus: 'opt-in-not-required',
    Messages: [],
    RegionName: account.region,
    ZoneName: name,
    ZoneId: id,
    GroupName: account.region,
    NetworkBorderGroup: account.region,
    ZoneType: 'availability-zone',
  }));
}

/** Spot capacity is there in this world wherever a type is offered. */
const PLACEMENT_SCORE = 9;

function scoreRows({ account, input }: Request): readonly JsonObject[] {
  const { region: Region, zones } = account;
  if (input['SingleAvailabilityZone'] !== true) return [{ Region, Score: PLACEMENT_SCORE }];
  return zones.map(({ id }) => ({ Region, AvailabilityZoneId: id, Score: PLACEMENT_SCORE }));
}

export const READ_OFFERS: Operations = {
  DescribeImages: lists({ ...plain(IMAGES), rows: images }),
  DescribeInstanceTypes: lists(
    {
      member: 'InstanceTypes',
      rows: typeRows,
      filters: {
        'bare-metal': 'BareMetal',
        'current-generation': 'CurrentGeneration',
        hypervisor: 'Hypervisor',
        'instance-type': 'InstanceType',
        'processor-info.supported-architecture': 'ProcessorInfo.SupportedArchitectures[]',
        'supported-usage-class': 'SupportedUsageClasses[]',
        'supported-virtualization-type': 'SupportedVirtualizationTypes[]',
        'vcpu-info.default-vcpus': 'VCpuInfo.DefaultVCpus',
      },
      ids: null,
    },
    100,
  ),
  DescribeInstanceTypeOfferings: lists({
    member: 'InstanceTypeOfferings',
    rows: offeringRows,
    filters: { 'instance-type': 'InstanceType', location: 'Location' },
    ids: null,
  }),
  DescribeSpotInstanceRequests: lists({
    member: 'SpotInstanceRequests',
    rows: spotRequestRows,
    filters: {
      'instance-id': 'InstanceId',
      'spot-instance-request-id': 'SpotInstanceRequestId',
      state: 'State',
      'status-code': 'Status.Code',
    },
    ids: {
      member: 'SpotInstanceRequestIds',
      path: 'SpotInstanceRequestId',
      code: 'InvalidSpotInstanceRequestID.NotFound',
      words: 'spot instance request ID',
    },
  }),
  DescribeSpotPriceHistory: lists({
    member: 'SpotPriceHistory',
    rows: priceRows,
    filters: {
      'availability-zone': 'AvailabilityZone',
      'instance-type': 'InstanceType',
      'product-description': 'ProductDescription',
    },
    ids: null,
  }),
  DescribeRegions: lists({
    member: 'Regions',
    rows: regions,
    filters: { 'region-name': 'RegionName' },
    ids: {
      member: 'RegionNames',
      path: 'RegionName',
      code: 'InvalidParameterValue',
      words: 'region',
    },
  }),
  DescribeAvailabilityZones: lists({
    member: 'AvailabilityZones',
    rows: zoneRows,
    filters: {
      'region-name': 'RegionName',
      state: 'State',
      'zone-id': 'ZoneId',
      'zone-name': 'ZoneName',
    },
    ids: { member: 'ZoneNames', path: 'ZoneName', code: 'InvalidParameterValue', words: 'zone' },
  }),
  GetSpotPlacementScores: lists({
    member: 'SpotPlacementScores',
    rows: scoreRows,
    filters: {},
    ids: null,
  }),
  GetEbsDefaultKmsKeyId: reads(() => ({ KmsKeyId: 'alias/aws/ebs' })),
};
