import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

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
const cause = defineCause({
  id: 'package-manager-update-failed',
  stage: 'bootstrapped',
  title: 'the package manager cannot update or is locked',
  scope: 'machine',
  signs: {
    nodeadm: definite(
      SPEAKERS,
      /(?<reason>failed to (?:run update|install \S{1,60}|remove \S{1,60}) using package manager|failed running commands to configure package manager|failed adding docker repo to package manager)/,
    ),
    lockHeld: likely(
      SPEAKERS,
      /E: (?<reason>Could not get lock \/var\/(?:lib|cache)\/(?:dpkg|apt)[^\s.]{0,60}(?:\. It is held by process \d+ \([\w.-]{1,40}\))?|Unable to acquire the dpkg frontend lock|Unable to lock (?:directory|the administration directory))/,
    ),
    interrupted: definite(
      SPEAKERS,
      /E: (?<reason>dpkg was interrupted, you must manually run|Unmet dependencies)|(?<reason2>rpmdb open failed)/,
    ),
    signature: likely(
      SPEAKERS,
      /(?<reason>E: The repository '[^']{1,200}' (?:is not signed|does not have a Release file|no longer has a Release file)|Error: GPG check FAILED|E: GPG error: .{0,160}(?:NO_PUBKEY|EXPKEYSIG) \w+)/,
    ),
    repositoryFailed: context(
      SPEAKERS,
      /(?<reason>One of the configured repositories failed \([^)]{1,80}\)|Failed to download metadata for repo '[^']{1,60}': Cannot prepare internal mirrorlist: No URLs in mirrorlist|repomd\.xml signature could not be verified for [\w.-]{1,60})/,
    ),
    scriptFailed: context(
      SPEAKERS,
      /Failed (?:running|to run module) \S*scripts|failed to run module scripts-user/i,
      { anchors: ['ailed running ', 'ailed to run module '] },
    ),
    waiting: context(
      SPEAKERS,
      /holding the yum lock|Existing lock \/var\/run\/yum\.pid|Waiting for process with pid \d+ to finish/,
    ),
    installed: withdraws(
      SPEAKERS,
      /Finishing up install|\b[1-9]\d{0,3} newly installed|\bComplete!\s{0,3}$/,
    ),
  },
  needs: [],
  symptoms: ['user-data-script-failed'],
  explains: ['failed-user-script', 'host-package-missing'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, reason, reason2 }) =>
    `The package manager of ${machine ?? 'the machine'} fails (${reason ?? reason2 ?? 'it is locked'}), so what the node needs is not installed.`,
  remedy: ({ reason }) => [
    reason?.includes('lock') === true
      ? step(
          'Wait for the automatic update that holds the lock, then repeat; in user data, wait for it first.',
          'sudo systemctl stop unattended-upgrades apt-daily.timer apt-daily-upgrade.timer; sudo apt-get -o DPkg::Lock::Timeout=300 update',
        )
      : step(
          'Run the update by hand: it names the repository that fails.',
          'sudo apt-get update || sudo dnf makecache',
        ),
    step(
      'On a package database that was interrupted: finish it.',
      'sudo dpkg --configure -a && sudo apt-get -f install || sudo rpm --rebuilddb',
    ),
    step(
      'Then run the installer again.',
      'sudo nodeadm install <kubernetes-version> --credential-provider <ssm-or-iam-ra>',
    ),
  ],
  decide: step(
    'See who holds the lock and what the last update said.',
    "ps -eo pid,etime,args | grep -E '[a]pt|[d]nf|[y]um|[u]nattended'; sudo tail -n 40 /var/log/apt/term.log /var/log/dnf.log",
  ),
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

/** A script that ended on it is failed-user-script, which says what the script wanted. */
export default matched(cause, (view) => {
  const failed = view.sign('repositoryFailed');
  if (failed === null || view.sign('scriptFailed') !== null) return null;
  return found(failed.last.captures, [failed.last], 'likely');
});
