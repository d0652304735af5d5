import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { cidrOf, cidrText } from '../../domain/network/cidr.ts';
import type { Resource } from '../terraform/resource.ts';
import { said, written } from '../written/resource.ts';
import type { ClusterFile } from './file.ts';

/** Subnets beyond these are not looked at; eksctl makes 16 at most. */
const SUBNETS_MAX = 64;

/** A subnet, by its id or by where the file leads to it. */
export interface Place {
  readonly id: string;
  /** The key under which the file has it, which is its zone where nothing else says so. */
  readonly key: string;
  readonly zone: string | null;
}

/** The network of a cluster as eksctl will make or use it. */
export interface Network {
  readonly resources: readonly Resource[];
  /** null where the file does not say which they are. */
  readonly places: Readonly<Record<Topology, readonly Place[]>> | null;
  /** What stands for the VPC; null where only its subnets are named. */
  readonly vpc: string | null;
}

export type Topology = 'private' | 'public';

const TOPOLOGIES: readonly Topology[] = ['public', 'private'];

/** eksctl makes a VPC of this range where the file gives none. */
const RANGE_BY_DEFAULT = '192.168.0.0/16';

/** The VPC with its subnets and ways out. */
export function networkOf(file: ClusterFile): Network {
  const vpc = at(file.document, 'vpc');
  const id = textAt(vpc, 'id');
  const given = TOPOLOGIES.flatMap((topology) => Object.keys(subnetsAt(vpc, topology)));
  if (id === null && given.length === 0) return madeNetwork(file, vpc);
  return existingNetwork(vpc, id, given.length > 0);
}

function subnetsAt(vpc: Json | undefined, topology: Topology): JsonObject {
  const subnets = at(vpc, `subnets.${topology}`);
  return isObject(subnets) ? subnets : {};
}

/** Of a network that is there already, the file shows the subnets and not where they lead. */
function existingNetwork(vpc: Json | undefined, id: string | null, isListed: boolean): Network {
  const all = TOPOLOGIES.flatMap((topology) =>
    Object.entries(subnetsAt(vpc, topology))
      .slice(0, SUBNETS_MAX)
      .map(([key, subnet]) => ({ topology, place: placeOf(key, subnet, topology), subnet })),
  );
  const resources = all.map(({ topology, place, subnet }) =>
    written(
      'aws_subnet',
      `vpc.subnets.${topology}.${place.key}`,
      said({
        id: place.id,
        availability_zone: place.zone ?? undefined,
        cidr_block: textAt(subnet, 'cidr') ?? undefined,
        vpc_id: id ?? undefined,
      }),
      { isLookedUp: true, unknown: untoldOf(id, subnet) },
    ),
  );
  const placesOf = (wanted: Topology): readonly Place[] =>
    all.filter(({ topology }) => topology === wanted).map(({ place }) => place);
  const places = { private: placesOf('private'), public: placesOf('public') };
  return { resources, places: isListed ? places : null, vpc: id };
}

/** What only EC2 could tell of a subnet that is there already. */
function untoldOf(vpc: string | null, subnet: Json): JsonObject {
  return {
    availability_zone_id: true,
    ...(vpc === null ? { vpc_id: true } : {}),
    ...(textAt(subnet, 'cidr') === null ? { cidr_block: true } : {}),
  };
}

const ZONE = /^[a-z]{2}(?:-[a-z]+)+-\d[a-z]$/;

function placeOf(key: string, subnet: Json, topology: Topology): Place {
  const id = textAt(subnet, 'id') ?? `vpc.subnets.${topology}.${key}`;
  const zone = textAt(subnet, 'az') ?? (ZONE.test(key) ? key : null);
  return { id, key, zone };
}

/** eksctl takes three zones, and two of us-east-1. */
function zonesOf({ document, region }: ClusterFile): readonly (string | null)[] {
  const named = listAt(document, 'availabilityZones').filter((one) => typeof one === 'string');
  if (named.length > 0) return named.slice(0, SUBNETS_MAX);
  return Array.from({ length: region === 'us-east-1' ? 2 : 3 }, () => null);
}

/** The range of one of the equal parts into which eksctl divides that of the VPC. */
function rangeOf(range: string, index: number, count: number): string | null {
  const block = cidrOf(range);
  if (block === null || count > 16) return null;
  const prefixLength = block.prefixLength + (count <= 8 ? 3 : 4);
  if (prefixLength > 28) return null;
  const first = block.first + index * 2 ** (32 - prefixLength);
  return cidrText({ first, prefixLength });
}

