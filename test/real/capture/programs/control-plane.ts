/** Programs of the control plane under flags, certificates and storage that break them. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { until } from '../../bench.ts';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from '../../control-plane.ts';
import type { KubeEvent } from '../../kube-client.ts';
import { partPath } from '../../parts.ts';
import { layNode } from '../objects.ts';
import { runProgram } from '../run-program.ts';
import type { Scenario, Truth } from '../scenario.ts';
import { NODE_NAME } from '../stage.ts';
import type { ExampleFile } from '../../../causes/example.ts';

const execute = promisify(execFile);

interface Broken extends Truth {
  readonly id: string;
  readonly broken: string;
  readonly needs?: readonly string[];
  readonly plane: (folder: string) => ControlPlaneOptions;
  readonly look: (plane: ControlPlane, folder: string) => Promise<readonly ExampleFile[]>;
}

async function kubectl(kubeconfig: string, ...args: readonly string[]): Promise<string> {
  const env = { KUBECONFIG: kubeconfig };
  return (await runProgram({ program: partPath('kubectl'), args, env })).text;
}

/** A client certificate that another authority signed. */
async function foreignKubeconfig(plane: ControlPlane, folder: string): Promise<string> {
  const at = (name: string): string => join(folder, name);
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await execute('openssl', [
    'req',
    '-x509',
    ...ec,
    '-keyout',
    at('other-ca.key'),
    '-out',
    at('other-ca.crt'),
    '-days',
    '30',
    '-subj',
    '/CN=kubernetes',
  ]);
  await execute('openssl', [
    'req',
    '-new',
    ...ec,
    '-keyout',
    at('node.key'),
    '-out',
    at('node.csr'),
    '-subj',
    `/O=system:nodes/CN=system:node:${NODE_NAME}`,
  ]);
  await execute('openssl', [
    'x509',
    '-req',
    '-in',
    at('node.csr'),
    '-CA',
    at('other-ca.crt'),
    '-CAkey',
    at('other-ca.key'),
    '-set_serial',
    '4711',
    '-days',
    '30',
    '-out',
    at('node.crt'),
  ]);
  const config = JSON.parse(readFileSync(plane.kubeconfigPath, 'utf8'));
  config.users[0].user = { 'client-certificate': at('node.crt'), 'client-key': at('node.key') };
  writeFileSync(at('foreign.kubeconfig'), JSON.stringify(config));
  return at('foreign.kubeconfig');
}

const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: RequestResponse
  verbs: [delete, create]
  resources: [{group: "", resources: [nodes]}]
`;

function auditFlags(folder: string): readonly string[] {
  const policy = join(folder, 'audit-policy.yaml');
  writeFileSync(policy, AUDIT_POLICY);
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, 'audit.log')}`];
}

const WEBHOOK = {
  metadata: { name: 'policy-webhook' },
  webhooks: [
    {
      name: 'check.policy.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      timeoutSeconds: 2,
      clientConfig: {
        service: { name: 'policy-webhook', namespace: 'policy-system', path: '/check' },
      },
      rules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nodes'] },
      ],
    },
  ],
};

const NODE_YAML = `apiVersion: v1\nkind: Node\nmetadata: {name: ${NODE_NAME}}\n`;

async function applyNode(plane: ControlPlane, folder: string): Promise<string> {
  const path = join(folder, 'node.yaml');
  writeFileSync(path, NODE_YAML);
  return kubectl(plane.kubeconfigPath, 'create', '-f', path);
}

const SMALL_RANGE = [
  '--allocate-node-cidrs=true',
  '--cluster-cidr=10.244.0.0/24',
  '--node-cidr-mask-size=25',
];

async function layThreeNodes({ client }: ControlPlane): Promise<void> {
  for (const last of [7, 8, 9])
    await layNode(client, {
      name: `ip-10-0-31-${last}.eu-west-1.compute.internal`,
      providerId: `aws:///eu-west-1a/i-0a1b2c3d4e5f6071${last}`,
    });
  await until('the event CIDRNotAvailable', async () => {
    const events = await client.list<KubeEvent>('/api/v1/events');
    return events.some(({ reason }) => reason === 'CIDRNotAvailable') ? true : null;
  });
}

