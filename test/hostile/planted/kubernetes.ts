/** Objects of every kind that Rollcall lists, with secrets wherever somebody can put one. */
import type { JsonObject } from '../../../src/evidence/json.ts';
import type { Planted } from './make.ts';

/** The secrets of a place: each shape once, or the first so many; the place is remembered. */
export type Plant = (place: string, most?: number) => readonly Planted[];

const NODE = 'ip-10-0-1-5.eu-west-1.compute.internal';
const CREATED = '2026-11-22T08:00:00Z';

/** As texts, each in its shape. */
function texts(plant: Plant, place: string): readonly string[] {
  return plant(place).map(({ text }) => text);
}

/** Values without their shapes differ in their letters alone. */
const ALONE = 12;

/** As values alone, under names that tell nothing. */
export function values(plant: Plant, place: string): JsonObject {
  return Object.fromEntries(plant(place, ALONE).map(({ secret }, index) => [`x${index}`, secret]));
}

function metadata(plant: Plant, kind: string, name: string, namespace: string | null): JsonObject {
  const place = `${kind} annotation`;
  const applied = JSON.stringify({ kind, spec: { data: texts(plant, `${kind} last-applied`) } });
  return {
    name,
    ...(namespace === null ? {} : { namespace }),
    uid: `0f1e2d3c-0000-4000-8000-${kind.length.toString(16).padStart(12, '0')}`,
    creationTimestamp: CREATED,
    labels: { app: 'shop', 'k8s-app': name },
    annotations: {
      ...values(plant, place),
      'kubectl.kubernetes.io/last-applied-configuration': applied,
      'example.com/notes': texts(plant, `${kind} annotation text`).join('\n'),
      'eks.amazonaws.com/role-arn': texts(plant, `${kind} known annotation`).join(' '),
    },
    managedFields: [{ manager: 'kubectl', fieldsV1: values(plant, `${kind} managed fields`) }],
  };
}

function conditions(plant: Plant, kind: string): readonly JsonObject[] {
  return texts(plant, `${kind} condition`).map((message, index) => ({
    type: index === 0 ? 'Ready' : `Condition${index}`,
    status: 'False',
    reason: 'KubeletNotReady',
    message,
    lastTransitionTime: CREATED,
  }));
}

function container(plant: Plant, place: string): JsonObject {
  return {
    name: 'web',
    image: 'shop/web:v1',
    command: ['/bin/sh', '-c', texts(plant, `${place} command`).join('; ')],
    args: texts(plant, `${place} args`),
    env: Object.entries(values(plant, `${place} env`)).map(([name, value]) => ({ name, value })),
    envFrom: [{ prefix: texts(plant, `${place} envFrom`).join('') }],
    readinessProbe: {
      exec: { command: texts(plant, `${place} probe`) },
      httpGet: {
        path: '/healthz',
        port: 80,
        httpHeaders: texts(plant, `${place} probe header`).map((value) => ({ name: 'A', value })),
      },
    },
    lifecycle: { postStart: { exec: { command: texts(plant, `${place} lifecycle`) } } },
  };
}

function podSpec(plant: Plant, place: string): JsonObject {
  return {
    nodeName: NODE,
    serviceAccountName: 'web',
    containers: [container(plant, place)],
    initContainers: [container(plant, `${place} init`)],
    volumes: [
      { name: 'a', csi: { volumeAttributes: values(plant, `${place} volume`) } },
      { name: 'b', flexVolume: { options: values(plant, `${place} flex volume`) } },
    ],
    hostAliases: [{ ip: '127.0.0.1', hostnames: texts(plant, `${place} host alias`) }],
  };
}

function containerStatuses(plant: Plant): readonly JsonObject[] {
  return texts(plant, 'Pod container state').map((message, index) => ({
    name: `web${index}`,
    ready: false,
    restartCount: 9,
    state: { waiting: { reason: 'CrashLoopBackOff', message } },
    lastState: { terminated: { exitCode: 1, reason: 'Error', message, finishedAt: CREATED } },
  }));
}

function event(message: string, index: number): JsonObject {
  return {
    metadata: { name: `web.${index}`, namespace: 'production', uid: `e${index}` },
    involvedObject: { kind: 'Node', name: NODE },
    type: 'Warning',
    reason: index % 2 === 0 ? 'FailedToCreateEndpoint' : 'FailedMount',
    message: `Error syncing: Unauthorized: ${message}`,
    source: { component: 'kubelet', host: NODE },
    lastTimestamp: CREATED,
    firstTimestamp: CREATED,
    count: 3,
  };
}

function configMap(plant: Plant, name: string): JsonObject {
  const entries =
    name === 'aws-auth'
      ? {
          mapRoles: `- rolearn: arn:aws:iam::111122223333:role/other\n  username: x\n  groups: []\n${texts(
            plant,
            'aws-auth comment',
          )
            .map((text) => `# ${text.replaceAll('\n', ' ')}\n`)
            .join('')}`,
        }
      : {
          ...values(plant, `ConfigMap ${name}`),
          'app.properties': texts(plant, `ConfigMap ${name} file`).join('\n'),
        };
  return {
    metadata: metadata(plant, `ConfigMap ${name}`, name, 'kube-system'),
    data: entries,
    binaryData: { x: btoa(texts(plant, `ConfigMap ${name} binary`).join('\n')) },
  };
}

function webhook(plant: Plant, kind: string): JsonObject {
  return {
    metadata: metadata(plant, kind, 'policy', null),
    webhooks: texts(plant, `${kind} URL`).map((text, index) => ({
      name: `w${index}.example.com`,
      failurePolicy: 'Fail',
      clientConfig: { url: `https://policy.example.net/?${text}`, caBundle: 'x' },
      rules: [{ apiGroups: [''], operations: ['CREATE'], resources: ['nodes'], scope: '*' }],
    })),
  };
}