function madeNetwork(file: ClusterFile, vpc: Json | undefined): Network {
  const range = textAt(vpc, 'cidr') ?? RANGE_BY_DEFAULT;
  const zones = zonesOf(file);
  const count = (zones.length + listAt(file.document, 'localZones').length) * 2;
  const isIpv6 = textAt(file.document, 'kubernetesNetworkConfig.ipFamily') === 'IPv6';
  const makeSubnet = (topology: Topology, zone: string | null, index: number): Resource =>
    written(
      'aws_subnet',
      addressOf(topology, zone, index),
      said({
        availability_zone: zone ?? undefined,
        cidr_block: rangeOf(range, topology === 'public' ? index : index + count / 2, count),
        map_public_ip_on_launch: topology === 'public',
        assign_ipv6_address_on_creation: isIpv6,
        vpc_id: 'vpc',
      }),
      { unknown: zone === null ? { availability_zone: true } : {} },
    );
  const placesOf = (topology: Topology): readonly Place[] =>
    zones.map((zone, index) => ({
      id: addressOf(topology, zone, index),
      key: zone ?? '',
      zone,
    }));
  const dns = { enable_dns_hostnames: true, enable_dns_support: true };
  const places = { private: placesOf('private'), public: placesOf('public') };
  return {
    resources: [
      written('aws_vpc', 'vpc', { cidr_block: range, ...dns }),
      ...TOPOLOGIES.flatMap((topology) =>
        zones.map((zone, index) => makeSubnet(topology, zone, index)),
      ),
      ...routesOf(file, vpc, places),
      ...endpointsOf(file),
    ],
    places,
    vpc: 'vpc',
  };
}

function addressOf(topology: Topology, zone: string | null, index: number): string {
  return `vpc.subnets.${topology}${zone === null ? `[${index}]` : `.${zone}`}`;
}

function isPrivateCluster({ document }: ClusterFile): boolean {
  return at(document, 'privateCluster.enabled') === true;
}

/** Public subnets lead to the internet, private ones to a NAT gateway unless the file refuses it. */
function routesOf(
  file: ClusterFile,
  vpc: Json | undefined,
  places: Readonly<Record<Topology, readonly Place[]>>,
): readonly Resource[] {
  const gateway = textAt(vpc, 'nat.gateway') ?? 'Single';
  const hasNat = gateway !== 'Disable' && !isPrivateCluster(file);
  const [home] = places.public;
  const nat = written('aws_nat_gateway', NAT, {
    connectivity_type: 'public',
    subnet_id: home?.id ?? null,
  });
  return [
    ...(hasNat ? [nat] : []),
    ...tableOf('public', places.public, { gateway_id: 'igw-of-eksctl' }),
    ...tableOf('private', places.private, hasNat ? { nat_gateway_id: NAT } : null),
  ];
}

const NAT = 'vpc.nat.gateway';

function tableOf(
  topology: Topology,
  places: readonly Place[],
  target: JsonObject | null,
): readonly Resource[] {
  const id = `the ${topology} subnets`;
  const everywhere = { destination_cidr_block: '0.0.0.0/0' };
  return [
    written('aws_route_table', 'vpc.nat', { id, vpc_id: 'vpc' }),
    ...places.map((place) =>
      written('aws_route_table_association', 'vpc.nat', {
        route_table_id: id,
        subnet_id: place.id,
      }),
    ),
    ...(target === null
      ? []
      : [written('aws_route', 'vpc.nat', { route_table_id: id, ...everywhere, ...target })]),
  ];
}

/** The services that a fully private cluster is made with. */
const SERVICES = ['ec2', 'ecr.api', 'ecr.dkr', 's3', 'sts'];

function endpointsOf(file: ClusterFile): readonly Resource[] {
  const isSkipped = at(file.document, 'privateCluster.skipEndpointCreation') === true;
  if (!isPrivateCluster(file)) return [];
  if (isSkipped)
    return [written('aws_vpc_endpoint', 'privateCluster', {}, { unknown: { service_name: true } })];
  return SERVICES.map((service) =>
    written(
      'aws_vpc_endpoint',
      'privateCluster',
      {
        service_name: `com.amazonaws.${file.region ?? 'region'}.${service}`,
        private_dns_enabled: service !== 's3',
        vpc_endpoint_type: service === 's3' ? 'Gateway' : 'Interface',
        vpc_id: 'vpc',
      },
      { unknown: { security_group_ids: true } },
    ),
  );
}