/** Fills the storage until it takes no more. */
async function fill({ client }: ControlPlane): Promise<void> {
  const blob = 'x'.repeat(900_000);
  for (let count = 0; count < 40; count++) {
    const name = `fill-${count}`;
    const made = await client
      .create('/api/v1/namespaces/default/configmaps', { metadata: { name }, data: { blob } })
      .catch(() => null);
    if (made === null) return;
  }
  throw new Error('the storage does not fill');
}

const TOKEN = {
  metadata: { name: 'bootstrap-token-07401b' },
  type: 'bootstrap.kubernetes.io/token',
  stringData: {
    'token-id': '07401b',
    'token-secret': 'f395accd246ae52d',
    'usage-bootstrap-authentication': 'true',
  },
};

/** A kubeconfig that presents a bootstrap token. */
function tokenKubeconfig(plane: ControlPlane, folder: string, token: string): string {
  const config = JSON.parse(readFileSync(plane.kubeconfigPath, 'utf8'));
  config.users[0].user = { token };
  const path = join(folder, 'token.kubeconfig');
  writeFileSync(path, JSON.stringify(config));
  return path;
}

function apiServerLog({ programs }: ControlPlane, keep: RegExp): string {
  const lines = programs['kube-apiserver']?.log().split('\n') ?? [];
  return lines.filter((line) => keep.test(line)).join('\n');
}

