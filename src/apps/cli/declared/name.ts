import { declareCommand } from '../options/declaration.ts';
import { LIVE_OPTIONS, PAGE_OUTPUT } from './shared.ts';

const KNOWN = 'Known or assumed; overrides what the APIs say';

/** Families of machine images, each with the rule by which it names its node. */
export const IMAGE_FAMILIES = [
  'al2',
  'al2023',
  'bottlerocket',
  'ubuntu',
  'windows',
  'rhel',
  'openshift4',
  'openshift3',
  'kops',
  'flatcar',
  'eks-auto',
  'fargate',
  'hybrid',
  'other',
] as const;

export const NAME = declareCommand({
  name: 'name',
  summary: 'Show which Node name a machine gets, and which of its names disagree',
  usage: [
    'name [INSTANCE|NODE|ADDRESS] [PATH]… [options]',
    'name --subnet SUBNET --image AMI|FAMILY --version KUBELET [options]',
  ],
  description: [
    'Shows the name under which the kubelet registers and the rule that produces it, whether the cloud controller accepts it, every other name of the machine, the Node it left behind under an old name, what breaks, and the label to pin pods with instead. Without a machine it covers all of them.',
    '--subnet, --image and --version answer before launch.',
  ],
  words: { most: Infinity, completes: ['machine', 'file'] },
  options: {
    ...PAGE_OUTPUT,
    subnet: { kind: 'text', value: 'SUBNET', group: KNOWN, help: 'Subnet of the machine' },
    image: {
      kind: 'text',
      value: 'AMI|FAMILY',
      suggests: IMAGE_FAMILIES,
      group: KNOWN,
      help: `Image id, or a family: ${IMAGE_FAMILIES.join(', ')}`,
    },
    version: { kind: 'text', value: 'VERSION', group: KNOWN, help: 'Version of the kubelet' },
    'cloud-provider': {
      kind: 'text',
      value: 'KIND',
      suggests: ['in-tree', 'external', 'none'],
      group: KNOWN,
      help: 'in-tree, external, external=VERSION or none',
    },
    naming: {
      kind: 'choice',
      value: 'TYPE',
      noun: 'hostname type',
      values: ['ip-name', 'resource-name'],
      group: KNOWN,
      help: 'Hostname type of the subnet',
    },
    'dhcp-domain': {
      kind: 'text',
      value: 'DOMAIN',
      group: KNOWN,
      help: 'domain-name of the DHCP option set',
    },
    'dns-hostnames': {
      kind: 'choice',
      value: 'STATE',
      noun: 'state',
      values: ['on', 'off'],
      group: KNOWN,
      help: 'enableDnsHostnames of the VPC',
    },
    ip: { kind: 'text', value: 'ADDRESS', group: KNOWN, help: 'Private IP address' },
    instance: { kind: 'text', value: 'ID', group: KNOWN, help: 'Instance id' },
    hostname: { kind: 'text', value: 'NAME', group: KNOWN, help: 'Hostname of the system' },
    'hostname-override': {
      kind: 'text',
      value: 'NAME',
      group: KNOWN,
      help: '--hostname-override of the kubelet',
    },
    'local-hostname': {
      kind: 'text',
      value: 'NAME',
      group: KNOWN,
      help: 'local-hostname of the instance metadata',
    },
    certificate: {
      kind: 'text',
      value: 'NAME',
      group: KNOWN,
      help: "Common name of the kubelet's certificate, also as openssl prints it",
    },
    'instance-id-node-name': {
      kind: 'flag',
      group: KNOWN,
      help: 'Feature gate InstanceIdNodeName of nodeadm',
    },
    'hostname-override-source': {
      kind: 'choice',
      value: 'SOURCE',
      noun: 'source',
      values: ['private-dns-name', 'instance-id'],
      group: KNOWN,
      help: 'settings.kubernetes.hostname-override-source of Bottlerocket',
    },
    'ip-based-node-names': {
      kind: 'flag',
      group: KNOWN,
      help: 'useIPBasedNodeNames of kOps',
    },
    'kops-version': { kind: 'text', value: 'VERSION', group: KNOWN, help: 'Version of kOps' },
    ...LIVE_OPTIONS,
  },
  exitCodes: { 0: 'the names agree', 1: 'they disagree where it matters', 2: 'cannot tell' },
  examples: [
    { title: 'One machine', command: 'rollcall name node00.k8s.internal' },
    {
      title: 'What would change with the AWS cloud provider',
      command: 'rollcall name node00.k8s.internal --cloud-provider in-tree --version 1.23',
    },
    {
      title: 'Before launch',
      command: 'rollcall name --subnet subnet-0abc1234def567890 --image al2023 --version 1.33',
    },
    {
      title: "With the kubelet's certificate",
      command:
        'rollcall name i-0abc1234def567890 --certificate "$(sudo openssl x509 -noout -subject -in /var/lib/kubelet/pki/kubelet-client-current.pem)"',
    },
  ],
  seeAlso: ['diagnose', 'capacity'],
});
