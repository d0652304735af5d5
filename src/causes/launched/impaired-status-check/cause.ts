import { clear, defineCause, found, matched, step, withRepairs } from '../../../diagnosis/cause.ts';
import { replacingMachine } from '../../../diagnosis/repair.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** EC2 says that the machine or its host does not work, or its console shows that it did not boot. */
const cause = defineCause({
  id: 'impaired-status-check',
  stage: 'launched',
  title: 'the instance fails its EC2 status checks or did not boot',
  scope: 'machine',
  signs: {
    kernelPanic: definite(
      ['console', 'kernel', 'journal'],
      /Kernel panic - not syncing: (?<reason>.{1,80})/,
    ),
    noBootDevice: definite(
      ['console'],
      /(?<reason>No bootable device|Unable to mount root fs|Cannot open root device|Gave up waiting for root (?:file system )?device)/,
    ),
    // What the initramfs and SELinux say when they cannot go further; Amazon lists these of EC2.
    bootStops: likely(
      ['console', 'kernel', 'journal'],
      /(?<reason>ALERT! {1,3}\S{1,120} does not exist\. {0,3}Dropping to a shell|Give root password for maintenance|Unable to load SELinux Policy\. Machine is in enforcing mode|FATAL: kernel too old)/i,
      {
        anchors: [
          'Dropping to a shell',
          'Give root password for maintenance',
          'Unable to load SELinux Policy',
          'FATAL: kernel too old',
        ],
      },
    ),
    emergencyMode: likely(
      ['console', 'journal', 'kernel'],
      /(?<reason>Entering emergency mode|You are in emergency mode)|Reached target .{0,30}Emergency Mode/,
      { anchors: ['Entering emergency mode', 'You are in emergency mode', 'Emergency Mode'] },
    ),
    ignition: context(['console', 'ignition', 'journal'], /Ignition (?:has )?failed/, {
      anchors: ['Ignition has failed', 'Ignition failed'],
    }),
    // A boot program of the image ended first, which says in its own words why.
    bootProgramFailed: context(
      ['console', 'journal', 'bottlerocket', 'ignition'],
      /\bFailed to start .{0,60}(?:userdata configuration|User-specified setting|[Ss]etting generators|Bottlerocket|Ignition|initial cloud-init|metadata service crawler)|\b(?:early-boot-config|sundog|settings-applier|storewolf|migrator|ignition-\w{1,20})(?:\.service)?: (?:Main process exited|Failed with result)|\b(?:early-boot-config|sundog)\[\d{1,7}\]: .{0,120}(?:[Ee]rror|failed)/,
      {
        anchors: [
          'Failed to start',
          'Main process exited',
          'Failed with result',
          'early-boot-config[',
          'sundog[',
        ],
      },
    ),
    // What CloudWatch, the console, an Auto Scaling activity or a person says of the two checks.
    checkFailed: likely(
      ['aws-message', 'client-output', 'event', 'terraform'],
      /\b(?:[Ff]ail(?:ed|s|ing)?|impaired) (?:the |its |both )?(?:EC2 |AWS )?(?:instance |system )?(?:status|reachability) checks?\b(?! to )|EC2 instance status checks failure|\b(?:[Ii]nstance|[Ss]ystem) (?:status|reachability) checks? (?:has |have |is |are )?(?:failed|failing|impaired)|\b(?<passed>[01]\/[23]) checks passed/,
      {
        anchors: ['status check', 'reachability check', 'checks passed'],
      },
    ),
    unhealthyEvent: context(['event'], /\bInstanceUnhealthy\b/),
  },
  needs: ['aws/instance-status', 'kube/Node'],
  symptoms: [],
  explains: [
    'karpenter-registration-timeout',
    'node-creation-failure-verdict',
    'node-heartbeat-lost',
  ],
  summary: ({ instance, machine, reason, passed }) =>
    `${instance === undefined ? (machine ?? 'The machine') : `Instance ${instance}`} does not work as a machine (${reason ?? (passed === undefined ? 'status check impaired' : `${passed} checks passed`)}); nothing above can run on it.`,
  remedy: () => [
    step(
      'Read how far it boots.',
      'aws ec2 get-console-output --latest --output text --instance-id <instance> | tail -n 60',
    ),
    step(
      'Replace it; a stop and start moves it to another host when the system status is impaired.',
      'aws autoscaling terminate-instance-in-auto-scaling-group --instance-id <instance> --no-should-decrement-desired-capacity',
    ),
  ],
  decide: step(
    'Read both status checks.',
    'aws ec2 describe-instance-status --include-all-instances --instance-ids <instance> --query InstanceStatuses[].[SystemStatus,InstanceStatus]',
  ),
  page: {
    why: 'The host under the instance fails (system status), or the instance does not boot or lost its network (instance status): a broken fstab entry, a missing driver in a custom AMI, a full or damaged root disk.',
    prevent: 'Boot every new image once on each instance family before rolling it out.',
    notThis:
      'A machine that boots and does not run its boot script is one of the bootstrapped causes; emergency mode after Ignition failed is ignition-cannot-fetch-config, and after early-boot-config of Bottlerocket invalid-bottlerocket-user-data; an instance that ended is early-instance-termination.',
    alsoKnownAs: ['1/2 checks passed', 'You are in emergency mode', 'Kernel panic - not syncing'],
    refs: [
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/TroubleshootingInstances.html',
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-system-instance-status-check.html',
    ],
  },
});

export default matched(cause, (view) => {
  const impaired = view
    .list('aws/instance-status')
    .find((entry) =>
      [entry.value.InstanceStatus, entry.value.SystemStatus].some(
        (check) => check?.Status === 'impaired',
      ),
    );
  const isReady = view.list('kube/Node').some(({ value }) => value.ready === true);
  if (impaired !== undefined && !isReady) {
    const instance = impaired.value.InstanceId ?? '';
    const reason =
      impaired.value.SystemStatus?.Status === 'impaired'
        ? 'system status impaired'
        : 'instance status impaired';
    const match = found({ instance, reason }, [
      view.quote(impaired, `Instance ${instance} ${reason}`),
    ]);
    const machine = { instanceId: instance === '' ? null : instance, node: view.node };
    return withRepairs(match, replacingMachine(machine, true, `EC2 says ${reason}`));
  }
  const isMachine = view.anySign('kernelPanic', 'noBootDevice', 'bootStops', 'checkFailed');
  return !isMachine && view.anySign('ignition', 'bootProgramFailed') ? clear : null;
});
