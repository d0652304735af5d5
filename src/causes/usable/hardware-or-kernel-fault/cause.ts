import { defineCause, found, matched, step, withRepairs } from '../../../diagnosis/cause.ts';
import { replacingMachine } from '../../../diagnosis/repair.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** The kernel or a device of a joined machine fails. */
const cause = defineCause({
  id: 'hardware-or-kernel-fault',
  stage: 'usable',
  title: 'the kernel or a device of the machine fails',
  scope: 'machine',
  signs: {
    agentReports: definite(
      ['node-status'],
      /^Node (?<node>\S+) condition (?<what>(?:Kernel|Storage|AcceleratedHardware)Ready=False(?! ForkFailedOutOfPIDs)|(?:KernelDeadlock|ReadonlyFilesystem)=True)/,
      { strict: true },
    ),
    kernelStuck: likely(
      ['kernel', 'journal', 'console'],
      /(?<what>BUG: soft lockup - CPU#\d+ stuck|BUG: unable to handle [\w ]{4,60}|Kernel panic - not syncing)/,
    ),
    diskReadOnly: definite(
      ['kernel', 'journal', 'console'],
      /(?<what>EXT4-fs \((?<device>\w+)\): Remounting filesystem read-only|XFS \((?<device2>\w+)\): .*(?:Filesystem has been shut down due to|[Cc]orruption (?:of [\w -]{4,40} )?detected|Log I\/O Error Detected)[^.]{0,80})/,
      { anchors: ['emounting filesystem read-only', 'XFS ('] },
    ),
    deviceErrors: likely(
      ['kernel', 'journal', 'console'],
      /(?<what>EXT4-fs error \(device \w{1,20}\)|(?:blk_update_request: |print_req_error: )?(?:critical (?:medium|target) error|I\/O error), dev (?:nvme|xvd|sd)\w{1,12})/,
      { anchors: ['EXT4-fs error (device', ' error, dev '], atLeast: 3, enoughOnce: 'end' },
    ),
    // The drivers of EC2's network and disks say what their device did not do.
    driverReset: likely(
      ['kernel', 'journal', 'console'],
      /\bena (?:[0-9a-f:.]{7,16}|\w{2,12}):? .{0,40}(?<what>lost tx completions is above the threshold|[Kk]eep alive watchdog timeout|Device reset failed|ENA Device reset failed|admin queue (?:is closed|timed out)|Wait for completion \(polling\) timeout)|\bnvme nvme\d{1,3}: (?<what2>controller is down; will reset|Device not ready; aborting (?:reset|initialisation)|Removing after probe failure|Disabling device after reset failure)/,
      {
        anchors: [
          'lost tx completions is above',
          'eep alive watchdog timeout',
          'Device reset failed',
          'admin queue ',
          'Wait for completion (polling) timeout',
          'nvme nvme',
        ],
      },
    ),
    taskHung: likely(
      ['kernel', 'journal', 'console'],
      /INFO: task (?<what>\S+) blocked for more than \d+ seconds/,
      { atLeast: 3 },
    ),
    interfaceStays: likely(
      ['kernel', 'journal', 'console', 'unknown'],
      /(?<what>unregister_netdevice: waiting for [\w@.-]{1,20} to become free)/,
      { atLeast: 3, enoughOnce: 'alone' },
    ),
    monitored: likely(
      ['event'],
      /\bWarning\s+(?<what>SoftLockup|KernelBug|BlockDeviceIOError|NvidiaXID\w*Error|DCGM[DEFH]\w+)\b/,
      {
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
      },
    ),
    degraded: context(
      ['event', 'node-status'],
      /\b(?:NvidiaPageRetirement|NvidiaPCIeError|NvidiaThermalError|NvidiaPowerError|NvidiaXID\d+Warning|AppBlocked)\b|no healthy devices present; cannot allocate/,
      {
        anchors: [
          'NvidiaPageRetirement',
          'NvidiaPCIeError',
          'NvidiaThermalError',
          'NvidiaPowerError',
          'NvidiaXID',
          'AppBlocked',
          'no healthy devices present',
        ],
      },
    ),
    // Of the many codes only those after which the GPU needs a reset or a new machine.
    gpuFault: definite(
      ['kernel', 'journal', 'console', 'client-output'],
      /NVRM: Xid \([^)]{1,40}\): (?<what>(?:48|64|74|79|95|119|120|140)\b[^"]{0,80})|NVRM: GPU (?:at )?[\w:.]{1,20}:? .{0,20}(?<what2>has fallen off the bus)/,
    ),
    machineCheck: likely(
      ['kernel', 'journal', 'console'],
      /\[Hardware Error\]: (?<what>Machine check events logged|.{0,40}Uncorrected error|event severity: fatal)/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['hanging-container-runtime', 'nvidia-driver-absent'],
  summary: ({ node, instance, machine, what, what2, device }) =>
    sentence`${node ?? instance ?? machine ?? 'The machine'} has a fault of its kernel or hardware (${phrase`${device}: `}${what ?? what2 ?? 'see its kernel log'}), so what runs there cannot be relied on.`,
  remedy: () => [
    step('Take the node out of service.', 'kubectl cordon <node>'),
    step(
      'Keep the evidence.',
      'aws ec2 get-console-output --latest --output text --instance-id <instance>',
    ),
    step(
      'Replace the instance; a stop and start moves it to other hardware.',
      'aws autoscaling terminate-instance-in-auto-scaling-group --no-should-decrement-desired-capacity --instance-id <instance>',
    ),
  ],
  decide: step('Read the kernel’s log and the node’s conditions.', 'sudo dmesg -T | tail -n 100'),
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

/** What an agent wrote into the Node's conditions is definite, and names the machine. */
export default matched(cause, (view) => {
  const reported = view.sign('agentReports')?.last ?? null;
  if (reported === null) return null;
  const { what = '' } = reported.captures;
  return withRepairs(
    found(reported.captures, [reported]),
    replacingMachine(view, false, `its Node has condition ${what}`),
  );
});
