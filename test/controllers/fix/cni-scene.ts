/** A cluster with the VPC CNI, its machines and their subnet, in memory. */
import type { CniOrder } from '../../../src/controllers/fix/cni/order.ts';
import { DAEMON_SETS } from '../../../src/controllers/gate/caches.ts';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { type Scene, scene } from './scene.ts';

export const INSTANCE = 'i-0123456789abcdef0';
const PLACE = { namespace: 'kube-system', name: 'aws-node' };

export interface CniScene extends Scene {
  /** The variables of the container aws-node as they are now. */
  readonly variables: () => Promise<Readonly<Record<string, string>>>;
  readonly putAwsNode: (env: Readonly<Record<string, string>>, more?: AwsNodeMore) => void;
}

interface AwsNodeMore {
  readonly image?: string;
  readonly managers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** A variable that comes from another object. */
  readonly from?: string;
}

export interface CniWorld {
  readonly type?: string;
  readonly maxPods?: string;
  readonly free?: number;
  /** Configuration values of the add-on; null where vpc-cni is none. */
  readonly addOn?: string | null;
}

/** What the manifest sets (amazon-vpc-cni-k8s v1.23.1). */
export const MANIFEST_ENV = {
  ENABLE_PREFIX_DELEGATION: 'false',
  WARM_ENI_TARGET: '1',
  WARM_PREFIX_TARGET: '1',
} as const;

export function awsNode(
  env: Readonly<Record<string, string>>,
  { image = 'v1.20.4', managers = ['kubectl'], annotations = {}, from }: AwsNodeMore = {},
): JsonObject {
  const valueFrom = { configMapKeyRef: { name: 'amazon-vpc-cni', key: 'warm' } };
  const entries: JsonObject[] = Object.entries(env).map(([name, value]) => ({ name, value }));
  if (from !== undefined) entries.push({ name: from, valueFrom });
  const containers = [
    { name: 'aws-eks-nodeagent', image: 'agent:v1' },
    { name: 'aws-node', image: `example.test/amazon-k8s-cni:${image}`, env: entries },
  ];
  const labels = { 'k8s-app': 'aws-node' };
  return {
    metadata: { ...PLACE, annotations, managedFields: managers.map((manager) => ({ manager })) },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

/** One machine of this type, in a subnet with so many free addresses. */
export function cniScene(world: CniWorld = {}): CniScene {
  const { type = 'm5.large', maxPods = '110', free = 200, addOn = null } = world;
  const at = scene();
  at.api.put(NODES, {
    metadata: { name: 'n1', labels: { 'node.kubernetes.io/instance-type': type } },
    status: { capacity: { pods: maxPods } },
  });
  at.aws.answer('ec2:DescribeInstances', () => [
    { Reservations: [{ Instances: [{ InstanceId: INSTANCE, SubnetId: 'subnet-1' }] }] },
  ]);
  at.aws.answer('ec2:DescribeSubnets', () => [
    { Subnets: [{ SubnetId: 'subnet-1', AvailableIpAddressCount: free }] },
  ]);
  at.aws.answer('eks:DescribeCluster', () => [{ cluster: { endpoint: 'https://kube.test' } }]);
  at.aws.answer('eks:DescribeAddon', () => {
    if (addOn === null) throw new PortError({ failure: 'not-found', message: 'No addon.' });
    return [{ addon: { configurationValues: addOn } }];
  });
  const put = (env: Readonly<Record<string, string>>, more: AwsNodeMore = {}): void => {
    at.api.put(DAEMON_SETS, awsNode(env, more));
  };
  put(MANIFEST_ENV);
  const variables = async (): Promise<Readonly<Record<string, string>>> => {
    const found = await at.api.get(DAEMON_SETS, PLACE);
    const [, container] = listAt(found, 'spec.template.spec.containers');
    const entries = listAt(container, 'env');
    return Object.fromEntries(
      entries.map((one) => [textAt(one, 'name') ?? '', textAt(one, 'value') ?? '']),
    );
  };
  return { ...at, variables, putAwsNode: put };
}

export function cniOrder(cause: string, more: Partial<CniOrder> = {}): CniOrder {
  const text = 'The machine is full.';
  return {
    id: 'cni-1',
    isDryRun: false,
    why: { kind: 'finding', name: cause, text },
    machines: [{ cause, summary: text, node: 'n1', instanceId: INSTANCE }],
    cluster: 'shop',
    ...more,
  };
}