function conditioned(plant: Plant, kind: string, spec: JsonObject = {}): JsonObject {
  return {
    metadata: metadata(plant, kind, `a-${kind.toLowerCase()}`, null),
    spec: { ...spec, extra: values(plant, `${kind} spec`) },
    status: { conditions: conditions(plant, kind), extra: values(plant, `${kind} status`) },
  };
}

function workload(plant: Plant, kind: string): JsonObject {
  return {
    metadata: metadata(plant, kind, 'web', 'production'),
    spec: {
      selector: { matchLabels: { app: 'shop' } },
      template: {
        metadata: {
          labels: { app: 'shop' },
          annotations: values(plant, `${kind} template annotation`),
        },
        spec: podSpec(plant, `${kind} template`),
      },
    },
    status: { desiredNumberScheduled: 3, numberReady: 1, conditions: conditions(plant, kind) },
  };
}

function plain(plant: Plant, kind: string, name: string, namespace: string | null): JsonObject {
  return {
    metadata: metadata(plant, kind, name, namespace),
    spec: values(plant, `${kind} spec`),
    status: values(plant, `${kind} status`),
  };
}

function node(plant: Plant): JsonObject {
  return {
    metadata: metadata(plant, 'Node', NODE, null),
    spec: { providerID: 'aws:///eu-west-1a/i-0123456789abcdef0', x: values(plant, 'Node spec') },
    status: {
      addresses: [{ type: 'InternalIP', address: '10.0.1.5' }],
      conditions: conditions(plant, 'Node'),
      nodeInfo: { kubeletVersion: 'v1.36.3' },
    },
  };
}

function pod(plant: Plant): JsonObject {
  return {
    metadata: metadata(plant, 'Pod', 'web-1', 'production'),
    spec: podSpec(plant, 'Pod'),
    status: {
      phase: 'Pending',
      startTime: CREATED,
      message: texts(plant, 'Pod message').join('; '),
      conditions: conditions(plant, 'Pod'),
      containerStatuses: containerStatuses(plant),
    },
  };
}

function signingRequest(plant: Plant): JsonObject {
  return {
    metadata: metadata(plant, 'CertificateSigningRequest', 'csr-1', null),
    spec: {
      request: btoa(texts(plant, 'CSR request').join('\n')),
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      username: 'system:bootstrap:abcdef',
      extra: values(plant, 'CSR extra'),
    },
    status: { conditions: conditions(plant, 'CertificateSigningRequest') },
  };
}

function coreLists(plant: Plant): Readonly<Record<string, readonly JsonObject[]>> {
  const lease = plain(plant, 'Lease', NODE, 'kube-node-lease');
  return {
    nodes: [node(plant)],
    pods: [pod(plant)],
    events: texts(plant, 'Event').map(event),
    leases: [{ ...lease, spec: { renewTime: '2026-11-22T09:00:00Z' } }],
    configmaps: ['aws-auth', 'shop', 'kubeadm-config', 'cloud-config', 'cilium-config'].map(
      (name) => configMap(plant, name),
    ),
    daemonsets: [workload(plant, 'DaemonSet')],
    deployments: [workload(plant, 'Deployment')],
    serviceaccounts: [plain(plant, 'ServiceAccount', 'web', 'production')],
    namespaces: [plain(plant, 'Namespace', 'production', null)],
    certificatesigningrequests: [signingRequest(plant)],
  };
}

/** By the plural of the kind. */
export function plantedLists(plant: Plant): Readonly<Record<string, readonly JsonObject[]>> {
  const userData = texts(plant, 'EC2NodeClass user data').join('\n');
  return {
    ...coreLists(plant),
    csinodes: [plain(plant, 'CSINode', NODE, null)],
    mutatingwebhookconfigurations: [webhook(plant, 'MutatingWebhookConfiguration')],
    validatingwebhookconfigurations: [webhook(plant, 'ValidatingWebhookConfiguration')],
    endpointslices: [plain(plant, 'EndpointSlice', 'dns-1', 'kube-system')],
    persistentvolumeclaims: [plain(plant, 'PersistentVolumeClaim', 'data', 'production')],
    persistentvolumes: [plain(plant, 'PersistentVolume', 'pv-1', null)],
    poddisruptionbudgets: [plain(plant, 'PodDisruptionBudget', 'web', 'production')],
    nodeclaims: [conditioned(plant, 'NodeClaim')],
    nodepools: [conditioned(plant, 'NodePool')],
    ec2nodeclasses: [conditioned(plant, 'EC2NodeClass', { userData })],
    eniconfigs: [conditioned(plant, 'ENIConfig')],
    cninodes: [conditioned(plant, 'CNINode')],
    securitygrouppolicies: [conditioned(plant, 'SecurityGroupPolicy')],
    nodereadinessrules: [conditioned(plant, 'NodeReadinessRule')],
  };
}

/** The log of a container, a shape a line. */
export function plantedLog(plant: Plant, place: string): string {
  return texts(plant, place)
    .map(
      (text) => `E1122 09:00:00.000000 1 main.go:7] Unauthorized: ${text.replaceAll('\n', ' ')}\n`,
    )
    .join('');
}
