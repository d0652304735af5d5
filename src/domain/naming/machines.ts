import { factValues } from '../../evidence/fact-values.ts';
import type { FactTypes, KubeNode } from '../../evidence/kinds.ts';
import { instanceIdIn, ipInName } from '../../evidence/names.ts';
import type { Observations } from '../../evidence/observations.ts';
import type { Told } from '../../evidence/shape.ts';
import type { Instance } from '../../evidence/aws/instance.ts';

/** What `rollcall name` reads; its permissions are those of the calls that show these. */
export const NAMING_KINDS = [
  'kube/Node',
  'kube/Pod',
  'kube/Deployment',
  'kube/DaemonSet',
  'kube/ConfigMap',
  'kube/CSINode',
  'kube/CertificateSigningRequest',
  'kube/aws-auth',
  'aws/instance',
  'aws/image',
  'aws/subnet',
  'aws/network-interface',
  'aws/vpc',
  'aws/vpc-attribute',
  'aws/dhcp-options',
  'aws/cluster',
  'aws/access-entry',
  'aws/instance-profile',
] as const;

type NamingKind = (typeof NAMING_KINDS)[number];

/** The values of a kind for which permissions are listed. */
export function namingValues<K extends NamingKind>(
  observations: Observations,
  kind: K,
): readonly FactTypes[K][] {
  return factValues(observations, kind);
}

/** A machine: its instance, and the Nodes that may be its own. */
export interface NamingMachine {
  readonly instance: Instance | null;
  readonly node: KubeNode | null;
}

function instancesOf(observations: Observations): readonly Instance[] {
  const items = namingValues(observations, 'aws/instance');
  return [...new Map(items.map((item) => [item.InstanceId ?? '', item])).values()];
}

/** The Nodes that were seen, each once. */
export function nodesOf(observations: Observations): readonly KubeNode[] {
  const nodes = namingValues(observations, 'kube/Node');
  return [...new Map(nodes.map((node) => [node.name, node])).values()];
}

/** The address of a Node, as it says it or as its name spells it. */
export function addressOfNode(node: KubeNode): string | null {
  return node.internalIp ?? ipInName(node.name);
}

function isInstanceOf(instance: Instance, node: KubeNode): boolean {
  const id = instance.InstanceId ?? null;
  const named = instanceIdIn(`${node.providerId ?? ''} ${node.name}`);
  if (named !== null) return named === id;
  if (node.name === instance.PrivateDnsName?.toLowerCase()) return true;
  return (
    addressOfNode(node) !== null && addressOfNode(node) === (instance.PrivateIpAddress ?? null)
  );
}

function namesOfInstance(instance: Instance): readonly Told<string>[] {
  return [instance.InstanceId, instance.PrivateDnsName, instance.PrivateIpAddress];
}

function isRunning(instance: Instance): boolean {
  return !['terminated', 'shutting-down'].includes(instance.State?.Name ?? '');
}

/** True while the kubelet itself says that the Node is Ready or is not: a silent one is Unknown. */
export function isReportedTo(node: KubeNode): boolean {
  const isOwnFalse = node.conditions.some(
    ({ type, status }) => type === 'Ready' && status === 'False',
  );
  return node.ready === true || isOwnFalse;
}

/** Ready Nodes first, then those reported to, then the youngest: so the machine is called today. */
function currentNode(instance: Instance, nodes: readonly KubeNode[]): KubeNode | null {
  const own = nodes.filter((node) => isInstanceOf(instance, node));
  const sorted = own.toSorted(
    (a, b) =>
      Number(b.ready === true) - Number(a.ready === true) ||
      Number(isReportedTo(b)) - Number(isReportedTo(a)) ||
      (b.createdMs ?? 0) - (a.createdMs ?? 0),
  );
  return sorted[0] ?? null;
}

function isSameMachine(a: KubeNode, b: KubeNode): boolean {
  const [idA, idB] = [a, b].map(({ providerId }) => instanceIdIn(providerId ?? ''));
  if (idA !== null && idB !== null) return idA === idB;
  return addressOfNode(a) !== null && addressOfNode(a) === addressOfNode(b);
}

/** Where AWS said nothing: the Ready one of the Nodes with the same address. */
function withoutInstance(asked: KubeNode, nodes: readonly KubeNode[]): NamingMachine {
  const ready = nodes.find((node) => node.ready === true && isSameMachine(asked, node));
  return { instance: null, node: asked.ready === true ? asked : (ready ?? asked) };
}

/** The machine of that name; null when nothing is called so. */
export function machineNamed(observations: Observations, name: string): NamingMachine | null {
  const wanted = name.toLowerCase();
  const nodes = nodesOf(observations);
  const asked = nodes.find((node) => node.name === wanted || addressOfNode(node) === wanted);
  const instances = instancesOf(observations);
  const instance =
    instances.find((item) => namesOfInstance(item).some((one) => one?.toLowerCase() === wanted)) ??
    instances.find((item) => asked !== undefined && isRunning(item) && isInstanceOf(item, asked));
  if (instance === undefined) return asked === undefined ? null : withoutInstance(asked, nodes);
  return { instance, node: currentNode(instance, nodes) };
}

/** Every machine: running instances with their Nodes, and Nodes without an instance. */
export function machinesOf(observations: Observations): readonly NamingMachine[] {
  const nodes = nodesOf(observations);
  const instances = instancesOf(observations).filter(isRunning);
  const own = instances.map((instance) => ({ instance, node: currentNode(instance, nodes) }));
  const alone = nodes.filter((node) => !instances.some((item) => isInstanceOf(item, node)));
  return [...own, ...alone.map((node) => ({ instance: null, node }))];
}
