import { declareCommand } from '../options/declaration.ts';
import { LIVE_OPTIONS, PAGE_OUTPUT } from './shared.ts';

const PLAN = 'Before launch';
const COUNT_MAX = 999_999;
const COUNT = { kind: 'number', value: 'N', from: 0, to: COUNT_MAX, group: PLAN } as const;

export const CAPACITY = declareCommand({
  name: 'capacity',
  summary: 'Show which limit ends first: pods, ENIs, addresses or subnets',
  usage: [
    'capacity [NODE|INSTANCE]… [options]',
    'capacity PATH… [options]',
    'capacity --type TYPE [--subnet SUBNET]… [options]',
  ],
  description: [
    'For each Node: max-pods and the pods that its ENIs hold addresses for. For each node group: how many more nodes its subnets can feed. For each subnet: free addresses, whole /28 blocks, and addresses held warm. Leaked ENIs and machines without pod IPs are listed.',
    '--type computes the same before launch. The calculation needs no permissions; where EC2 may be asked about the type, its answer wins.',
  ],
  words: { most: Infinity, completes: ['machine', 'file'] },
  options: {
    ...PAGE_OUTPUT,
    type: { kind: 'text', value: 'TYPE', group: PLAN, help: 'Instance type, such as m5.large' },
    subnet: {
      kind: 'text',
      value: 'SUBNET',
      multiple: true,
      group: PLAN,
      help: 'Subnet of the machines; may be repeated',
    },
    'max-pods': { ...COUNT, help: 'max-pods of the kubelet' },
    image: {
      kind: 'choice',
      value: 'FAMILY',
      noun: 'image family',
      values: ['al2', 'al2023', 'bottlerocket'],
      group: PLAN,
      help: 'Image whose default for max-pods applies',
    },
    'prefix-delegation': { kind: 'flag', group: PLAN, help: 'ENIs hold /28 prefixes' },
    'custom-networking': {
      kind: 'flag',
      group: PLAN,
      help: 'Pods use the subnets of an ENIConfig; the first ENI holds none of them',
    },
    'pod-eni': { kind: 'flag', group: PLAN, help: 'Pods may have security groups' },
    ipv6: { kind: 'flag', group: PLAN, help: 'The cluster uses IPv6' },
    'max-eni': { ...COUNT, help: 'MAX_ENI of the VPC CNI' },
    'cni-version': { kind: 'text', value: 'VERSION', group: PLAN, help: 'Version of the VPC CNI' },
    'warm-eni-target': { ...COUNT, help: 'WARM_ENI_TARGET of the VPC CNI' },
    'warm-ip-target': { ...COUNT, help: 'WARM_IP_TARGET of the VPC CNI' },
    'minimum-ip-target': { ...COUNT, help: 'MINIMUM_IP_TARGET of the VPC CNI' },
    'warm-prefix-target': { ...COUNT, help: 'WARM_PREFIX_TARGET of the VPC CNI' },
    ...LIVE_OPTIONS,
  },
  exitCodes: { 0: 'nothing is short', 1: 'something is short', 2: 'cannot tell' },
  examples: [
    { title: 'The current cluster', command: 'rollcall capacity' },
    {
      title: 'A type in a subnet, before launch',
      command: 'rollcall capacity --type m5.large --subnet subnet-0abc1234def567890',
    },
    {
      title: 'The same with prefix delegation',
      command: 'rollcall capacity --type m6i.xlarge --prefix-delegation --max-pods 110',
    },
    {
      title: 'From files',
      command: 'rollcall capacity subnets.json interfaces.json nodes.json -o json',
    },
  ],
  seeAlso: ['name', 'status'],
});
