import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { linkOf, linksOf, nameBy, tagsOf } from './links.ts';
import { type Made, type Maker, ofType, ownedBy, type Owning, type Plan } from './made.ts';
import { expressionOf, isUnknownIn, type Resource, textOf, textsOf, valueAt } from './resource.ts';
import { SECURITY_GROUP } from './security.ts';

const VPC = { types: ['aws_vpc'], by: 'id' };
const SUBNET = { types: ['aws_subnet'], by: 'id' };
const TABLE = { types: ['aws_route_table', 'aws_default_route_table'], by: 'id' };
const EVERYWHERE = '0.0.0.0/0';

export const subnet: Maker = ({ directory }, resource) => [
  {
    kind: 'aws/subnet',
    answer: {
      SubnetId: nameBy(resource, 'id'),
      AssignIpv6AddressOnCreation: valueAt(resource.values, 'assign_ipv6_address_on_creation'),
      AvailabilityZone: textOf(resource, 'availability_zone'),
      AvailabilityZoneId: textOf(resource, 'availability_zone_id'),
      // EC2 counts it; of a subnet that is made here nothing is in use yet.
      AvailableIpAddressCount: at(resource.values, 'available_ip_address_count'),
      CidrBlock: textOf(resource, 'cidr_block'),
      MapPublicIpOnLaunch: valueAt(resource.values, 'map_public_ip_on_launch'),
      Tags: tagsOf(resource),
      VpcId: linkOf(directory, resource, 'vpc_id', VPC),
    },
  },
];

/** What EC2 sets where a VPC is made and nobody asks for another setting. */
const SET_BY_DEFAULT = { enable_dns_hostnames: false, enable_dns_support: true } as const;

function attributeOf(resource: Resource, name: keyof typeof SET_BY_DEFAULT): Json | undefined {
  if (!isUnknownIn(at(resource.unknown, name))) return at(resource.values, name);
  const isAsked = expressionOf(resource, name) !== undefined;
  return isAsked || resource.change !== 'create' ? undefined : SET_BY_DEFAULT[name];
}

/** Both attributes of a VPC, each as the answer that EC2 would give. */
function attributesOf(resource: Resource, id: string): readonly Made[] {
  const fields = [
    ['EnableDnsHostnames', attributeOf(resource, 'enable_dns_hostnames')],
    ['EnableDnsSupport', attributeOf(resource, 'enable_dns_support')],
  ] as const;
  return fields.flatMap(([field, value]): readonly Made[] =>
    typeof value === 'boolean'
      ? [{ kind: 'aws/vpc-attribute', answer: { VpcId: id, [field]: { Value: value } } }]
      : [],
  );
}

const OPTIONS = { types: ['aws_vpc_dhcp_options'], by: 'id' };

const OF_VPC: Owning = {
  types: ['aws_vpc_dhcp_options_association'],
  ownerOf: ({ directory }, one) => linkOf(directory, one, 'vpc_id', VPC),
};

/** The option set that a VPC is given in this plan; undefined where it gives none. */
function optionsOfVpc(plan: Plan, id: string): string | undefined {
  const [own] = ownedBy(plan, id, OF_VPC);
  if (own === undefined) return undefined;
  return linkOf(plan.directory, own, 'dhcp_options_id', OPTIONS) ?? undefined;
}

export const dhcpOptions: Maker = (_plan, resource) => {
  const domain = textOf(resource, 'domain_name');
  const configurations = [
    ...(typeof domain === 'string' ? [{ Key: 'domain-name', Values: [domain] }] : []),
    { Key: 'domain-name-servers', Values: textsOf(resource.values, 'domain_name_servers') },
  ];
  const answer = { DhcpOptionsId: nameBy(resource, 'id'), DhcpConfigurations: configurations };
  return [{ kind: 'aws/dhcp-options', answer }];
};

export const networkAcl: Maker = () => [
  { doubt: 'aws/network-acl', what: 'what this network ACL lets pass' },
];

/** A VPC is made with a main table that leads nowhere. */
export const vpc: Maker = (plan, resource) => {
  const id = nameBy(resource, 'id');
  const answer = {
    VpcId: id,
    CidrBlock: textOf(resource, 'cidr_block'),
    DhcpOptionsId: optionsOfVpc(plan, id),
    Tags: tagsOf(resource),
  };
  const made: Made[] = [{ kind: 'aws/vpc', answer }, ...attributesOf(resource, id)];
  const isReplaced =
    ofType(plan, 'aws_default_route_table', 'aws_main_route_table_association').length > 0;
  if (resource.change !== 'create' || isReplaced) return made;
  const table = {
    RouteTableId: `${resource.address}.main_route_table_id`,
    VpcId: id,
    Associations: [{ Main: true }],
    Routes: [],
  };
  return [...made, { kind: 'aws/route-table', answer: table }];
};

const TARGETS = [
  ['GatewayId', 'gateway_id', ['aws_internet_gateway', 'aws_vpn_gateway']],
  ['NatGatewayId', 'nat_gateway_id', ['aws_nat_gateway']],
  ['TransitGatewayId', 'transit_gateway_id', ['aws_ec2_transit_gateway']],
  ['NetworkInterfaceId', 'network_interface_id', ['aws_network_interface', 'aws_instance']],
  ['VpcPeeringConnectionId', 'vpc_peering_connection_id', ['aws_vpc_peering_connection']],
] as const;

