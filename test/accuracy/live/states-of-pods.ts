/** States of Nodes on which pods do not get what they need. */
import type { JsonObject } from '../../../src/evidence/json.ts';
import { ISSUER, launch } from './cloud.ts';
import {
  type Cluster,
  eksCluster,
  healthyNodes,
  join,
  JOINED,
  kubeadmCluster,
  nextAddress,
  work,
} from './clusters.ts';
import type { Placed } from './nodes.ts';
import { putConfigMap, putEvent } from './objects.ts';
import { CREATING, putDaemonPod, putDaemonSet, putPod } from './pods.ts';
import { ACCOUNT, REGION, type Scene } from './scene.ts';
import type { LiveState } from './state.ts';

const NAME = `ip-10-40-1-50.${REGION}.compute.internal`;
const ADDRESS = '10.40.1.50';

/** Pods that wait for a sandbox, because the CNI has no address for them. */
function addressless(cluster: Cluster, node: Placed, count: number): void {
  for (let index = 0; index < count; index++) {
    const name = `orders-6f5b8-${index}t9kz`;
    const pod = putPod(cluster.scene, { name, node, minutes: 15, waiting: CREATING });
    const sandbox = `7be0${index}c4418d2`;
    putEvent(
      cluster.scene,
      pod,
      [
        'FailedCreatePodSandBox',
        `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "${sandbox}": plugin type="aws-cni" name="aws-cni" failed (add): add cmd: failed to assign an IP address to container`,
      ],
      { minutes: 0.2, firstMinutes: 14, count: 55 },
    );
  }
}

function laySubnet(scene: Scene): string {
  const cluster = eksCluster(scene, { grounds: { cidr: '10.40.1.0/27' } });
  const other = join(
    cluster,
    launch(scene, cluster.grounds, 90, { address: '10.40.1.12', addresses: 9 }),
  );
  work(cluster, other, 9);
  const machine = launch(scene, cluster.grounds, 90, { address: '10.40.1.20', addresses: 9 });
  const node = join(cluster, machine);
  work(cluster, node, 9);
  scene.cloud.controls.exhaustSubnet(cluster.grounds.subnetIds[0], 0);
  addressless(cluster, node, 3);
  return node.name;
}

/** A pod with a role that its account has no provider for. */
function layRole(scene: Scene): string {
  const cluster = eksCluster(scene, { eks: { hasProvider: false } });
  const host = ISSUER.replace('https://', '');
  const Federated = `arn:aws:iam::${ACCOUNT}:oidc-provider/${host}`;
  const StringEquals = {
    [`${host}:sub`]: 'system:serviceaccount:shop:orders',
    [`${host}:aud`]: 'sts.amazonaws.com',
  };
  const Action = 'sts:AssumeRoleWithWebIdentity';
  const Statement = [
    { Effect: 'Allow', Principal: { Federated }, Action, Condition: { StringEquals } },
  ];
  const role = scene.cloud.controls.createRole({
    name: 'orders',
    trust: { Version: '2012-10-17', Statement },
  });
  const [node] = healthyNodes(cluster, 2);
  if (node === undefined) throw new RangeError('there is no node');
  putOrders(cluster, node, role);
  return node.name;
}

