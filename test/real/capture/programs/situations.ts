/** States of a cluster that a real control plane makes of what is laid into it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../bench.ts';
import type { KubeClient, KubeEvent, Node } from '../../kube-client.ts';
import { layDaemonSet, layNode, layPod } from '../objects.ts';
import type { Situation } from '../scenario.ts';
import { NODE_NAME, type Stage } from '../stage.ts';

export interface Named {
  /** Completes “Kubernetes in which …”. */
  readonly what: string;
  readonly situation: Situation;
}

/** Events come a moment after what they tell of. */
const SETTLE_MS = 1_500;
const EVENTS = '/api/v1/events';
const SYSTEM_DAEMONSETS = '/apis/apps/v1/namespaces/kube-system/daemonsets';

export async function untilEvent(client: KubeClient, reason: string): Promise<void> {
  await until(`an event ${reason}`, async () => {
    const events = await client.list<KubeEvent>(EVENTS);
    return events.some((event) => event.reason === reason) ? true : null;
  });
  await sleep(SETTLE_MS);
}

export function named(
  what: string,
  lay: (client: KubeClient, stage: Stage) => Promise<void>,
): Named {
  return {
    what,
    situation: {
      prepare: async (stage) => {
        const { client } = await stage.controlPlane();
        await lay(client, stage);
      },
    },
  };
}

export const DAEMON = { tolerations: [{ operator: 'Exists' }] };
export const DEAD_WEBHOOK = {
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  failurePolicy: 'Fail',
  timeoutSeconds: 2,
  clientConfig: {
    service: { name: 'policy-webhook', namespace: 'policy-system', path: '/check', port: 443 },
  },
};

async function layWebhook(client: KubeClient, resource: string): Promise<void> {
  await client.create('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'policy-webhook' },
    webhooks: [
      {
        ...DEAD_WEBHOOK,
        name: 'check.policy.example.com',
        rules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [resource] },
        ],
      },
    ],
  });
}

export async function untilDaemonSetSeen(client: KubeClient): Promise<void> {
  await until('the DaemonSet controller', async () => {
    const sets = await client.list<{ status: { observedGeneration?: number } } & Node>(
      SYSTEM_DAEMONSETS,
    );
    return sets.every(({ status }) => status.observedGeneration === 1) ? true : null;
  });
  await sleep(SETTLE_MS);
}

export const CNI_NOT_READY =
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized';

const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/** A request as a kubelet with a bootstrap token makes it; nothing here approves those. */
export async function layCsr(client: KubeClient, stage: Stage, name: string): Promise<void> {
  const rbac = 'rbac.authorization.k8s.io';
  const binding = {
    metadata: { name: 'kubelet-bootstrap' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'system:node-bootstrapper' },
    subjects: [{ apiGroup: rbac, kind: 'Group', name: 'system:bootstrappers' }],
  };
  await client.create(BINDINGS, binding).catch(() => undefined);
  const plane = await stage.plane();
  const kubelet = await plane.clientOf('system:bootstrap:07401b', ['system:bootstrappers']);
  await kubelet.create(REQUESTS, {
    metadata: { name },
    spec: {
      request: Buffer.from(await nodeRequest(stage)).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
    },
  });
}

async function nodeRequest(stage: Stage): Promise<string> {
  const key = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    '/dev/null',
  ];
  const subject = ['-subj', `/O=system:nodes/CN=system:node:${NODE_NAME}`];
  const { text } = await stage.run({
    program: 'openssl',
    args: ['req', '-new', ...key, ...subject],
  });
  return /-----BEGIN[\s\S]*-----END CERTIFICATE REQUEST-----\n/.exec(text)?.[0] ?? '';
}