/** Where a route leads; a target that nobody can tell is still another network. */
function targetOf(
  { directory }: Plan,
  resource: Resource,
  block: JsonObject | null,
): Record<string, Json> {
  for (const [field, name, types] of TARGETS) {
    const known = textAt(block ?? resource.values, name) ?? '';
    if (known !== '') return { [field]: known };
    if (block !== null || !isUnknownIn(at(resource.unknown, name))) continue;
    const link = linkOf(directory, resource, name, { types, by: 'id' });
    if (typeof link === 'string' && isInternetGateway(link)) return { [field]: `igw-${link}` };
    if (link !== null) return { [field]: link ?? `${resource.address}.${name}` };
  }
  return { TransitGatewayId: `${resource.address} leads elsewhere` };
}

/** The address of an internet gateway whose id, which begins with igw-, is known after apply. */
function isInternetGateway(name: string): boolean {
  return /(?:^|\.)aws_internet_gateway\./.test(name);
}

function routeOf(plan: Plan, route: Resource): Json {
  const { values } = route;
  return {
    DestinationCidrBlock: textAt(values, 'destination_cidr_block'),
    DestinationIpv6CidrBlock: textAt(values, 'destination_ipv6_cidr_block'),
    DestinationPrefixListId: textAt(values, 'destination_prefix_list_id'),
    ...targetOf(plan, route, null),
  };
}

/** Routes inside of a table, whose gateways are known after apply and told apart by their kind. */
function inlineRoutes(plan: Plan, table: Resource): readonly Json[] {
  const gateways = linksOf(plan.directory, table, 'route', {
    types: ['aws_nat_gateway'],
    by: 'id',
  }).names.filter(
    (name) => name.startsWith('aws_nat_gateway') || name.includes('.aws_nat_gateway'),
  );
  return listAt(table.values, 'route')
    .filter(isObject)
    .map((block) => {
      const isEverywhere = textAt(block, 'cidr_block') === EVERYWHERE;
      const isOpen = isUnknownIn(at(table.unknown, 'route'));
      const target =
        isOpen && gateways.length === 1 && isEverywhere
          ? { NatGatewayId: gateways[0] ?? null }
          : targetOf(plan, table, block);
      return { DestinationCidrBlock: textAt(block, 'cidr_block'), ...target };
    });
}

function ofTable(plan: Plan, id: string, type: string): readonly Resource[] {
  return ownedBy(plan, id, {
    types: [type],
    ownerOf: ({ directory }, one) => linkOf(directory, one, 'route_table_id', TABLE),
  });
}

export const routeTable: Maker = (plan, resource) => {
  const id = nameBy(resource, 'id');
  const associated = ofTable(plan, id, 'aws_route_table_association').map((one) =>
    linkOf(plan.directory, one, 'subnet_id', SUBNET),
  );
  const isMain = resource.type === 'aws_default_route_table';
  const answer = {
    RouteTableId: id,
    VpcId: linkOf(plan.directory, resource, 'vpc_id', VPC),
    Associations: [
      ...(isMain ? [{ Main: true }] : []),
      ...associated.flatMap((subnetId) =>
        typeof subnetId === 'string' ? [{ SubnetId: subnetId }] : [],
      ),
    ],
    Routes: [
      ...inlineRoutes(plan, resource),
      ...ofTable(plan, id, 'aws_route').map((route) => routeOf(plan, route)),
    ],
  };
  return [{ kind: 'aws/route-table', answer }];
};

const LOST: Made = {
  doubt: 'aws/route-table',
  what: 'which route table or subnet this belongs to',
};

/** A route or association of which nobody can tell where it belongs. */
export const routePart: Maker = ({ directory }, resource) => {
  const table = linkOf(directory, resource, 'route_table_id', TABLE);
  const isPlaced =
    resource.type === 'aws_route' ||
    typeof linkOf(directory, resource, 'subnet_id', SUBNET) === 'string';
  return typeof table === 'string' && isPlaced ? [] : [LOST];
};

function publicAddress(resource: Resource): Json | undefined {
  const address = textOf(resource, 'public_ip');
  return typeof address === 'string' && address !== '' ? [{ PublicIp: address }] : undefined;
}

export const natGateway: Maker = ({ directory }, resource) => [
  {
    kind: 'aws/nat-gateway',
    answer: {
      NatGatewayAddresses: publicAddress(resource),
      NatGatewayId: nameBy(resource, 'id'),
      ConnectivityType: textOf(resource, 'connectivity_type'),
      State: 'available',
      SubnetId: linkOf(directory, resource, 'subnet_id', SUBNET),
    },
  },
];

export const endpoint: Maker = ({ directory }, resource) => {
  const service = textOf(resource, 'service_name');
  const vpcId = linkOf(directory, resource, 'vpc_id', VPC);
  const groups = linksOf(directory, resource, 'security_group_ids', SECURITY_GROUP);
  const answer = {
    Groups: groups.isExact ? groups.names.map((GroupId) => ({ GroupId })) : undefined,
    VpcEndpointId: nameBy(resource, 'id'),
    PrivateDnsEnabled: isUnknownIn(at(resource.unknown, 'private_dns_enabled'))
      ? undefined
      : valueAt(resource.values, 'private_dns_enabled'),
    ServiceName: service,
    State: 'available',
    VpcEndpointType: textOf(resource, 'vpc_endpoint_type'),
    VpcId: vpcId,
  };
  const made: Made[] = [{ kind: 'aws/vpc-endpoint', answer }];
  const isTold = typeof service === 'string' && typeof vpcId === 'string';
  return isTold
    ? made
    : [...made, { doubt: 'aws/vpc-endpoint', what: 'which service or VPC this endpoint is for' }];
};
