/** States of machines that are not Nodes, or not under the name that they should have. */
import { launch } from './cloud.ts';
import { eksCluster, healthyNodes, join, JOINED, kubeadmCluster, nodeMapping } from './clusters.ts';
import { goneNode, putLease, UNINITIALIZED } from './nodes.ts';
import { putEvent } from './objects.ts';
import { putPod } from './pods.ts';
import { ACCOUNT, DAY, REGION, type Scene } from './scene.ts';
import type { LiveState } from './state.ts';

const NAME = `ip-10-40-1-50.${REGION}.compute.internal`;
const ADDRESS = '10.40.1.50';

/** A machine that has run for 40 minutes without a Node. */
function lonely(cluster: ReturnType<typeof eksCluster>): string {
  return launch(cluster.scene, cluster.grounds, 40, { address: ADDRESS, addresses: 0 }).id;
}

const NO_CAPACITY =
  'creating instance, all requested instance types were unavailable during launch; InsufficientInstanceCapacity: We currently do not have sufficient p4d.24xlarge capacity in the Availability Zone you requested (eu-central-1b). Our system will be working on provisioning additional capacity.';

function putDefinition(scene: Scene, kind: string, plural: string): void {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  scene.put(60 * DAY, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.karpenter.sh` },
    spec: {
      group: 'karpenter.sh',
      scope: 'Cluster',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
        },
      ],
    },
  });
}

function layClaim(scene: Scene): void {
  const cluster = eksCluster(scene);
  healthyNodes(cluster, 2);
  putDefinition(scene, 'NodePool', 'nodepools');
  putDefinition(scene, 'NodeClaim', 'nodeclaims');
  const apiVersion = 'karpenter.sh/v1';
  const requirements = [
    { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['p4d.24xlarge'] },
    { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['eu-central-1b'] },
  ];
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  scene.put(20 * DAY, {
    apiVersion,
    kind: 'NodePool',
    metadata: { name: 'training' },
    spec: { template: { spec: { requirements, nodeClassRef } } },
    status: { conditions: [condition(scene, 'Ready', 'True', 'Ready', DAY)] },
  });
  const claim = scene.put(5, {
    apiVersion,
    kind: 'NodeClaim',
    metadata: { name: 'training-8hq4v', labels: { 'karpenter.sh/nodepool': 'training' } },
    spec: { requirements, nodeClassRef },
    status: {
      conditions: [
        {
          ...condition(scene, 'Launched', 'False', 'InsufficientInstanceCapacity', 4),
          message: NO_CAPACITY,
        },
        condition(scene, 'Registered', 'Unknown', 'AwaitingReconciliation', 4),
        condition(scene, 'Initialized', 'Unknown', 'AwaitingReconciliation', 4),
        condition(scene, 'Ready', 'Unknown', 'ReconcilingDependents', 4),
      ],
    },
  });
  putEvent(
    scene,
    claim,
    ['InsufficientCapacityError', `NodeClaim training-8hq4v event: ${NO_CAPACITY}`],
    { minutes: 0.5, firstMinutes: 4, count: 5, component: 'karpenter' },
  );
}

function condition(scene: Scene, type: string, status: string, reason: string, minutes: number) {
  return { type, status, reason, lastTransitionTime: scene.ago(minutes) };
}

/** The Node registered, and was deleted seconds later; its kubelet lives on. */
function layDeleted(scene: Scene): string {
  const { grounds } = kubeadmCluster(scene);
  const machine = launch(scene, grounds, 9, { ...JOINED, address: ADDRESS, isSpot: true });
  const node = goneNode(NAME);
  const told = (reason: string, message: string, minutes: number, component: string): void =>
    putEvent(scene, node, [reason, message], { minutes, type: 'Normal', component });
  told(
    'RegisteredNode',
    `Node ${NAME} event: Registered Node ${NAME} in Controller`,
    7.5,
    'node-controller',
  );
  told(
    'DeletingNode',
    `Deleting node ${NAME} because it's not present according to cloud provider`,
    7.45,
    'cloud-node-lifecycle-controller',
  );
  told(
    'RemovingNode',
    `Node ${NAME} event: Removing Node ${NAME} from Controller`,
    7.4,
    'node-controller',
  );
  putLease(scene, NAME, 7.5, 0.1);
  return machine.id;
}