function putOrders(cluster: Cluster, node: Placed, role: string): void {
  const { scene } = cluster;
  const annotations = { 'eks.amazonaws.com/role-arn': role };
  const metadata = { name: 'orders', namespace: 'shop', annotations };
  scene.put(20 * 1440, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const mountPath = '/var/run/secrets/eks.amazonaws.com/serviceaccount';
  const message = `operation error STS: AssumeRoleWithWebIdentity, https response error StatusCode: 400, InvalidIdentityToken: No OpenIDConnect provider found in your account for ${ISSUER}`;
  const audience = { audience: 'sts.amazonaws.com', expirationSeconds: 86400, path: 'token' };
  const pod = putPod(scene, {
    name: 'orders-6f5b8-mv2rd',
    node,
    minutes: 45,
    address: nextAddress(cluster, node),
    serviceAccount: 'orders',
    restarts: 12,
    waiting: {
      reason: 'CrashLoopBackOff',
      message: 'back-off 5m0s restarting failed container=app',
    },
    terminated: { reason: 'Error', message },
    log: `${message}\n`,
    volumes: [
      { name: 'aws-iam-token', projected: { sources: [{ serviceAccountToken: audience }] } },
    ],
    more: {
      env: [
        { name: 'AWS_ROLE_ARN', value: role },
        { name: 'AWS_WEB_IDENTITY_TOKEN_FILE', value: `${mountPath}/token` },
      ],
      volumeMounts: [{ name: 'aws-iam-token', mountPath, readOnly: true }],
    },
  });
  const words = 'Back-off restarting failed container app in pod orders-6f5b8-mv2rd_shop';
  putEvent(scene, pod, ['BackOff', words], { minutes: 0.3, firstMinutes: 43, count: 190 });
}

const GATE: JsonObject = {
  key: 'nidhogg.uswitch.com/kube-system.kiam-agent',
  effect: 'NoSchedule',
};

/** kiam with its server on the control plane, and nidhogg that waits for its agents. */
function kiam(scene: Scene, hasReadinessProbe: boolean) {
  const cluster = kubeadmCluster(scene);
  putConfigMap(scene, 'nidhogg-config', {
    'config.json':
      '{"taintNamePrefix":"nidhogg.uswitch.com","daemonsets":[{"name":"kiam-agent","namespace":"kube-system"}]}',
  });
  const image = 'quay.io/uswitch/kiam:v4.2';
  const nodeSelector = { 'node-role.kubernetes.io/control-plane': '' };
  const servers = putDaemonSet(scene, 'kiam-server', { image, nodeSelector });
  putDaemonPod(scene, servers, cluster.control);
  const probe = (path: string): JsonObject => ({ httpGet: { path, port: 8181 }, periodSeconds: 3 });
  const agents = putDaemonSet(scene, 'kiam-agent', {
    image,
    more: {
      args: ['agent', '--iptables', '--host-interface=cali+', '--port=8181'],
      livenessProbe: probe('/ping'),
      ...(hasReadinessProbe ? { readinessProbe: probe('/health?deep=1') } : {}),
    },
  });
  return { ...cluster, agents };
}

const AGENT_LOG = `{"level":"info","msg":"listening :8181","time":"2026-03-17T11:51:02Z"}
{"addr":"192.168.50.2:41612","level":"error","method":"GET","msg":"error processing request: rpc error: code = DeadlineExceeded desc = context deadline exceeded","path":"/latest/meta-data/iam/security-credentials/","status":500,"time":"2026-03-17T11:52:14Z"}
{"addr":"192.168.50.2:41688","level":"error","method":"GET","msg":"error processing request: rpc error: code = Unavailable desc = all SubConns are in TransientFailure","path":"/latest/meta-data/iam/security-credentials/","status":500,"time":"2026-03-17T11:52:44Z"}
`;

function layShallow(scene: Scene): string {
  const cluster = kiam(scene, false);
  const machine = launch(scene, cluster.grounds, 12, { ...JOINED, address: ADDRESS });
  const node = join(cluster, machine);
  putDaemonPod(scene, cluster.agents, node, { log: AGENT_LOG });
  const message = 'NoCredentialProviders: no valid providers in chain. Deprecated.';
  const pod = putPod(scene, {
    name: 'orders-6f5b8-h7d4s',
    node,
    minutes: 9,
    address: nextAddress(cluster, node),
    annotations: { 'iam.amazonaws.com/role': 'orders' },
    restarts: 5,
    waiting: { reason: 'CrashLoopBackOff', message: 'back-off 2m40s restarting failed container' },
    terminated: { reason: 'Error', message },
    log: `${message}\n`,
  });
  const words = 'Back-off restarting failed container app in pod orders-6f5b8-h7d4s_shop';
  putEvent(scene, pod, ['BackOff', words], { minutes: 0.3, firstMinutes: 8, count: 33 });
  return node.name;
}

function layGate(scene: Scene): string {
  const cluster = kiam(scene, true);
  const machine = launch(scene, cluster.grounds, 40, { ...JOINED, address: ADDRESS });
  const node = join(cluster, machine, { taints: [GATE] });
  const pod = putDaemonPod(scene, cluster.agents, node, { isReady: false });
  const words = 'Readiness probe failed: HTTP probe failed with statuscode: 500';
  putEvent(scene, pod, ['Unhealthy', words], { minutes: 0.1, firstMinutes: 37, count: 730 });
  return node.name;
}

const DRIVER_TAINT = { key: 'ebs.csi.aws.com/agent-not-ready', effect: 'NoExecute' };
const DRIVER_LOG = `I0317 11:22:02.113412       1 main.go:158] "Initializing metadata"
I0317 11:22:03.470911       1 driver.go:69] "Driver Information" Driver="ebs.csi.aws.com" Version="v1.51.0"
I0317 11:22:05.343460       1 node.go:935] "CSINode Allocatable value is set" nodeName="${NAME}" count=26
I0317 11:22:05.351207       1 node.go:881] "No taints to remove on node, skipping taint removal"
`;

function layLateTaint(scene: Scene): string {
  const cluster = eksCluster(scene, { hasDisks: true });
  healthyNodes(cluster, 2);
  const machine = launch(scene, cluster.grounds, 40, { address: ADDRESS });
  const wrote = (manager: string, minutes: number, fieldsV1: JsonObject): JsonObject => ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: scene.ago(minutes),
    fieldsType: 'FieldsV1',
    fieldsV1,
  });
  const node = join(cluster, machine, {
    taints: [DRIVER_TAINT],
    drivers: ['ebs.csi.aws.com'],
    without: ['ebs-csi-node'],
    managedFields: [
      wrote('kubelet', 38.5, { 'f:metadata': { 'f:labels': { '.': {} } } }),
      wrote('eks-node-manager', 35, { 'f:spec': { 'f:taints': {} } }),
    ],
  });
  const set = cluster.sets['ebs-csi-node'];
  if (set !== undefined) putDaemonPod(scene, set, node, { log: DRIVER_LOG });
  return node.name;
}

