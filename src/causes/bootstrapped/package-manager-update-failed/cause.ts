import { defineCause } from '../../../diagnosis/cause.ts';

const SPEAKERS = [
  'nodeadm',
  'cloud-init',
  'console',
  'client-output',
  'journal',
  // Lines that begin with “Error: ” are taken for Terraform’s.
  'terraform',
] as const;

/** apt, dnf or yum fails or waits for another one, so packages that the node needs are not installed. */
export default defineCause({
  id: 'package-manager-update-failed',
  stage: 'bootstrapped',
  title: 'the package manager cannot update or is locked',
  scope: 'machine',
  signs: {
    nodeadm: {
      in: SPEAKERS,
      anchors: [
        'using package manager',
        'configure package manager',
        'docker repo to package manager',
      ],
      pattern:
        /(?<reason>failed to (?:run update|install \S{1,60}|remove \S{1,60}) using package manager|failed running commands to configure package manager|failed adding docker repo to package manager)/,
      weight: 'definite',
    },
    lockHeld: {
      in: SPEAKERS,
      anchors: [
        'Could not get lock /var/lib/',
        'Unable to lock ',
        'frontend lock',
        'Could not get lock /var/cache',
      ],
      pattern:
        /E: (?<reason>Could not get lock \/var\/(?:lib|cache)\/(?:dpkg|apt)[^\s.]{0,60}(?:\. It is held by process \d+ \([\w.-]{1,40}\))?|Unable to acquire the dpkg frontend lock|Unable to lock (?:directory|the administration directory))/,
      weight: 'likely',
    },
    interrupted: {
      in: SPEAKERS,
      anchors: ['dpkg was interrupted', 'rpmdb open failed', 'Unmet dependencies'],
      pattern:
        /E: (?<reason>dpkg was interrupted, you must manually run|Unmet dependencies)|(?<reason2>rpmdb open failed)/,
      weight: 'definite',
    },
    signature: {
      in: SPEAKERS,
      anchors: [
        'NO_PUBKEY',
        'EXPKEYSIG',
        'is not signed',
        'GPG check FAILED',
        'does not have a Release file',
      ],
      pattern:
        /(?<reason>E: The repository '[^']{1,200}' (?:is not signed|does not have a Release file|no longer has a Release file)|Error: GPG check FAILED|(?:W|E): GPG error: .{0,160}(?:NO_PUBKEY|EXPKEYSIG) \w+)/,
      weight: 'likely',
    },
    waiting: {
      in: SPEAKERS,
      anchors: [
        'holding the yum lock',
        'Existing lock /var/run/yum.pid',
        'Waiting for process with pid',
      ],
      pattern:
        /holding the yum lock|Existing lock \/var\/run\/yum\.pid|Waiting for process with pid \d+ to finish/,
      weight: 'context',
    },
    installed: {
      in: SPEAKERS,
      anchors: ['Finishing up install', 'newly installed', 'Complete!'],
      pattern: /Finishing up install|\b[1-9]\d{0,3} newly installed|\bComplete!\s{0,3}$/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['user-data-script-failed'],
  explains: ['failed-user-script', 'host-package-missing'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, reason, reason2 }) =>
    `The package manager of ${machine ?? 'the machine'} fails (${reason ?? reason2 ?? 'it is locked'}), so what the node needs is not installed.`,
  remedy: ({ reason }) => [
    reason?.includes('lock') === true
      ? {
          text: 'Wait for the automatic update that holds the lock, then repeat; in user data, wait for it first.',
          command:
            'sudo systemctl stop unattended-upgrades apt-daily.timer apt-daily-upgrade.timer; sudo apt-get -o DPkg::Lock::Timeout=300 update',
        }
      : {
          text: 'Run the update by hand: it names the repository that fails.',
          command: 'sudo apt-get update || sudo dnf makecache',
        },
    {
      text: 'On a package database that was interrupted: finish it.',
      command: 'sudo dpkg --configure -a && sudo apt-get -f install || sudo rpm --rebuilddb',
    },
    {
      text: 'Then run the installer again.',
      command: 'sudo nodeadm install <kubernetes-version> --credential-provider <ssm-or-iam-ra>',
    },
  ],
  decide: {
    text: 'See who holds the lock and what the last update said.',
    command:
      "ps -eo pid,etime,args | grep -E '[a]pt|[d]nf|[y]um|[u]nattended'; sudo tail -n 40 /var/log/apt/term.log /var/log/dnf.log",
  },
  page: {
    why: 'At the first boot unattended-upgrades or another agent runs the package manager at the same time as user data or nodeadm install. Mirrors that are not reached and expired repository keys end it as well.',
    prevent: 'Install packages when the image is built, and turn automatic updates off there.',
    notThis:
      'A RHEL host without a subscription is rhel-not-entitled. A file that the installer fetches itself is install-download-failed. A mirror that user data cannot reach, with a script that ended, is failed-user-script. “Waiting for process with pid” alone passes by itself.',
    alsoKnownAs: [
      'failed to run update using package manager',
      'Could not get lock /var/lib/dpkg/lock-frontend',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html',
      'https://github.com/aws/eks-hybrid/blob/HEAD/internal/packagemanager/packagemanager.go',
      'https://salsa.debian.org/apt-team/apt/-/blob/main/apt-pkg/contrib/fileutl.cc',
    ],
  },
});
