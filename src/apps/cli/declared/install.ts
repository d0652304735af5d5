import { declareCommand, declareOptions } from '../options/declaration.ts';
import { LIVE_OPTIONS } from './shared.ts';

const { context, kubeconfig } = LIVE_OPTIONS;

const SHARED = declareOptions({
  yes: { kind: 'flag', help: 'Write to the cluster' },
  'dry-run': { kind: 'flag', help: 'Write nothing, which is what happens without --yes' },
  namespace: {
    kind: 'text',
    short: 'n',
    value: 'NAMESPACE',
    default: 'rollcall',
    help: 'Namespace of the installation',
  },
  record: {
    kind: 'text',
    value: 'FILE',
    completes: 'file',
    help: 'Also record each write in this file, or at a postgres:// URL, for rollcall timeline',
  },
  context,
  kubeconfig,
});

export const INSTALL = declareCommand({
  name: 'install',
  summary: 'Print or apply the manifests of controller, gate and agent',
  usage: ['install [--values FILE]… [--set PATH=VALUE]… [-o yaml|json]', 'install --yes [options]'],
  description: [
    'Prints the objects of an installation, the same that the Helm chart makes of the same values. Without --yes it asks no cluster.',
    'With --yes it applies them by server-side apply, one line each. An object is written only as it was seen right before; fields that another program set otherwise are a conflict, and stay. See docs/install.md.',
  ],
  words: { most: 0, completes: [] },
  options: {
    output: {
      kind: 'choice',
      short: 'o',
      value: 'FORMAT',
      noun: 'format',
      values: ['yaml', 'json'],
      default: 'yaml',
      help: 'Output format of what is printed',
    },
    values: {
      kind: 'text',
      value: 'FILE',
      multiple: true,
      completes: 'file',
      help: 'Values as the chart takes them, YAML or JSON; of several files the last wins',
    },
    set: {
      kind: 'text',
      value: 'PATH=VALUE',
      multiple: true,
      suggests: ['gate.enabled=false', 'agent.enabled=false', 'controller.enabled=false'],
      help: 'One value, such as image.name=registry.example.com/rollcall:0.1.0',
    },
    'force-conflicts': {
      kind: 'flag',
      help: 'With --yes: also write fields that another program set otherwise',
    },
    ...SHARED,
  },
  exitCodes: { 0: 'everything was printed or applied', 1: 'an object could not be applied' },
  examples: [
    {
      title: 'What would be installed',
      command: 'rollcall install --set image.name=registry.example.com/rollcall:0.1.0',
    },
    {
      title: 'The gate alone',
      command: 'rollcall install --yes --set controller.enabled=false --set agent.enabled=false',
    },
    {
      title: 'By another program',
      command: 'rollcall install --values v.yaml | kubectl apply -f -',
    },
  ],
  seeAlso: ['uninstall', 'permissions', 'controller', 'agent'],
});

export const UNINSTALL = declareCommand({
  name: 'uninstall',
  summary: 'Remove an installation, and the taints of its gates from all Nodes',
  usage: ['uninstall [--crds] [options]', 'uninstall --yes [--taints-only] [options]'],
  description: [
    'Without --yes it has the server check each write, prints what would happen and changes nothing.',
    'It stops the gate, removes the taints that gates put and the records they left from all Nodes, takes the finalizers from NodeGates, and deletes what rollcall install or the manifests made. What has not our label stays, and so do the namespace, NodeGates and NodeReports.',
    'Take the startup taints from NodePools, node groups and kubelets first: Nodes that register with them later stay tainted.',
  ],
  words: { most: 0, completes: [] },
  options: {
    'taints-only': {
      kind: 'flag',
      help: 'Only taints, records and finalizers: what the chart does after its objects are gone',
    },
    crds: {
      kind: 'flag',
      help: 'Also delete the kinds, and with them every NodeGate and NodeReport',
    },
    'node-readiness-rules': {
      kind: 'flag',
      help: 'The gate followed NodeReadinessRules: remove their taints and finalizers too',
    },
    'rules-namespace': {
      kind: 'text',
      value: 'NAMESPACE',
      default: 'nrr-system',
      help: 'Namespace of the Lease of the Node Readiness Controller',
    },
    ...SHARED,
  },
  exitCodes: { 0: 'nothing of it is left, or would be', 1: 'something could not be removed' },
  examples: [
    { title: 'What would be removed', command: 'rollcall uninstall' },
    { title: 'Remove it', command: 'rollcall uninstall --yes' },
    {
      title: 'Taints that an installation left behind',
      command: 'rollcall uninstall --taints-only --yes',
    },
  ],
  seeAlso: ['install', 'gate'],
});