export const STATES_OF_JOINING: readonly LiveState[] = [
  {
    id: 'l01',
    title: 'Karpenter asks for a GPU type that its zone has no capacity of',
    end: 'broken',
    accept: ['insufficient-instance-capacity'],
    stage: 'launched',
    shows: ['p4d.24xlarge', 'InsufficientInstanceCapacity', 'training-8hq4v'],
    lay(scene) {
      layClaim(scene);
      return null;
    },
  },
  {
    id: 'l20',
    title: 'Private subnets without a NAT gateway in a VPC without endpoints',
    end: 'broken',
    accept: ['no-nat-or-vpc-endpoints'],
    stage: 'reachable',
    shows: ['0.0.0.0/0', 'endpoint'],
    lay: (scene) => lonely(eksCluster(scene, { grounds: { hasWayOut: false } })),
  },
  {
    id: 'l30',
    title: 'Machines run and kube-system has no aws-auth',
    end: 'broken',
    accept: ['aws-auth-missing'],
    stage: 'authenticated',
    shows: ['aws-auth', 'role/harbor-node'],
    lay: (scene) => lonely(eksCluster(scene, { mapRoles: null })),
  },
  {
    id: 'l31',
    title: 'aws-auth maps the node role with its path',
    end: 'broken',
    accept: ['role-path-in-aws-auth'],
    stage: 'authenticated',
    shows: [`arn:aws:iam::${ACCOUNT}:role/teams/harbor/harbor-node`],
    lay(scene) {
      const path = '/teams/harbor/';
      const mapRoles = nodeMapping(`arn:aws:iam::${ACCOUNT}:role${path}harbor-node`);
      return lonely(eksCluster(scene, { grounds: { path }, mapRoles }));
    },
  },
  {
    id: 'l37',
    title:
      'The cluster reads access entries only, aws-auth is right, and the node role has no entry',
    end: 'broken',
    accept: ['access-entry-missing'],
    stage: 'authenticated',
    shows: ['role/harbor-node'],
    lay(scene) {
      const cluster = eksCluster(scene, { eks: { mode: 'API' } });
      const principalArn = `arn:aws:iam::${ACCOUNT}:role/people`;
      scene.cloud.controls.createAccessEntry({ cluster: 'harbor', principalArn, type: 'STANDARD' });
      return lonely(cluster);
    },
  },
  {
    id: 'l41',
    title: 'All that both APIs show is right, and a machine has no Node after 40 minutes',
    end: 'open',
    accept: [],
    stage: null,
    shows: [],
    lay(scene) {
      const cluster = eksCluster(scene);
      healthyNodes(cluster, 2);
      return lonely(cluster);
    },
  },
  {
    id: 'l50',
    title: 'DHCP options hand out a domain of the company, so EC2 knows no such name',
    end: 'broken',
    accept: ['foreign-dhcp-domain-name'],
    stage: 'identified',
    isEks: false,
    shows: ['ip-10-40-1-50.office.example.net', NAME],
    lay(scene) {
      const name = 'ip-10-40-1-50.office.example.net';
      const cluster = kubeadmCluster(scene, {
        domainName: 'office.example.net',
        cloudControllerLog: `E0317 11:58:03.221040       1 node_controller.go:281] error syncing '${name}': failed to get provider ID for node ${name} at cloudprovider: failed to get instance ID from cloud provider: instance not found, requeuing\n`,
      });
      const machine = launch(scene, cluster.grounds, 45, { ...JOINED, address: ADDRESS });
      join(cluster, machine, { name, isInitialized: false, taints: [UNINITIALIZED] });
      return name;
    },
  },
  {
    id: 'l53',
    title: 'A machine came back under its EC2 name, and its old Node is still there',
    end: 'broken',
    accept: ['old-name-node-left-behind'],
    stage: 'identified',
    isEks: false,
    shows: ['node07.k8s.internal', NAME],
    lay(scene) {
      const cluster = kubeadmCluster(scene);
      const machine = launch(scene, cluster.grounds, 50 * DAY, { ...JOINED, address: ADDRESS });
      const machineId = 'ec2f0a1b2c3d4e5f60718293a4b5c6d7';
      const name = 'node07.k8s.internal';
      join(cluster, machine, { name, machineId, isInitialized: false, silentMinutes: 51 });
      join(cluster, machine, { minutes: 49, machineId });
      return name;
    },
  },
  {
    id: 'l60',
    title: 'Kubelets wait for a cloud controller, and there is none',
    end: 'broken',
    accept: ['no-cloud-controller-manager'],
    stage: 'registered',
    isEks: false,
    shows: ['node.cloudprovider.kubernetes.io/uninitialized'],
    lay(scene) {
      const cluster = kubeadmCluster(scene, { hasCloudController: false });
      const machine = launch(scene, cluster.grounds, 45, { ...JOINED, address: ADDRESS });
      join(cluster, machine, { isInitialized: false, taints: [UNINITIALIZED] });
      const pod = putPod(scene, { name: 'cart-7d9c6-4xw2p', node: null, minutes: 30 });
      putEvent(
        scene,
        pod,
        [
          'FailedScheduling',
          '0/2 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 node(s) had untolerated taint {node.cloudprovider.kubernetes.io/uninitialized: true}.',
        ],
        { minutes: 0.7, firstMinutes: 30, count: 6, component: 'default-scheduler' },
      );
      return NAME;
    },
  },
  {
    id: 'l70',
    title: 'A Node was deleted as not in the cloud seconds after it joined, and its instance runs',
    end: 'broken',
    accept: ['instance-not-yet-visible-in-ec2', 'node-deleted-as-not-in-cloud'],
    stage: 'retained',
    isEks: false,
    shows: ['not present according to cloud provider', 'DeletingNode', NAME],
    lay: layDeleted,
  },
  {
    id: 'l72',
    title: 'All that is left of a Node is a Lease that is renewed every ten seconds',
    end: 'broken',
    accept: ['no-reregistration-after-deletion'],
    stage: 'retained',
    isEks: false,
    shows: [NAME],
    lay(scene) {
      const { grounds } = kubeadmCluster(scene);
      const machine = launch(scene, grounds, 400, { ...JOINED, address: ADDRESS });
      putLease(scene, NAME, 396, 0.1);
      return machine.id;
    },
  },
  {
    id: 'l77',
    title: 'The roll call of three machines of which none has joined',
    end: 'broken',
    accept: ['aws-auth-missing'],
    stage: 'authenticated',
    command: 'status',
    shows: ['aws-auth-missing'],
    lay(scene) {
      const { grounds } = eksCluster(scene, { mapRoles: null });
      for (const [index, subnet] of ([0, 1, 0] as const).entries())
        launch(scene, grounds, 40, {
          subnet,
          address: `10.40.${subnet + 1}.${50 + index}`,
          addresses: 0,
        });
      return null;
    },
  },
];
