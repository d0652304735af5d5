import { type CniSetup, cniSetupBy } from '../../../capacity/cluster/aws-node.ts';
import type { InstanceType } from '../../../capacity/instance-type.ts';
import { knownType } from '../../../capacity/known-type.ts';
import { type JsonObject, listAt, textAt, textsAt } from '../../../evidence/json.ts';
import type { AwsApi } from '../../../ports/aws-api.ts';
import type { KubeApi } from '../../../ports/kube-api.ts';
import { NODES } from '../../gate/plan.ts';
import { askForAll } from '../aws-read.ts';
import type { NamedMachine } from '../machine/named-machines.ts';
import type { CniContainer } from './aws-node.ts';

/** A Node as the arithmetic of addresses needs it. */
export interface CniNode {
  readonly name: string;
  /** null where the shipped table does not have it. */
  readonly type: InstanceType | null;
  /** null where the kubelet does not say. */
  readonly maxPods: number | null;
  /** The diagnosis names a cause for its machine. */
  readonly isTroubled: boolean;
}

/** What a change of settings is decided on. */
export interface CniFacts {
  readonly setup: CniSetup;
  readonly nodes: readonly CniNode[];
  /** Free addresses of the fullest subnet of the machines in trouble; null is not known. */
  readonly freeAddresses: number | null;
}

/** How the CNI is set up; a variable that comes from elsewhere counts as unset. */
export function setupOf({ env, image }: CniContainer): CniSetup {
  const texts = env.map((one) => [textAt(one, 'name') ?? '', textAt(one, 'value') ?? ''] as const);
  return cniSetupBy(new Map(texts), image);
}

/** All Nodes, and which of them are in trouble. @throws PortError */
export async function readNodes(
  kube: KubeApi,
  machines: readonly NamedMachine[],
): Promise<readonly CniNode[]> {
  const names = new Set(machines.map(({ node }) => node));
  const nodes: CniNode[] = [];
  for await (const { items } of kube.list(NODES))
    for (const node of items) nodes.push(nodeOf(node, names));
  return nodes;
}

function nodeOf(node: JsonObject, troubled: ReadonlySet<string | null>): CniNode {
  const name = textAt(node, 'metadata.name') ?? '';
  const labels = textsAt(node, 'metadata.labels');
  const pods = textAt(node, 'status.capacity.pods') ?? '';
  return {
    name,
    type: knownType(labels['node.kubernetes.io/instance-type'] ?? '', []),
    maxPods: /^\d{1,6}$/.test(pods) ? Number(pods) : null,
    isTroubled: troubled.has(name),
  };
}

/** Free addresses of the fullest subnet of these machines; null where one is not shown. @throws PortError */
export async function readFreeAddresses(
  aws: AwsApi,
  machines: readonly NamedMachine[],
): Promise<number | null> {
  const ids = machines.flatMap(({ instanceId }) => (instanceId === null ? [] : [instanceId]));
  if (ids.length === 0) return null;
  const found = await askForAll(
    aws,
    { service: 'ec2', operation: 'DescribeInstances', input: { InstanceIds: ids } },
    'Reservations',
  );
  const instances = found.flatMap((reservation) => listAt(reservation, 'Instances'));
  const subnets = new Set(instances.map((instance) => textAt(instance, 'SubnetId') ?? ''));
  subnets.delete('');
  if (subnets.size === 0) return null;
  const shown = await askForAll(
    aws,
    { service: 'ec2', operation: 'DescribeSubnets', input: { SubnetIds: [...subnets] } },
    'Subnets',
  );
  const free = shown.map((subnet) => Number(textAt(subnet, 'AvailableIpAddressCount') ?? 'NaN'));
  const least = Math.min(...free);
  return free.length === subnets.size && Number.isFinite(least) ? least : null;
}