const BROKEN: readonly Broken[] = [
  {
    id: 'kube-apiserver/foreign-client-certificate',
    broken: 'a kubelet presents a certificate of another authority',
    cause: 'client-certificate-of-foreign-ca',
    expect: 'found',
    plane: () => ({}),
    look: async (plane, folder) => {
      const kubeconfig = await foreignKubeconfig(plane, folder);
      for (let count = 0; count < 6; count++) await kubectl(kubeconfig, 'get', 'node', NODE_NAME);
      return [{ name: 'kube-apiserver.log', text: apiServerLog(plane, /^[EW]/) }];
    },
  },
  {
    id: 'kube-apiserver/node-deleted-by-hand',
    broken: 'somebody deletes a Node, and the audit log has it',
    cause: 'node-deleted-by-other-actor',
    expect: 'found',
    plane: (folder) => ({ apiServerFlags: auditFlags(folder) }),
    look: async (plane, folder) => {
      await layNode(plane.client, { name: NODE_NAME });
      const alice = await plane.writeKubeconfig('alice@example.com', ['system:masters']);
      await kubectl(alice, 'delete', 'node', NODE_NAME);
      await sleep(500);
      return [{ name: 'audit.log', text: readFileSync(join(folder, 'audit.log'), 'utf8') }];
    },
  },
  {
    id: 'kube-apiserver/node-webhook-gone',
    broken: 'a webhook without a service checks every Node',
    cause: 'webhook-blocks-node-registration',
    expect: 'found',
    plane: (folder) => ({ apiServerFlags: auditFlags(folder) }),
    look: async (plane, folder) => {
      await plane.client.create(
        '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
        WEBHOOK,
      );
      await sleep(1_000);
      await applyNode(plane, folder);
      await sleep(500);
      return [{ name: 'audit.log', text: readFileSync(join(folder, 'audit.log'), 'utf8') }];
    },
  },
  {
    id: 'kube-controller-manager/pod-range-used-up',
    broken: 'the range of the pods is too small for three Nodes',
    cause: 'pod-cidr-not-assigned',
    expect: 'found',
    needs: ['kube-controller-manager'],
    plane: () => ({ controllers: true, controllerFlags: SMALL_RANGE }),
    look: async (plane) => {
      await layThreeNodes(plane);
      const lines = plane.programs['kube-controller-manager']?.log().split('\n') ?? [];
      return [
        {
          name: 'kube-controller-manager.log',
          text: lines.filter((line) => /^[EW]/.test(line)).join('\n'),
        },
      ];
    },
  },
  {
    id: 'kube-controller-manager/pod-range-used-up-events',
    broken: 'the range of the pods is too small for three Nodes',
    cause: 'pod-cidr-not-assigned',
    expect: 'found',
    needs: ['kube-controller-manager'],
    plane: () => ({ controllers: true, controllerFlags: SMALL_RANGE }),
    look: async (plane) => {
      await layThreeNodes(plane);
      return [
        { name: 'events.txt', text: await kubectl(plane.kubeconfigPath, 'get', 'events', '-A') },
        {
          name: 'nodes.yaml',
          text: await kubectl(plane.kubeconfigPath, 'get', 'nodes', '-o', 'yaml'),
        },
      ];
    },
  },
  {
    id: 'etcd/space-exceeded',
    broken: 'the storage is full',
    cause: 'overloaded-api-server',
    expect: 'found',
    plane: () => ({ etcdFlags: ['--quota-backend-bytes=16777216'] }),
    look: async (plane, folder) => {
      await fill(plane);
      return [
        { name: 'create-node.txt', text: await applyNode(plane, folder) },
        { name: 'kube-apiserver.log', text: apiServerLog(plane, /space exceeded/) },
      ];
    },
  },
  {
    id: 'etcd/gone',
    broken: 'etcd has ended',
    cause: 'overloaded-api-server',
    expect: 'unknown',
    plane: () => ({}),
    look: async (plane, folder) => {
      await plane.programs['etcd']?.stop();
      await sleep(3_000);
      const text = await runProgram({
        program: partPath('kubectl'),
        args: ['--request-timeout=5s', 'get', 'nodes'],
        env: { KUBECONFIG: plane.kubeconfigPath },
      });
      void folder;
      return [
        { name: 'kubectl.txt', text: text.text },
        {
          name: 'kube-apiserver.log',
          text: apiServerLog(plane, /^[EW].*(?:etcd|2379|connection refused)/)
            .split('\n')
            .slice(-12)
            .join('\n'),
        },
      ];
    },
  },
  {
    id: 'kubectl/bootstrap-token-reads-node',
    broken: 'a bootstrap token asks for a Node',
    cause: 'bootstrap-token-without-node-read',
    expect: 'found',
    plane: () => ({}),
    look: async (plane, folder) => {
      await plane.client.create('/api/v1/namespaces/kube-system/secrets', TOKEN);
      const kubeconfig = tokenKubeconfig(plane, folder, '07401b.f395accd246ae52d');
      return [{ name: 'kubectl.txt', text: await kubectl(kubeconfig, 'get', 'node', NODE_NAME) }];
    },
  },
  {
    id: 'kubectl/unauthorized',
    broken: 'a token that nobody knows asks for Nodes',
    cause: 'aws-auth-missing',
    expect: 'unknown',
    plane: () => ({}),
    look: async (plane, folder) => {
      const kubeconfig = tokenKubeconfig(plane, folder, 'k8s-aws-v1.aHR0cHM6Ly9zdHM');
      return [{ name: 'kubectl.txt', text: await kubectl(kubeconfig, 'get', 'nodes') }];
    },
  },
];

export const CONTROL_PLANE_PROGRAMS: readonly Scenario[] = BROKEN.map(
  ({ id, broken, needs = [], plane, look, ...truth }) => ({
    ...truth,
    id,
    source: `Kubernetes 1.36.3 in which ${broken}`,
    needs: ['kube-apiserver', 'etcd', 'kubectl', ...needs],
    system: ['openssl'],
    run: async (stage) => {
      const folder = stage.bench.dir;
      const made = await startControlPlane(plane(folder));
      try {
        return await look(made, folder);
      } finally {
        await made.stop();
      }
    },
  }),
);
