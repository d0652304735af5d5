import { declareCommand } from '../options/declaration.ts';

const MACHINE = 'The machine';
const REPORTS = 'Reports';
const FILES = 'Files to install';

export const JOIN = declareCommand({
  name: 'join',
  summary: 'Run a join command on this machine until its Node is there and stays',
  usage: [
    'join [options] -- COMMAND …',
    'join [options] --print-unit -- COMMAND …',
    'join --print-user-data FLAVOR',
  ],
  description: [
    'Runs COMMAND (kubeadm join, nodeadm init, /etc/eks/bootstrap.sh, or any other) and watches what comes of it with the credentials of the kubelet. It ends well once the Node of this machine is initialized, Ready, and has stayed so for --kept. A Node that is deleted meanwhile comes back only when the kubelet starts again: Rollcall restarts it once EC2 lists the instance. Without credentials it resets and runs COMMAND again. It never resets a machine whose Node is there.',
    'It keeps what it did in a file, so that it continues after a kill or a reboot. When it fails it says why, from what COMMAND printed and what the machine shows. See docs/join.md.',
  ],
  words: { most: 1000, completes: [] },
  options: {
    'wait-for-cloud': {
      kind: 'flag',
      help: 'Run COMMAND only once EC2 lists the instance with its private DNS name, and with the tag of --cluster',
    },
    timeout: {
      kind: 'duration',
      value: 'TIME',
      default: '15m',
      help: 'Time limit for everything together',
    },
    'command-timeout': {
      kind: 'duration',
      value: 'TIME',
      default: '10m',
      help: 'Time limit of one run of COMMAND',
    },
    kept: {
      kind: 'duration',
      value: 'TIME',
      default: '20s',
      help: 'The Node has to stay Ready for this long, and for twice as long as one that was deleted lived',
    },
    tries: {
      kind: 'number',
      value: 'N',
      from: 1,
      to: 20,
      default: 4,
      help: 'Runs of COMMAND at most',
    },
    reset: {
      kind: 'text',
      value: 'COMMAND',
      help: 'Takes a join back, in one word with blanks; kubeadm reset --force for kubeadm, "none" for never',
    },
    name: {
      kind: 'choice',
      value: 'HOW',
      noun: 'way to name the Node',
      values: ['auto', 'as-is'],
      default: 'as-is',
      help: 'auto: give kubeadm the name and the provider id that the cloud controller looks for, and say why',
    },
    node: {
      kind: 'text',
      value: 'NAME',
      group: MACHINE,
      help: 'Name of the Node, where its credentials do not tell it',
    },
    instance: {
      kind: 'text',
      value: 'ID',
      group: MACHINE,
      help: 'Instance id, where instance metadata does not tell it',
    },
    region: {
      kind: 'text',
      value: 'REGION',
      group: MACHINE,
      help: 'AWS region, where instance metadata does not tell it',
    },
    cluster: {
      kind: 'text',
      value: 'NAME',
      group: MACHINE,
      help: 'Name in the tag kubernetes.io/cluster/NAME, without which the instance counts as not listed',
    },
    'no-cloud': { kind: 'flag', group: MACHINE, help: 'Never ask EC2' },
    kubeconfig: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      group: MACHINE,
      help: "The kubelet's; /etc/kubernetes/kubelet.conf or /var/lib/kubelet/kubeconfig by default",
    },
    unit: {
      kind: 'text',
      value: 'UNIT',
      default: 'kubelet',
      group: MACHINE,
      help: 'Unit of the kubelet',
    },
    'state-folder': {
      kind: 'text',
      value: 'FOLDER',
      default: '/var/lib/rollcall',
      completes: 'folder',
      group: MACHINE,
      help: 'Where the state of the join is kept',
    },
    output: {
      kind: 'choice',
      short: 'o',
      value: 'FORMAT',
      noun: 'format',
      values: ['text', 'json'],
      default: 'text',
      group: REPORTS,
      help: 'json: one event a line',
    },
    console: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      group: REPORTS,
      help: 'Write how it ended here too: /dev/console is what aws ec2 get-console-output shows',
    },
    'webhook-file': {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      group: REPORTS,
      help: 'Send how it ended to the URL in this file, as JSON',
    },
    'node-report': {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      group: REPORTS,
      help: 'Write how it ended to the NodeReport of this machine, with this kubeconfig (rollcall permissions --for join-report)',
    },
    'print-unit': {
      kind: 'flag',
      group: FILES,
      help: 'Print the systemd unit that runs this join at boot',
    },
    'print-user-data': {
      kind: 'choice',
      value: 'FLAVOR',
      noun: 'flavor of user data',
      values: ['kubeadm', 'eks-nodeadm', 'eks-al2', 'kops', 'cloud-init'],
      group: FILES,
      help: 'Print user data that joins a machine this way',
    },
  },
  exitCodes: {
    0: 'The Node is there, initialized and Ready, and has stayed.',
    1: 'The machine is not a usable node; the cause is printed.',
    2: 'It is unknown: the Node could not be read, another join runs here, or a signal ended this one.',
  },
  examples: [
    {
      title: 'kubeadm, on a machine that starts together with its control plane',
      command: 'rollcall join --wait-for-cloud -- kubeadm join --config /etc/kubeadm/join.yaml',
    },
    {
      title: 'The same at each boot, as a unit',
      command: 'rollcall join --print-unit -- kubeadm join --config /etc/kubeadm/join.yaml',
    },
    {
      title: 'EKS, with the outcome on the console',
      command: 'rollcall join --console /dev/console -- nodeadm init',
    },
  ],
  seeAlso: ['diagnose', 'name', 'agent'],
});
