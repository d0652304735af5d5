import { textAt } from '../../../evidence/json.ts';
import { PortError } from '../../../ports/port-error.ts';
import { isAnother } from '../another-cluster.ts';
import { askOnce } from '../aws-read.ts';
import type { FixOrder, FixStep, FixTools } from '../fix.ts';
import { plainStep } from '../step.ts';
import { decidePlace, type MappingPlace, type PlaceDecision } from './decide-entry.ts';
import { fixEntry } from './fix-entry.ts';
import { fixMap } from './fix-map.ts';
import type { MapEditor } from './map-editor.ts';
import { mappingOf, type NodeType, rolePartsOf } from './node-mapping.ts';

export interface AuthOrder extends FixOrder {
  readonly cluster: string;
  /** ARN of the role, with its path where it has one. */
  readonly role: string;
  readonly type: NodeType;
  /** null as the cluster's authentication mode says. */
  readonly place: MappingPlace | null;
  readonly editor: MapEditor;
}

/** Lets a node role in, where the cluster reads it. */
export async function fixAuth(order: AuthOrder, tools: FixTools): Promise<readonly FixStep[]> {
  const { role, type } = order;
  const parts = rolePartsOf(role);
  if (parts === null) return [plainStep(`role ${role}`, 'refused', notARole(role))];
  const place = await placeOf(order, tools);
  if (typeof place !== 'string') return [place];
  if (place === 'access-entry') return await fixEntry(order, tools);
  return [await fixMap({ ...order, mapping: mappingOf(parts.plain, type) }, tools)];
}

function notARole(role: string): string {
  return `${role} is no ARN of an IAM role such as arn:aws:iam::111122223333:role/nodes.`;
}

/** Where the cluster looks for the role, or why nothing may be written. */
async function placeOf(order: AuthOrder, tools: FixTools): Promise<MappingPlace | FixStep> {
  const { place, cluster } = order;
  const name = `cluster ${cluster}`;
  try {
    const decision = await decided(order, tools);
    return decision.do === 'map' ? decision.place : plainStep(name, 'refused', decision.why);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    // Whoever names aws-auth knows that it is read; where it is not, an entry does nothing.
    if (place === 'aws-auth' && error.failure !== 'not-found') return place;
    const why = `The authentication mode of cluster ${cluster} is unknown. ${error.message}`;
    return plainStep(name, 'refused', why);
  }
}

/** A cluster that says no mode has the one of before there was a choice. @throws PortError */
async function decided(
  { cluster, place }: AuthOrder,
  { aws, kube }: FixTools,
): Promise<PlaceDecision> {
  if (aws === null) throw new PortError({ failure: 'not-configured', message: NO_AWS });
  const call = { service: 'eks', operation: 'DescribeCluster', input: { name: cluster } } as const;
  const answer = await askOnce(aws, call);
  const endpoint = textAt(answer, 'cluster.endpoint') ?? '';
  if (isAnother(kube.server, endpoint)) return { do: 'refuse', why: another(cluster, kube.server) };
  return decidePlace(textAt(answer, 'cluster.accessConfig.authenticationMode') ?? USUAL, place);
}

const USUAL = 'CONFIG_MAP';
const NO_AWS = 'AWS could not be opened; name a region and a profile: --region, --profile.';

function another(cluster: string, server: string): string {
  return `The kubeconfig names the API server of another cluster than ${cluster}: ${server}; choose its context: --context.`;
}
