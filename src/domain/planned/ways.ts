import type { WhyUnknown } from '../../evidence/fact.ts';
import type { Planned } from '../../evidence/planned.ts';
import { endpointOf, type Routing, type WayOut, wayOut } from '../network/routes.ts';
import type { PlannedGroup } from './groups.ts';
import { lookedUp } from './indexed.ts';
import { ENDPOINTS, NAT_GATEWAYS, SUBNETS, TABLES, VPCS } from './lookups.ts';
import type { PlanFacts } from './plan-facts.ts';

/** What a machine needs before it is a node: its name, its images and where they are stored. */
const SERVICES = ['ec2', 'ecr.api', 'ecr.dkr', 's3'] as const;

type Closed = Extract<WayOut, { kind: 'closed' }>;

/** Whether the subnets of a group will lead to the AWS APIs. */
export type PlannedWay =
  | { readonly kind: 'open' }
  | { readonly kind: 'unknown'; readonly why: WhyUnknown }
  | {
      readonly kind: 'closed';
      readonly subnet: Planned<'aws/subnet'>;
      readonly way: Closed;
      /** Services without an endpoint in the VPC. */
      readonly lacking: readonly string[];
    };

function unknown(detail: string): PlannedWay {
  return { kind: 'unknown', why: { reason: 'not-in-source', detail, collect: 'terraform plan' } };
}

/** The subnets of a group that a plan makes; null where it makes none of them. */
function madeSubnets(
  plan: PlanFacts,
  subnets: readonly string[],
): readonly Planned<'aws/subnet'>[] | null {
  const made = subnets
    .flatMap((id) => lookedUp(plan, SUBNETS, id))
    .filter(({ change }) => change === 'create');
  return made.length === 0 ? null : made;
}

/** The way out of the subnets that a plan makes; null where it makes none, whose routes are elsewhere. */
export function plannedWay(plan: PlanFacts, { subnets }: PlannedGroup): PlannedWay | null {
  if (subnets === null) return unknown('which subnets the machines will be in');
  const made = madeSubnets(plan, subnets);
  if (made === null) return null;
  const ways = made.map((subnet) => wayOfSubnet(plan, subnet));
  return (
    ways.find(({ kind }) => kind === 'closed') ??
    ways.find(({ kind }) => kind === 'unknown') ?? { kind: 'open' }
  );
}

/** The tables by which one subnet is routed, and the NAT gateways in their routes. */
export function routingOf(plan: PlanFacts, subnet: string, vpc: string | null): Routing {
  const tables = [...lookedUp(plan, TABLES, subnet), ...lookedUp(plan, TABLES, `main ${vpc}`)];
  const ids = tables.flatMap(({ value }) => (value.Routes ?? []).map((one) => one.NatGatewayId));
  const natGateways = ids.flatMap((id) => lookedUp(plan, NAT_GATEWAYS, id));
  return { tables, natGateways, areNatGatewaysKnown: false };
}

function wayOfSubnet(plan: PlanFacts, subnet: Planned<'aws/subnet'>): PlannedWay {
  const { SubnetId: id = '', VpcId: vpc } = subnet.value;
  const doubt = plan.doubtOf('aws/route-table');
  if (doubt !== null) return unknown(`${doubt.what} (${doubt.address})`);
  const way = wayOut(routingOf(plan, id, vpc ?? null), id, vpc ?? null);
  if (way.kind !== 'closed') return { kind: 'open' };
  const isNew = lookedUp(plan, VPCS, vpc).some(({ change }) => change === 'create');
  if (!isNew) return unknown(`which VPC endpoints the VPC of ${subnet.address} has`);
  const open = plan.doubtOf('aws/vpc-endpoint');
  if (open !== null) return unknown(`${open.what} (${open.address})`);
  const endpoints = lookedUp(plan, ENDPOINTS, vpc);
  const lacking = SERVICES.filter((service) => endpointOf(endpoints, vpc ?? '', service) === null);
  return lacking.length === 0 ? { kind: 'open' } : { kind: 'closed', subnet, way, lacking };
}

/** True where images are found and nobody hands out the tokens for them. */
export function isEcrApiAlone(lacking: readonly string[]): boolean {
  return lacking.length === 1 && lacking[0] === 'ecr.api';
}
