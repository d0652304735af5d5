import { DEFAULT_PROBES, PROBE_NAMES } from '../../../domain/nodes/agent-probes.ts';
import { IDENTITY_WAYS } from '../../../domain/pods/identity.ts';
import { declareCommand } from '../options/declaration.ts';

const PROBES = 'Probes';
const MACHINE = 'The machine';

export const AGENT = declareCommand({
  name: 'agent',
  summary: 'Prove from where pods are that a Node can carry them, as conditions of the Node',
  usage: [
    'agent [--conditions] [--probes NAME,…] [options]',
    'agent --write-machine-state FILE [--logs FOLDER]',
  ],
  description: [
    `Runs in a pod on each Node and looks, again and again, at what the pods of the Node depend on. Each probe is one condition of the Node: the first look that fails makes it False, several good ones in a row make it True, and what was not shown for too long is Unknown. By default it looks with ${DEFAULT_PROBES.join(', ')}.`,
    'Without --conditions it prints each change and writes nothing; with it, it writes the conditions of its own Node. /metrics, /livez and /readyz are served on --listen.',
    'With --write-machine-state it is the half that runs in the network of the machine: it has no access to the API server, keeps the redirect rules and connections of instance metadata in a file for the other half, and prints the lines of /var/log that are about trouble. See docs/agent.md.',
  ],
  words: { most: 0, completes: [] },
  options: {
    conditions: { kind: 'flag', help: "Write the conditions of the agent's own Node" },
    'dry-run': {
      kind: 'flag',
      help: 'Have the server check each write of --conditions and store nothing',
    },
    node: { kind: 'text', value: 'NAME', help: "The agent's own Node; $NODE_NAME by default" },
    probes: {
      kind: 'choice',
      value: 'NAME',
      noun: 'probe',
      values: PROBE_NAMES,
      multiple: true,
      help: 'What to look at; may be given several times and with commas',
    },
    interval: {
      kind: 'duration',
      value: 'TIME',
      default: '10s',
      help: 'From one look of a probe to the next while nothing changes',
    },
    successes: {
      kind: 'number',
      value: 'N',
      from: 1,
      to: 100,
      default: 3,
      help: 'Good looks in a row that make a condition True',
    },
    fresh: {
      kind: 'duration',
      value: 'TIME',
      default: '60s',
      help: 'A condition is Unknown when no look has shown anything for this long',
    },
    heartbeat: {
      kind: 'duration',
      value: 'TIME',
      default: '5m',
      help: 'Conditions that do not change are written again after this',
    },
    'dns-name': {
      kind: 'text',
      value: 'NAME',
      multiple: true,
      group: PROBES,
      help: 'dns: name to resolve (default kubernetes.default.svc.cluster.local)',
    },
    'api-server': {
      kind: 'text',
      value: 'ADDRESS',
      multiple: true,
      group: PROBES,
      help: 'api-server: its own address and port, where the service address may lead nowhere from the start',
    },
    identity: {
      kind: 'choice',
      value: 'WAY',
      noun: 'way to an identity',
      values: IDENTITY_WAYS,
      group: PROBES,
      help: 'identity: how pods get their AWS role',
    },
    'identity-role': {
      kind: 'text',
      value: 'ROLE',
      group: PROBES,
      help: "identity: name of the role that the agent's own pod has; without it, being refused is the proof",
    },
    'node-role': {
      kind: 'text',
      value: 'ROLE',
      group: PROBES,
      help: 'metadata, identity: name of the role of the machine; asked of the machine by default',
    },
    'metadata-blocked': {
      kind: 'flag',
      group: PROBES,
      help: 'metadata: silence is a proof, as a network policy blocks 169.254.169.254',
    },
    'csi-driver': {
      kind: 'text',
      value: 'NAME',
      multiple: true,
      group: PROBES,
      suggests: ['ebs.csi.aws.com', 'efs.csi.aws.com'],
      help: 'csi: driver that must be registered',
    },
    'csi-sockets': {
      kind: 'text',
      value: 'FOLDER',
      default: '/var/lib/kubelet/plugins_registry',
      completes: 'folder',
      group: PROBES,
      help: "csi: the kubelet's folder of registration sockets",
    },
    registry: {
      kind: 'text',
      value: 'HOST',
      multiple: true,
      group: PROBES,
      help: 'image-path: registry that must answer',
    },
    disk: {
      kind: 'text',
      value: 'FOLDER',
      multiple: true,
      completes: 'folder',
      group: PROBES,
      help: 'disk: folder on a file system of the machine (default /var/lib/rollcall)',
    },
    'machine-state': {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      group: MACHINE,
      help: "Take what the machine's network shows from this file of the other half",
    },
    'write-machine-state': {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      group: MACHINE,
      help: "Be the other half: keep what the machine's network shows in this file",
    },
    'machine-root': {
      kind: 'text',
      value: 'FOLDER',
      completes: 'folder',
      group: MACHINE,
      help: "Where the machine's file system is mounted, for iptables-save, nft and conntrack of the machine",
    },
    logs: {
      kind: 'text',
      value: 'FOLDER',
      completes: 'folder',
      group: MACHINE,
      help: "Where the machine's /var/log is mounted; lines about trouble are printed",
    },
    listen: {
      kind: 'text',
      value: 'ADDRESS',
      default: '127.0.0.1:8471',
      help: 'Address and port of /metrics, /livez and /readyz; agents of other Nodes connect to its port',
    },
    namespace: {
      kind: 'text',
      value: 'NAMESPACE',
      default: 'rollcall',
      help: "Namespace of the agents' Service",
    },
    context: {
      kind: 'text',
      value: 'NAME',
      completes: 'context',
      help: 'Context of the kubeconfig; in a pod its service account',
    },
    kubeconfig: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      help: 'Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config',
    },
  },
  exitCodes: { 0: 'it was ended by a signal' },
  examples: [
    { title: 'What it would say of a Node', command: 'rollcall agent --node node00.k8s.internal' },
    {
      title: 'In the cluster',
      command:
        'rollcall agent --conditions --probes api-server,dns,pod-network,metadata,identity --identity kiam --identity-role canary --machine-state /run/rollcall/machine.json --listen 0.0.0.0:8471',
    },
    {
      title: 'Its other half, in the network of the machine',
      command:
        'rollcall agent --write-machine-state /run/rollcall/machine.json --machine-root /host --logs /host/var/log',
    },
  ],
  seeAlso: ['controller', 'diagnose'],
});
