import { declareCommand } from '../options/declaration.ts';
import { LIVE_OPTIONS, PAGE_OUTPUT } from './shared.ts';

const AUTH = 'fix auth';
const ENI = 'fix eni';
const CNI = 'fix cni';
const NODE = 'fix node';

export const FIX = declareCommand({
  name: 'fix',
  summary: 'Repair what the diagnosis is sure of, one guarded change at a time',
  usage: [
    'fix auth [--role ARN --cluster NAME] [options]',
    'fix eni [--cluster NAME] [options]',
    'fix cni [NODE|INSTANCE]… [options]',
    'fix pods [NODE|INSTANCE|NAMESPACE/POD]… [options]',
    'fix imds|name|node|taint [NODE|INSTANCE]… [options]',
    'fix undo ID [options]',
  ],
  description: [
    'Without --yes it changes nothing: it shows each change and, where the server can, has it checked. With --yes each change carries the version that was read, is recorded before it is sent, and is read back afterwards; where somebody else wrote meanwhile it is decided again.',
    'auth lets a node role in: by an access entry, or in aws-auth, as the authentication mode of the cluster says. It acts on causes that the diagnosis calls definite, or on --role. In aws-auth every former entry stays byte for byte; a text that the authenticator may read otherwise is refused with its line. It gives a node what a node needs and nothing more.',
    'eni deletes network interfaces that the VPC CNI left behind: unused in two looks, older than half an hour by their tag, with the tags of this cluster and of the CNI, their instance gone, and read once more right before. Where any part of a look fails it deletes nothing. A deleted interface cannot be taken back.',
    'cni changes settings of the VPC CNI: prefix delegation where machines are full, fewer spare addresses where a subnet is. It acts on causes that the diagnosis calls definite. Where vpc-cni is an add-on of EKS, or the CNI is too old for the instance type, it changes nothing and prints the command.',
    'pods has Pods replaced that came to a node before it was proven able to carry them: those by which a gate was passed, and those that a definite cause names as working without their own role. Each is read again, evicted by the Eviction API within PodDisruptionBudgets, and the next one waits until the Pod in its place is ready. Pods of DaemonSets, static Pods, Pods that tolerate the taint and Pods that nobody makes again stay.',
    'name deletes Nodes that were left behind: under a former name of a machine, or of an instance that is gone. It acts on causes that the diagnosis calls definite, and right before only where the instance id or the system UUID proves that another Node is the same machine, or EC2 shows that the instance is gone, and no kubelet renewed the Lease for 5 minutes. Nodes of the control plane, with a finalizer or with Pods that nobody makes again stay.',
    'node restarts the kubelet of a machine whose Node is gone, by the document Rollcall-RestartKubelet of Systems Manager (with --ssm also where only the journal of the kubelet shows that it runs), and replaces machines whose hardware, kernel or status check fails: it deletes the NodeClaim, or ends the instance in its Auto Scaling group, whose size stays. It acts on causes that the diagnosis calls definite, one machine after the other, and the next waits until a Node is Ready. It shows the Pods that end; Pods that nobody makes again and PodDisruptionBudgets keep the machine.',
    'imds lets answers of instance metadata make the hop to pods; taint takes off a startup taint whose owner has had its turn. Both act on machines whose cause the diagnosis calls definite, all of them or those that are named, and say what they disturb.',
    'undo takes back what a fix changed, where it still is as it was written. See docs/fix.md.',
  ],
  words: { most: 64, completes: ['machine'] },
  options: {
    yes: { kind: 'flag', help: 'Write' },
    'dry-run': { kind: 'flag', help: 'Write nothing, which is what happens without --yes' },
    role: {
      kind: 'text',
      value: 'ARN',
      group: AUTH,
      help: 'ARN of the node role, where the diagnosis does not name it; needs --cluster',
    },
    'node-type': {
      kind: 'choice',
      value: 'TYPE',
      noun: 'node type',
      values: ['linux', 'windows', 'auto', 'hybrid'],
      group: AUTH,
      help: 'Nodes of the role; by default as the machines are, and linux where nobody knows them',
    },
    into: {
      kind: 'choice',
      value: 'PLACE',
      noun: 'place',
      values: ['aws-auth', 'access-entry'],
      group: AUTH,
      help: 'Where the role is mapped; by default an access entry, and aws-auth in mode CONFIG_MAP',
    },
    wait: {
      kind: 'duration',
      value: 'TIME',
      help: 'With --yes: wait up to this long until a machine registered; pods: until the next Pod is ready, 2m; node: until a Node is Ready, 10m',
    },
    apart: {
      kind: 'duration',
      value: 'TIME',
      default: '5m',
      group: ENI,
      help: 'With --yes: how long after the first look the second one follows; at least 10s',
    },
    most: {
      kind: 'number',
      value: 'N',
      from: 1,
      to: 200,
      help: 'Most that is deleted, evicted or repaired within one hour, former runs included; by default 20, and 3 machines of node',
    },
    'node-logs': {
      kind: 'flag',
      group: CNI,
      help: 'Also read the logs of the CNI through the kubelets, which needs get nodes/proxy',
    },
    ssm: {
      kind: 'flag',
      group: NODE,
      help: 'Also read the journals of machines without a Node through Systems Manager; see: rollcall permissions --for ssm',
    },
    record: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      help: 'Record of changes, or a postgres:// URL; by default fixes.db in ~/.local/state/rollcall',
    },
    ...PAGE_OUTPUT,
    ...LIVE_OPTIONS,
  },
  exitCodes: {
    0: 'everything is as it is to be, or would be',
    1: 'something was refused or did not succeed',
    2: 'a change was sent and nobody knows whether it took effect',
  },
  examples: [
    { title: 'What would be changed', command: 'rollcall fix auth' },
    {
      title: 'Let the role in and wait for the first machine',
      command: 'rollcall fix auth --yes --wait 5m',
    },
    { title: 'Delete leaked network interfaces', command: 'rollcall fix eni --yes' },
    { title: 'Replace Pods that came too early', command: 'rollcall fix pods --yes' },
    { title: 'Delete Nodes under former names', command: 'rollcall fix name --yes' },
    { title: 'Restart kubelets, replace machines', command: 'rollcall fix node --ssm --yes' },
    { title: 'Settings of the VPC CNI', command: 'rollcall fix cni --yes' },
    {
      title: 'One role, without a diagnosis',
      command:
        'rollcall fix auth --cluster shop --role arn:aws:iam::111122223333:role/shop-nodes --yes',
    },
  ],
  seeAlso: ['capacity', 'diagnose', 'gate', 'permissions', 'timeline'],
});
