/** Further states: pressure, admission, mappings of roles, requests for certificates. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeClient } from '../../kube-client.ts';
import { layDaemonSet, layNode, layPod } from '../objects.ts';
import { NODE_NAME } from '../stage.ts';
import {
  CNI_NOT_READY,
  DAEMON,
  DEAD_WEBHOOK,
  layCsr,
  type Named,
  named,
  untilDaemonSetSeen,
  untilEvent,
} from './situations.ts';

const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const PODS = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };

async function layPodWebhook(client: KubeClient, clientConfig: object): Promise<void> {
  await client.create(WEBHOOKS, {
    metadata: { name: 'policy-webhook' },
    webhooks: [{ ...DEAD_WEBHOOK, clientConfig, name: 'check.policy.example.com', rules: [PODS] }],
  });
  await sleep(1_000);
}

/** A condition that the kubelet set, for which the node lifecycle controller adds its taint. */
function pressure(
  type: string,
  reason: string,
  message: string,
): (client: KubeClient) => Promise<void> {
  return async (client) => {
    await layNode(client, { name: NODE_NAME });
    const now = new Date().toISOString().replace(/\.\d+/, '');
    const times = { lastHeartbeatTime: now, lastTransitionTime: now };
    await client.patch(`/api/v1/nodes/${NODE_NAME}/status`, {
      status: {
        conditions: [
          { type, status: 'True', reason, message, ...times },
          {
            type: 'Ready',
            status: 'True',
            reason: 'KubeletReady',
            message: 'kubelet is posting ready status',
            ...times,
          },
        ],
      },
    });
    await sleep(1_500);
    await layPod(client, 'orders-5b7d9c4f6-x2k4p');
    await untilEvent(client, 'FailedScheduling');
  };
}

/** The ConfigMap aws-auth with this in mapRoles. */
function awsAuth(mapRoles: string): (client: KubeClient) => Promise<void> {
  return async (client) => {
    const maps = '/api/v1/namespaces/kube-system/configmaps';
    await client.remove(`${maps}/aws-auth`).catch(() => undefined);
    await client.create(maps, { metadata: { name: 'aws-auth' }, data: { mapRoles } });
  };
}

const GROUPS = '  groups:\n  - system:bootstrappers\n  - system:nodes\n';
const USER = '  username: system:node:{{EC2PrivateDNSName}}\n';
const ROLE = '- rolearn: arn:aws:iam::111122223333:role/';

/** A kubelet that is no more; the one who deletes may be anybody. */
async function layDeletedNode(client: KubeClient): Promise<void> {
  await layNode(client, { name: NODE_NAME });
  await untilEvent(client, 'RegisteredNode');
  await client.remove(`/api/v1/nodes/${NODE_NAME}`);
  await untilEvent(client, 'RemovingNode');
}

const waiting =
  (taint: string): ((client: KubeClient) => Promise<void>) =>
  async (client) => {
    await layNode(client, {
      name: NODE_NAME,
      taints: [{ key: taint, value: 'true', effect: 'NoSchedule' }],
    });
    await layPod(client, 'orders-5b7d9c4f6-x2k4p');
    await untilEvent(client, 'FailedScheduling');
  };

export const ACCESS_SITUATIONS = {
  'webhook-refuses-connection': named(
    'a webhook that nobody serves checks every pod',
    async (client) => {
      await layPodWebhook(client, { url: 'https://127.0.0.1:9/check' });
      await layNode(client, { name: NODE_NAME, ready: 'False', message: CNI_NOT_READY });
      await layDaemonSet(client, 'aws-node', DAEMON);
      await untilEvent(client, 'FailedCreate');
    },
  ),
  'memory-pressure': named(
    'a Node is short of memory',
    pressure(
      'MemoryPressure',
      'KubeletHasInsufficientMemory',
      'kubelet has insufficient memory available',
    ),
  ),
  'disk-pressure': named(
    'a Node is short of disk',
    pressure('DiskPressure', 'KubeletHasDiskPressure', 'kubelet has disk pressure'),
  ),
  'process-pressure': named(
    'a Node is short of process ids',
    pressure('PIDPressure', 'KubeletHasInsufficientPID', 'kubelet has insufficient PID available'),
  ),
  'no-cni': named('nobody installed a CNI', async (client) => {
    await layNode(client, { name: NODE_NAME, ready: 'False', message: CNI_NOT_READY });
    await layPod(client, 'orders-5b7d9c4f6-x2k4p');
    await untilEvent(client, 'FailedScheduling');
  }),
  'denied-csr': named('an administrator denied the request of a kubelet', async (client, stage) => {
    await layCsr(client, stage, 'csr-4xk2p');
    await stage.kubectl(['certificate', 'deny', 'csr-4xk2p']);
  }),
  'role-with-path': named(
    'aws-auth names the node role with its path',
    awsAuth(`${ROLE}eks/orders-node\n${USER}${GROUPS}`),
  ),
  'instance-profile': named(
    'aws-auth names an instance profile',
    awsAuth(`- rolearn: arn:aws:iam::111122223333:instance-profile/orders-node\n${USER}${GROUPS}`),
  ),
  'wrong-groups': named(
    'aws-auth gives the node role no group of nodes',
    awsAuth(`${ROLE}orders-node\n${USER}  groups:\n  - system:masters-of-nodes\n`),
  ),
  'wrong-user-name': named(
    'aws-auth gives nodes a user name that is none',
    awsAuth(`${ROLE}orders-node\n  username: orders-node\n${GROUPS}`),
  ),
  'good-mapping': named(
    'aws-auth is as it should be',
    awsAuth(`${ROLE}orders-node\n${USER}${GROUPS}`),
  ),
  'tab-in-mapping': named(
    'aws-auth has a tab in its list',
    awsAuth(`${ROLE}orders-node\n\tusername: system:node:{{EC2PrivateDNSName}}\n${GROUPS}`),
  ),
  'deleted-node': named('somebody deleted a Node', layDeletedNode),
  'nidhogg-taint': named(
    'a taint of nidhogg stays on the Node',
    waiting('nidhogg.uswitch.com/kube-system.kiam-agent'),
  ),
  'ebs-taint': named(
    'the start-up taint of the EBS driver stays on the Node',
    waiting('ebs.csi.aws.com/agent-not-ready'),
  ),
  'karpenter-taint': named(
    'the taint of an unregistered Karpenter node stays',
    waiting('karpenter.sh/unregistered'),
  ),
  'gpu-label-only': named(
    'a GPU label is on the Node and no device is registered',
    async (client) => {
      await layNode(client, {
        name: NODE_NAME,
        labels: {
          'nvidia.com/gpu.present': 'true',
          'node.kubernetes.io/instance-type': 'g5.xlarge',
        },
      });
      await layDaemonSet(client, 'nvidia-device-plugin-daemonset', {
        nodeSelector: { 'nvidia.com/gpu.deploy': 'true' },
      });
      await untilDaemonSetSeen(client);
      await layPod(client, 'train-0', {}, { limits: { 'nvidia.com/gpu': '1' } });
      await untilEvent(client, 'FailedScheduling');
    },
  ),
  'odd-provider-id': named('the providerID of the Node is malformed', async (client) => {
    await layNode(client, { name: NODE_NAME, providerId: 'aws:///eu-west-1a/ip-10-0-31-7' });
  }),
  healthy: named('nothing is broken', async (client) => {
    await layNode(client, { name: NODE_NAME });
    await layPod(client, 'orders-5b7d9c4f6-x2k4p');
    await untilEvent(client, 'Scheduled');
  }),
} as const satisfies Readonly<Record<string, Named>>;