export const SITUATIONS = {
  'silent-kubelet': named('the kubelet of a Node fell silent', async (client) => {
    await layNode(client, { name: NODE_NAME });
    await untilEvent(client, 'NodeNotReady');
  }),
  cordoned: named('the only Node is cordoned and a pod waits', async (client, stage) => {
    await layNode(client, { name: NODE_NAME });
    await stage.kubectl(['cordon', NODE_NAME]);
    await layPod(client, 'orders-5b7d9c4f6-x2k4p');
    await untilEvent(client, 'FailedScheduling');
  }),
  dedicated: named('the only Node has a taint of its own and a pod waits', async (client) => {
    await layNode(client, {
      name: NODE_NAME,
      taints: [{ key: 'dedicated', value: 'batch', effect: 'NoSchedule' }],
    });
    await layPod(client, 'orders-5b7d9c4f6-x2k4p');
    await untilEvent(client, 'FailedScheduling');
  }),
  'no-room': named('a pod asks for more memory than the Node has', async (client) => {
    await layNode(client, { name: NODE_NAME, cpu: '1930m', memory: '1843Mi', pods: '11' });
    await layPod(
      client,
      'orders-5b7d9c4f6-x2k4p',
      {},
      { requests: { cpu: '500m', memory: '4Gi' } },
    );
    await untilEvent(client, 'FailedScheduling');
  }),
  'no-slots': named('every pod slot of the Node is taken', async (client) => {
    await layNode(client, { name: NODE_NAME, pods: '4' });
    for (const number of [1, 2, 3, 4])
      await layPod(client, `orders-${number}`, { nodeName: NODE_NAME });
    await layPod(client, 'orders-5');
    await untilEvent(client, 'FailedScheduling');
  }),
  uninitialized: named('no cloud controller manager initializes the Node', async (client) => {
    await layNode(client, {
      name: NODE_NAME,
      providerId: null,
      taints: [
        {
          key: 'node.cloudprovider.kubernetes.io/uninitialized',
          value: 'true',
          effect: 'NoSchedule',
        },
      ],
    });
    await layPod(client, 'orders-5b7d9c4f6-x2k4p');
    await untilEvent(client, 'FailedScheduling');
  }),
  'cni-selector': named(
    'the DaemonSet of the CNI selects a label that the Node lacks',
    async (client) => {
      await layNode(client, { name: NODE_NAME, ready: 'False', message: CNI_NOT_READY });
      await layDaemonSet(client, 'aws-node', {
        ...DAEMON,
        nodeSelector: { 'node.example.com/cni': 'vpc' },
      });
      await untilDaemonSetSeen(client);
    },
  ),
  'cni-toleration': named(
    'the DaemonSet of the CNI does not tolerate the taint of the Node',
    async (client) => {
      await layNode(client, {
        name: NODE_NAME,
        ready: 'False',
        message: CNI_NOT_READY,
        taints: [{ key: 'dedicated', value: 'batch', effect: 'NoSchedule' }],
      });
      await layDaemonSet(client, 'aws-node');
      await untilDaemonSetSeen(client);
    },
  ),
  'cni-quota': named('a ResourceQuota refuses the pods of the CNI', async (client) => {
    await client.create('/api/v1/namespaces/kube-system/resourcequotas', {
      metadata: { name: 'system' },
      spec: { hard: { pods: '0' } },
    });
    await until('the quota', async () => {
      const [quota] = await client.list<{ status: { hard?: object } } & Node>(
        '/api/v1/resourcequotas',
      );
      return quota?.status.hard === undefined ? null : true;
    });
    await layNode(client, { name: NODE_NAME, ready: 'False', message: CNI_NOT_READY });
    await layDaemonSet(client, 'aws-node', DAEMON);
    await untilEvent(client, 'FailedCreate');
  }),
  'system-webhook': named('a webhook that does not answer checks every pod', async (client) => {
    await layWebhook(client, 'pods');
    await layNode(client, { name: NODE_NAME, ready: 'False', message: CNI_NOT_READY });
    await layDaemonSet(client, 'aws-node', DAEMON);
    await untilEvent(client, 'FailedCreate');
  }),
  'no-gpu': named('a pod asks for a GPU that no Node offers', async (client) => {
    await layNode(client, {
      name: NODE_NAME,
      labels: { 'node.kubernetes.io/instance-type': 'g5.xlarge' },
    });
    await layPod(client, 'train-0', {}, { limits: { 'nvidia.com/gpu': '1' } });
    await untilEvent(client, 'FailedScheduling');
  }),
  'no-zone': named('the Node has no zone label and a pod asks for one', async (client) => {
    await layNode(client, { name: NODE_NAME });
    await layPod(client, 'orders-5b7d9c4f6-x2k4p', {
      nodeSelector: { 'topology.kubernetes.io/zone': 'eu-west-1a' },
    });
    await untilEvent(client, 'FailedScheduling');
  }),
  'stuck-pod': named(
    'a pod that was deleted stays on a Node that is gone silent',
    async (client) => {
      await layNode(client, { name: NODE_NAME });
      await layPod(client, 'orders-0', { nodeName: NODE_NAME, terminationGracePeriodSeconds: 1 });
      await client.remove('/api/v1/namespaces/default/pods/orders-0');
      await untilEvent(client, 'NodeNotReady');
    },
  ),
  'pending-csrs': named(
    'nobody approves the certificate requests of a kubelet',
    async (client, stage) => {
      for (const name of ['csr-4xk2p', 'csr-9wq7z', 'csr-h2m5t']) await layCsr(client, stage, name);
    },
  ),
  'two-names': named('one machine has two Nodes, the old one silent', async (client) => {
    await layNode(client, { name: 'node07.k8s.internal' });
    await untilEvent(client, 'NodeNotReady');
    await layNode(client, { name: NODE_NAME });
  }),
  'old-kubelet': named('the kubelet of a Node is five minor versions behind', async (client) => {
    await layNode(client, { name: NODE_NAME, version: 'v1.31.4' });
  }),
  'startup-taint': named('a startup taint stays on the Node', async (client) => {
    await layNode(client, {
      name: NODE_NAME,
      taints: [{ key: 'node.cilium.io/agent-not-ready', value: 'true', effect: 'NoExecute' }],
    });
    await layPod(client, 'orders-5b7d9c4f6-x2k4p');
    await untilEvent(client, 'FailedScheduling');
  }),
  'broken-aws-auth': named('aws-auth holds a list that is out of line', async (client) => {
    await client.create('/api/v1/namespaces/kube-system/configmaps', {
      metadata: { name: 'aws-auth' },
      data: {
        mapRoles:
          '- rolearn: arn:aws:iam::111122223333:role/orders-node\n username: system:node:{{EC2PrivateDNSName}}\n  groups:\n  - system:bootstrappers\n  - system:nodes\n',
      },
    });
  }),
} as const satisfies Readonly<Record<string, Named>>;

export type SituationName = keyof typeof SITUATIONS;
