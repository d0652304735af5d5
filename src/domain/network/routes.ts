import type { Seen } from '../../evidence/fact.ts';
import type { Instance } from '../../evidence/aws/instance.ts';
import type { VpcEndpoint, NatGateway, RouteTable, Route } from '../../evidence/aws/network.ts';

/** The parts of a VPC by which packets leave a subnet. */
export interface Routing {
  readonly tables: readonly Seen<RouteTable>[];
  readonly natGateways: readonly Seen<NatGateway>[];
  /** False when NAT gateways were not listed, so that none can be said to be gone. */
  readonly areNatGatewaysKnown: boolean;
}

/**
 * Where the default route of a subnet leads: `translated` through a working NAT gateway, `direct`
 * to an internet gateway, `closed` nowhere, `elsewhere` to what its tables do not tell.
 */
export type WayOut =
  | {
      readonly kind: 'translated';
      readonly table: Seen<RouteTable>;
      readonly gateway: Seen<NatGateway> | null;
    }
  | { readonly kind: 'direct'; readonly table: Seen<RouteTable> }
  | {
      readonly kind: 'closed';
      readonly table: Seen<RouteTable>;
      /** What closes it, completing "subnet …:". */
      readonly why: string;
      readonly gateway: Seen<NatGateway> | null;
    }
  | { readonly kind: 'elsewhere' };

const EVERYWHERE = '0.0.0.0/0';
const ELSEWHERE: WayOut = { kind: 'elsewhere' };

/** The table associated with a subnet, else the main table of its VPC; null when not collected. */
export function tableOfSubnet(
  tables: readonly Seen<RouteTable>[],
  subnet: string,
  vpc: string | null,
): Seen<RouteTable> | null {
  const own = tables.find(({ value }) =>
    (value.Associations ?? []).some((one) => one.SubnetId === subnet),
  );
  const main = tables.find(
    ({ value }) =>
      vpc !== null &&
      value.VpcId === vpc &&
      (value.Associations ?? []).some((one) => one.Main === true),
  );
  return own ?? main ?? null;
}

function isActive(route: Route): boolean {
  return route.State !== 'blackhole';
}

/** Routes inside the VPC and to gateway endpoints lead to no other network. */
function staysInside(route: Route): boolean {
  const gateway = route.GatewayId ?? '';
  return gateway === 'local' || gateway.startsWith('vpce-');
}

/** How packets of a subnet to addresses of the internet leave it. */
export function wayOut(routing: Routing, subnet: string, vpc: string | null): WayOut {
  const table = tableOfSubnet(routing.tables, subnet, vpc);
  if (table === null) return ELSEWHERE;
  const routes = (table.value.Routes ?? []).filter((route) => !staysInside(route));
  const open = routes.filter(isActive);
  const route = open.find((one) => one.DestinationCidrBlock === EVERYWHERE);
  if (route !== undefined) return wayOfRoute(routing, table, route);
  if (open.length > 0) return ELSEWHERE;
  const dead = routes.find((one) => one.DestinationCidrBlock === EVERYWHERE);
  const gateway = gatewayOf(routing, dead);
  return { kind: 'closed', table, why: whyClosed(dead), gateway };
}

function whyClosed(dead: Route | undefined): string {
  if (dead === undefined) return `no route to ${EVERYWHERE}`;
  const target = dead.NatGatewayId ?? dead.GatewayId ?? 'a deleted target';
  return `the route ${EVERYWHERE} to ${target} is a blackhole`;
}

function gatewayOf({ natGateways }: Routing, route: Route | undefined): Seen<NatGateway> | null {
  const id = route?.NatGatewayId ?? null;
  const found = natGateways.find(({ value }) => (value.NatGatewayId ?? null) === id);
  return id === null ? null : (found ?? null);
}

function wayOfRoute(routing: Routing, table: Seen<RouteTable>, route: Route): WayOut {
  if (route.GatewayId?.startsWith('igw-') === true) return { kind: 'direct', table };
  const id = route.NatGatewayId ?? null;
  if (id === null) return ELSEWHERE;
  const gateway = gatewayOf(routing, route);
  const why = natFault(routing, id, gateway);
  if (why === null) return { kind: 'translated', table, gateway };
  return { kind: 'closed', table, why: `the route ${EVERYWHERE} leads to ${why}`, gateway };
}

/** Why a NAT gateway takes nothing to the internet, null when nothing speaks against it. */
function natFault(routing: Routing, id: string, gateway: Seen<NatGateway> | null): string | null {
  if (gateway === null) return routing.areNatGatewaysKnown ? `${id}, which does not exist` : null;
  const { value } = gateway;
  const state = value.State ?? 'available';
  const message = value.FailureMessage ?? null;
  if (state !== 'available')
    return `${id}, which is ${state}${message === null ? '' : ` (${message})`}`;
  if (value.ConnectivityType === 'private')
    return `${id}, a private NAT gateway, which reaches no internet`;
  const subnet = value.SubnetId ?? '';
  const table = tableOfSubnet(routing.tables, subnet, value.VpcId ?? null);
  if (table === null || leadsOutside(table.value)) return null;
  return `${id} in the subnet ${subnet}, which has no route to an internet gateway itself`;
}

/** A NAT gateway needs an internet gateway behind it, or some device that nobody can judge here. */
function leadsOutside(table: RouteTable): boolean {
  return (table.Routes ?? []).some(
    (route) =>
      isActive(route) &&
      !staysInside(route) &&
      route.DestinationCidrBlock === EVERYWHERE &&
      (route.NatGatewayId ?? null) === null,
  );
}

/** Public addresses that packets of a way out come from; empty when they are not known. */
export function sourceAddresses(way: WayOut, instance: Instance): readonly string[] {
  if (way.kind === 'direct') {
    const own = instance.PublicIpAddress ?? null;
    return own === null ? [] : [own];
  }
  if (way.kind !== 'translated') return [];
  return (way.gateway?.value.NatGatewayAddresses ?? [])
    .map((one) => one.PublicIp ?? null)
    .filter((address) => address !== null);
}

/** The endpoint of a service (`ec2`, `sts`, …) that answers under its usual name in a VPC. */
export function endpointOf(
  endpoints: readonly Seen<VpcEndpoint>[],
  vpc: string,
  service: string,
): Seen<VpcEndpoint> | null {
  const isIt = ({ value }: Seen<VpcEndpoint>): boolean =>
    value.VpcId === vpc &&
    value.ServiceName?.endsWith(`.${service}`) === true &&
    value.State?.toLowerCase() === 'available' &&
    (value.VpcEndpointType !== 'Interface' || value.PrivateDnsEnabled !== false);
  return endpoints.find(isIt) ?? null;
}