function layTooMany(scene: Scene): string {
  const cluster = eksCluster(scene);
  const machine = launch(scene, cluster.grounds, 360, {
    type: 't3.small',
    address: ADDRESS,
    addresses: 3,
    interfaces: [4, 4],
  });
  const node = join(cluster, machine);
  work(cluster, node, 9);
  const pod = putPod(scene, { name: 'orders-6f5b8-0t9kz', node: null, minutes: 20 });
  const words =
    '0/1 nodes are available: 1 Too many pods. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.';
  const told = { minutes: 0.5, firstMinutes: 20, count: 6, component: 'default-scheduler' };
  putEvent(scene, pod, ['FailedScheduling', words], told);
  return node.name;
}

function layMaxPods(scene: Scene): string {
  const cluster = eksCluster(scene);
  healthyNodes(cluster, 1);
  const machine = launch(scene, cluster.grounds, 300, {
    type: 't3.small',
    address: ADDRESS,
    addresses: 3,
    interfaces: [4, 4],
  });
  const node = join(cluster, machine, { slots: 110 });
  work(cluster, node, 9);
  addressless(cluster, node, 4);
  return node.name;
}

export const STATES_OF_PODS: readonly LiveState[] = [
  {
    id: 'l80',
    title: 'The subnet of a node has no free address',
    end: 'broken',
    accept: ['subnet-out-of-pod-addresses'],
    stage: 'networked',
    shows: ['failed to assign an IP address', 'subnet-'],
    lay: laySubnet,
  },
  {
    id: 'l85',
    title: 'A t3.small says that it takes 110 pods and has nine addresses for them',
    end: 'broken',
    accept: ['max-pods-above-address-capacity', 'eni-limit-reached'],
    stage: 'networked',
    shows: ['t3.small', '110', '11'],
    lay: layMaxPods,
  },
  {
    id: 'l90',
    title: 'A service account has a role, and the account has no OIDC provider of the cluster',
    end: 'broken',
    accept: ['irsa-oidc-provider-missing'],
    stage: 'credentialed',
    shows: ['No OpenIDConnect provider found', ISSUER],
    lay: layRole,
  },
  {
    id: 'l93',
    title: 'kiam-agent counts as Ready without a readiness probe and does not reach its server',
    end: 'broken',
    accept: ['shallow-kiam-readiness', 'gate-opened-too-early'],
    stage: 'credentialed',
    isEks: false,
    shows: ['kiam-agent', 'context deadline exceeded'],
    lay: layShallow,
  },
  {
    id: 'l94',
    title: 'nidhogg holds a node whose kiam-agent does not become Ready',
    end: 'broken',
    accept: ['gate-daemonset-pod-not-ready'],
    stage: 'gated',
    isEks: false,
    shows: ['nidhogg.uswitch.com/kube-system.kiam-agent', 'Readiness probe failed'],
    lay: layGate,
  },
  {
    id: 'l96',
    title: 'The taint of the EBS driver came after the driver had looked for it',
    end: 'broken',
    accept: ['startup-taint-added-after-removal'],
    stage: 'gated',
    shows: ['ebs.csi.aws.com/agent-not-ready', 'eks-node-manager'],
    lay: layLateTaint,
  },
  {
    id: 'la3',
    title: 'Every slot of a t3.small is taken, and another pod waits',
    end: 'broken',
    accept: ['allocatable-too-small'],
    stage: 'usable',
    shows: ['Too many pods'],
    lay: layTooMany,
  },
];
