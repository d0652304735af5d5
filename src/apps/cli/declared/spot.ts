import { declareCommand } from '../options/declaration.ts';
import { LIVE_OPTIONS } from './shared.ts';

const WANTED = 'What is wanted';
const SOURCES = 'Prices and rules';
const NETWORK = 'Pods of a node';
const WATCH = 'spot watch';
const COUNT_MAX = 1_000_000;

export const SPOT = declareCommand({
  name: 'spot',
  summary: 'Choose a mix of Spot capacity pools by price history, diversity and rules',
  usage: [
    'spot --vcpus N [--memory GIB] [--zone ZONE]… [options]',
    'spot watch [TYPE]… [--zone ZONE]… [--rules FILE [--yes]] [options]',
  ],
  description: [
    'Looks at the price of every type in every zone, how it moved, and how many pods a node can hold, and chooses how many nodes to run in which pools: the mix with the least cost and expected loss within the rules. Every type is listed with the reason why it is in or out.',
    'The answer is proven: no other mix within the rules is better by more than 0.1 %, or the page says how far it may be off. Rollcall only reads; it starts nothing. See docs/spot.md.',
    'watch prints each change of a price, and each notice and interruption of a Spot Instance, until it is interrupted: of the types that are named, else of those in use. With --rules it says what the rules would do to Nodes, and with --yes it does that: cordon, drain, or have the group or Karpenter replace them, within the budget of each rule.',
  ],
  words: { most: 201, completes: [] },
  options: {
    output: {
      kind: 'choice',
      short: 'o',
      value: 'FORMAT',
      noun: 'format',
      values: ['text', 'json', 'yaml', 'asg', 'karpenter', 'eksctl', 'terraform'],
      default: 'text',
      help: 'Output format',
    },
    vcpus: {
      kind: 'number',
      value: 'N',
      from: 1,
      to: COUNT_MAX,
      group: WANTED,
      help: 'vCPUs of all nodes together',
    },
    memory: {
      kind: 'number',
      value: 'GIB',
      from: 1,
      to: COUNT_MAX,
      group: WANTED,
      help: 'Memory that pods can use, GiB of all nodes together',
    },
    gpus: {
      kind: 'number',
      value: 'N',
      from: 1,
      to: COUNT_MAX,
      group: WANTED,
      help: 'GPUs of all nodes together',
    },
    pods: {
      kind: 'number',
      value: 'N',
      from: 1,
      to: COUNT_MAX,
      group: WANTED,
      help: 'Pods with an address, those of DaemonSets not counted',
    },
    arch: {
      kind: 'choice',
      value: 'ARCH',
      noun: 'architecture',
      values: ['amd64', 'arm64'],
      multiple: true,
      group: WANTED,
      help: 'Architecture; both by default',
    },
    zone: {
      kind: 'text',
      value: 'ZONE',
      multiple: true,
      group: WANTED,
      help: 'Zone such as eu-west-1a; may be repeated; all of the region by default',
    },
    'min-node-vcpus': {
      kind: 'number',
      value: 'N',
      from: 1,
      to: 1024,
      default: 2,
      group: WANTED,
      help: 'vCPUs of the smallest node',
    },
    'max-node-vcpus': {
      kind: 'number',
      value: 'N',
      from: 1,
      to: 1024,
      default: 64,
      group: WANTED,
      help: 'vCPUs of the largest node',
    },
    rules: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      group: SOURCES,
      help: 'Rules in YAML: never, prefer, budget, maxSharePerPool and others; with watch: rules that act',
    },
    prices: {
      kind: 'text',
      value: 'FILE',
      multiple: true,
      completes: 'file',
      group: SOURCES,
      help: 'Saved answer of aws ec2 describe-spot-price-history, and of describe-instance-types, get-spot-placement-scores or describe-spot-instance-requests; may be repeated; nothing is asked of AWS then',
    },
    days: {
      kind: 'number',
      value: 'N',
      from: 1,
      to: 90,
      default: 14,
      group: SOURCES,
      help: 'Days of price history',
    },
    product: {
      kind: 'choice',
      value: 'PRODUCT',
      noun: 'product',
      values: ['Linux/UNIX', 'Red Hat Enterprise Linux', 'SUSE Linux', 'Windows'],
      default: 'Linux/UNIX',
      group: SOURCES,
      help: 'Operating system whose prices count',
    },
    'placement-scores': {
      kind: 'flag',
      group: SOURCES,
      help: 'Ask EC2 how likely it has the capacity now; AWS limits how often a day that may be asked',
    },
    'daemon-pods': {
      kind: 'number',
      value: 'N',
      from: 0,
      to: 500,
      default: 2,
      group: NETWORK,
      help: 'Pods of DaemonSets on every node that take a pod IP',
    },
    'prefix-delegation': { kind: 'flag', group: NETWORK, help: 'ENIs hold /28 prefixes' },
    every: {
      kind: 'duration',
      value: 'TIME',
      group: WATCH,
      help: 'How often prices are asked for, at least 1m; 5m by default',
    },
    for: {
      kind: 'duration',
      value: 'TIME',
      group: WATCH,
      help: 'Stop after this time; by default never',
    },
    record: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      group: WATCH,
      help: 'Flight recorder to append to, or a postgres:// URL',
    },
    listen: {
      kind: 'text',
      value: 'ADDRESS',
      group: WATCH,
      help: 'Address and port of /metrics, /livez and /readyz; none by default',
    },
    yes: { kind: 'flag', group: WATCH, help: 'Do what the rules say; needs --rules and --record' },
    name: {
      kind: 'text',
      value: 'NAME',
      default: 'spot',
      help: 'Name of the group, NodePool or launch template in asg, karpenter, eksctl and terraform',
    },
    ...LIVE_OPTIONS,
  },
  exitCodes: {
    0: 'a mix was found; the watch was ended',
    1: 'no mix fulfills what is wanted and the rules',
    2: 'a mix was found, but not all that was asked of AWS was answered',
  },
  examples: [
    {
      title: 'From live prices, in three zones',
      command:
        'rollcall spot --vcpus 64 --memory 256 --zone eu-west-1a --zone eu-west-1b --zone eu-west-1c',
    },
    {
      title: 'From a saved answer, with rules',
      command: 'rollcall spot --vcpus 64 --prices prices.json --rules rules.yaml',
    },
    {
      title: 'As a Karpenter NodePool',
      command: 'rollcall spot --vcpus 64 --arch arm64 -o karpenter | kubectl apply -f -',
    },
    {
      title: 'Prices and interruptions of the types in use, into a flight recorder',
      command: 'rollcall spot watch --record flight.db -o json',
    },
    {
      title: 'What rules would do',
      command: 'rollcall spot watch --rules leave-early.yaml',
    },
  ],
  seeAlso: ['capacity', 'permissions', 'record', 'timeline'],
});
