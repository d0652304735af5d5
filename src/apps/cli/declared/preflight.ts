import { declareCommand } from '../options/declaration.ts';

export const PREFLIGHT = declareCommand({
  name: 'preflight',
  summary: 'Judge plans, templates and manifests before they are applied',
  usage: ['preflight PATH… [options]'],
  description: [
    'Reads what `terraform show -json` (or `tofu show -json`) prints of a plan or a state, a CloudFormation template, a ClusterConfig of eksctl, NodePools and EC2NodeClasses of Karpenter or configuration files of kubeadm in JSON or YAML, and says which groups would start machines that never become usable nodes: no mapping for the node role, an access entry of the wrong type, a role without the policies that nodes need, a subnet without a way out or too small.',
    'Values that are known after apply, or once the stack exists, are unknown, never absent: where they decide, the answer is unknown. Nothing is sent anywhere, and nothing is asked of AWS or Kubernetes. See docs/preflight.md.',
  ],
  words: { most: Infinity, completes: ['file'] },
  options: {
    output: {
      kind: 'choice',
      short: 'o',
      value: 'FORMAT',
      noun: 'format',
      values: ['text', 'json', 'yaml', 'sarif', 'markdown'],
      default: 'text',
      help: 'Output format',
    },
    parameter: {
      kind: 'text',
      value: 'NAME=VALUE',
      multiple: true,
      help: 'Value of a parameter of a CloudFormation template, before its default',
    },
    'fail-on': {
      kind: 'choice',
      value: 'CONFIDENCE',
      noun: 'confidence',
      values: ['likely', 'definite'],
      default: 'likely',
      help: 'Least confidence of a finding that ends with exit code 1',
    },
  },
  exitCodes: {
    0: 'nothing is found',
    1: 'a finding of at least this confidence',
    2: 'cannot tell, or a file could not be read',
  },
  examples: [
    {
      title: 'A plan',
      command: 'terraform show -json plan.tfplan | rollcall preflight -',
    },
    {
      title: 'A CloudFormation template',
      command: 'rollcall preflight nodes.yaml --parameter ClusterName=orders',
    },
    { title: 'A file of eksctl', command: 'rollcall preflight cluster.yaml' },
    {
      title: 'Manifests of Karpenter beside the plan of their cluster',
      command: 'rollcall preflight plan.json karpenter.yaml',
    },
    { title: 'Several plans', command: 'rollcall preflight network.json cluster.json' },
    {
      title: 'For code scanning',
      command: 'rollcall preflight plan.json -o sarif --fail-on definite',
    },
    {
      title: 'For a comment on a pull request',
      command: 'rollcall preflight plan.json -o markdown > preflight.md',
    },
  ],
  seeAlso: ['diagnose', 'explain'],
});
