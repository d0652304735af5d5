import { defineCause } from '../../../diagnosis/cause.ts';

/** The kernel or a device of a joined machine fails. */
export default defineCause({
  id: 'hardware-or-kernel-fault',
  stage: 'usable',
  title: 'the kernel or a device of the machine fails',
  scope: 'machine',
  signs: {
    agentReports: {
      in: ['node-status'],
      anchors: [
        'KernelReady=False',
        'StorageReady=False',
        'AcceleratedHardwareReady=False',
        'KernelDeadlock=True',
        'ReadonlyFilesystem=True',
      ],
      pattern:
        /^Node (?<node>\S+) condition (?<what>(?:Kernel|Storage|AcceleratedHardware)Ready=False|(?:KernelDeadlock|ReadonlyFilesystem)=True)/,
      weight: 'definite',
      strict: true,
    },
    kernelStuck: {
      in: ['kernel', 'journal', 'console'],
      anchors: [
        'BUG: soft lockup',
        'BUG: unable to handle',
        'Kernel panic - not syncing',
        'rcu_sched self-detected stall',
      ],
      pattern:
        /(?<what>BUG: soft lockup - CPU#\d+ stuck|BUG: unable to handle [\w ]{4,60}|Kernel panic - not syncing)/,
      weight: 'likely',
    },
    diskReadOnly: {
      in: ['kernel', 'journal', 'console'],
      anchors: ['emounting filesystem read-only', 'XFS ('],
      pattern:
        /(?<what>EXT4-fs \((?<device>\w+)\): Remounting filesystem read-only|XFS \((?<device2>\w+)\): .*(?:Filesystem has been shut down due to|[Cc]orruption (?:of [\w -]{4,40} )?detected|Log I\/O Error Detected)[^.]{0,80})/,
      weight: 'definite',
    },
    taskHung: {
      in: ['kernel', 'journal', 'console'],
      anchors: ['blocked for more than'],
      pattern: /INFO: task (?<what>\S+) blocked for more than \d+ seconds/,
      weight: 'likely',
      atLeast: 3,
    },
    monitored: {
      in: ['event'],
      anchors: [
        'SoftLockup',
        'KernelBug',
        'BlockDeviceIOError',
        'XIDError',
        'NvidiaXID',
        'DCGMD',
        'DCGME',
        'DCGMF',
        'DCGMH',
      ],
      pattern:
        /\bWarning\s+(?<what>SoftLockup|KernelBug|BlockDeviceIOError|NvidiaXID\w*Error|DCGM[DEFH]\w+)\b/,
      weight: 'likely',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['hanging-container-runtime', 'nvidia-driver-absent'],
  summary: ({ node, instance, machine, what, device }) =>
    `${node ?? instance ?? machine ?? 'The machine'} has a fault of its kernel or hardware (${device === undefined ? '' : `${device}: `}${what ?? 'see its kernel log'}), so what runs there cannot be relied on.`,
  remedy: () => [
    { text: 'Take the node out of service.', command: 'kubectl cordon <node>' },
    {
      text: 'Keep the evidence.',
      command: 'aws ec2 get-console-output --latest --output text --instance-id <instance>',
    },
    {
      text: 'Replace the instance; a stop and start moves it to other hardware.',
      command:
        'aws autoscaling terminate-instance-in-auto-scaling-group --no-should-decrement-desired-capacity --instance-id <instance>',
    },
  ],
  decide: {
    text: 'Read the kernel’s log and the node’s conditions.',
    command: 'sudo dmesg -T | tail -n 100',
  },
  page: {
    why: 'Hosts, devices and kernels fail, and a machine can keep its heartbeat while a disk is read-only or a GPU is off the bus. The EKS node monitoring agent and the node problem detector write what they see into conditions.',
    prevent: 'Turn on node auto repair; keep AMIs current.',
    notThis:
      'The monitoring agent’s types (KernelReady) are good when True, the problem detector’s (KernelDeadlock) when False. One hung task may be a slow volume; NetworkingReady and ContainerRuntimeReady have causes of their own.',
    alsoKnownAs: [
      'soft lockup',
      'Remounting filesystem read-only',
      'AcceleratedHardwareReady False',
    ],
    refs: [
      'https://github.com/aws/eks-node-monitoring-agent',
      'https://github.com/kubernetes/node-problem-detector',
    ],
  },
});
