import { CONDITION_TYPES } from '../controllers/agent/conditions.ts';
import { agentPolicy } from './agent-policy.ts';
import { roleAnnotation } from './aws.ts';
import {
  appMetadata,
  clusterWide,
  httpCheck,
  IMAGE,
  LABELS,
  type Part,
  placed,
  PULL_SECRETS,
  RESTRICTED_CONTAINER,
  RESTRICTED_POD,
  serviceAccount,
} from './objects.ts';
import { boundRole, rule } from './rights.ts';
import {
  allOf,
  anyOf,
  type Condition,
  each,
  hasItem,
  isOn,
  joined,
  NAMESPACE_PATH,
  piece,
  type TemplateFields,
  text,
  value,
  when,
} from './template.ts';

export const AGENT = 'rollcall-agent';
/** The half in the machine's network, which has no access to the API server. */
const MACHINE = 'rollcall-agent-machine';
const PORT = 8471;
const STATE_FOLDER = '/run/rollcall';
const STATE = `${STATE_FOLDER}/machine.json`;
const SOCKETS = '/var/lib/kubelet/plugins_registry';

function looksAt(probe: string): Condition {
  return hasItem('agent.probes', probe);
}

const HAS_MACHINE = anyOf(looksAt('metadata'), looksAt('kubelet'), looksAt('interruption'));
const HAS_SOCKETS = looksAt('csi');
const SLICES = rule('discovery.k8s.io', 'endpointslices', 'list');

/** Its Node and the conditions of its Node, and what single probes need besides. */
function roles(): readonly (TemplateFields | ReturnType<typeof when>)[] {
  const own = [rule('', 'nodes', 'get'), rule('', 'nodes/status', 'patch')];
  const csi = when(HAS_SOCKETS, rule('storage.k8s.io', 'csinodes', 'get'));
  const apiServer = { name: `${AGENT}-api-server`, namespace: 'default', labels: LABELS };
  const peers = placed(`${AGENT}-own`);
  return [
    ...boundRole(AGENT, clusterWide(AGENT), [...own, csi]),
    ...boundRole(AGENT, apiServer, [SLICES]).map((one) => when(looksAt('api-server'), one)),
    ...boundRole(AGENT, peers, [SLICES]).map((one) => when(looksAt('pod-network'), one)),
  ];
}

function service(): TemplateFields {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: appMetadata(AGENT),
    spec: { clusterIP: 'None', selector: { app: AGENT }, ports: [{ name: 'http', port: PORT }] },
  };
}

/** On every Node from the start, also behind the taints that its conditions remove. */
function daemonSet(name: string, pod: TemplateFields): TemplateFields {
  const labels = { app: name };
  const spec = {
    serviceAccountName: name,
    priorityClassName: 'system-node-critical',
    imagePullSecrets: PULL_SECRETS,
    tolerations: [{ operator: 'Exists' }],
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    terminationGracePeriodSeconds: 5,
    ...pod,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: appMetadata(name),
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
      template: { metadata: { labels: { ...labels, ...LABELS } }, spec },
    },
  };
}

const STATE_VOLUME = {
  name: 'state',
  hostPath: { path: STATE_FOLDER, type: 'DirectoryOrCreate' },
};

const POD_ARGS = [
  'agent',
  '--conditions',
  text('--probes=', joined('agent.probes')),
  text('--namespace=', piece(NAMESPACE_PATH)),
  when(HAS_MACHINE, `--machine-state=${STATE}`),
  when(looksAt('disk'), '--disk=/scratch'),
  each('agent.csiDrivers', '--csi-driver='),
  each('agent.registries', '--registry='),
  when(isOn('agent.identity'), text('--identity=', piece('agent.identity'))),
  when(isOn('agent.identityRole'), text('--identity-role=', piece('agent.identityRole'))),
  `--listen=0.0.0.0:${PORT}`,
  each('agent.args', ''),
];

/** In the pod network, without privileges: what it sees is what pods see. */
function podHalf(): TemplateFields {
  const container = {
    name: 'agent',
    ...IMAGE,
    args: POD_ARGS,
    env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
    ports: [{ name: 'http', containerPort: PORT }],
    livenessProbe: httpCheck('/livez', PORT),
    readinessProbe: httpCheck('/readyz', PORT),
    resources: value('agent.resources'),
    securityContext: RESTRICTED_CONTAINER,
    volumeMounts: [
      // A folder of the kubelet's own file system, which is the one that fills.
      { name: 'scratch', mountPath: '/scratch' },
      when(HAS_MACHINE, { name: 'state', mountPath: STATE_FOLDER, readOnly: true }),
      when(HAS_SOCKETS, { name: 'sockets', mountPath: SOCKETS, readOnly: true }),
    ],
  };
  return daemonSet(AGENT, {
    securityContext: RESTRICTED_POD,
    containers: [container],
    volumes: [
      { name: 'scratch', emptyDir: { sizeLimit: '1Mi' } },
      when(HAS_MACHINE, STATE_VOLUME),
      when(HAS_SOCKETS, { name: 'sockets', hostPath: { path: SOCKETS, type: '' } }),
    ],
  });
}

/** In the machine's network, with what reading its rules takes, and with no credentials at all. */
function machineHalf(): TemplateFields {
  const args = [
    'agent',
    `--write-machine-state=${STATE}`,
    '--machine-root=/host',
    '--logs=/host/var/log',
  ];
  const container = {
    name: 'agent',
    ...IMAGE,
    args,
    resources: value('agent.resources'),
    securityContext: {
      ...RESTRICTED_CONTAINER,
      runAsUser: 0,
      // iptables-save, nft and conntrack of the machine; chroot to run them.
      capabilities: { drop: ['ALL'], add: ['NET_ADMIN', 'SYS_CHROOT'] },
    },
    volumeMounts: [
      { name: 'state', mountPath: STATE_FOLDER },
      { name: 'machine', mountPath: '/host', readOnly: true },
    ],
  };
  return daemonSet(MACHINE, {
    hostNetwork: true,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
    containers: [container],
    volumes: [STATE_VOLUME, { name: 'machine', hostPath: { path: '/', type: 'Directory' } }],
  });
}

/** Volumes of the machine, which no level of pod security but the privileged one allows. */
export const NEEDS_MACHINE = allOf(isOn('agent.enabled'), anyOf(HAS_MACHINE, HAS_SOCKETS));

/** The agent on each Node; the policy first, so that no agent is ever without it. */
export function agentParts(): readonly Part[] {
  const enabled = isOn('agent.enabled');
  const annotations = roleAnnotation('aws.agentRoleArn');
  return [
    {
      name: 'agent-admission-policy',
      condition: allOf(enabled, isOn('admissionPolicies.enabled')),
      objects: agentPolicy({ account: AGENT, types: CONDITION_TYPES }),
    },
    {
      name: 'agent',
      condition: enabled,
      objects: [
        serviceAccount(AGENT, { annotations, isMounted: true }),
        when(HAS_MACHINE, serviceAccount(MACHINE, { isMounted: false })),
        ...roles(),
        service(),
        podHalf(),
        when(HAS_MACHINE, machineHalf()),
      ],
    },
  ];
}
