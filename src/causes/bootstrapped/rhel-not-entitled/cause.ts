import { cannotSay, defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

const SPEAKERS = [
  'nodeadm',
  'cloud-init',
  'console',
  'client-output',
  'journal',
  // Lines that begin with “Error: ” are taken for Terraform’s.
  'terraform',
] as const;

/** A Red Hat host gets no packages because nobody registered it, or its subscription ended. */
export default defineCause({
  id: 'rhel-not-entitled',
  stage: 'bootstrapped',
  title: 'the RHEL host has no subscription, so it gets no packages',
  scope: 'machine',
  signs: {
    notRegistered: {
      in: SPEAKERS,
      anchors: [
        'is not registered with an entitlement',
        'is not registered to Red Hat',
        'not receiving updates',
      ],
      pattern:
        /(?<reason>This system is not registered (?:with an entitlement server|to Red Hat Subscription Management)|This system is registered (?:with an entitlement server|to Red Hat Subscription Management), but is not receiving updates)/,
      // Hosts whose repositories come from AWS print this beside every successful call too.
      weight: 'likely',
    },
    noRepositories: {
      in: SPEAKERS,
      anchors: [
        'There are no enabled repos',
        'Unable to find available subscriptions',
        'no available subscriptions',
      ],
      pattern:
        /(?<reason>There are no enabled repos(?:itories)?\b|Unable to find available subscriptions|[Nn]o available subscriptions)/,
      weight: 'likely',
    },
    repositoryRefused: {
      in: SPEAKERS,
      anchors: ['cdn.redhat.com', 'https://rhui', 'HTTPS Error 40'],
      pattern:
        /(?<reason>Status code: (?:401|403) for https:\/\/(?:cdn\.redhat\.com|rhui[\w.-]*)\/\S{1,200}|\[Errno 14\] HTTPS Error (?:401|403) - \w+.{0,80}(?:cdn\.redhat\.com|rhui))/,
      weight: 'likely',
    },
    notInstalled: {
      in: SPEAKERS,
      anchors: [
        'Unable to find a match: ',
        'No match for argument: ',
        'using package manager',
        'nothing provides ',
      ],
      pattern:
        /Unable to find a match: (?<package>[\w.+-]{1,80})|No match for argument: (?<package2>[\w.+-]{1,80})|failed to \S{1,20} ?\S{0,60} using package manager|nothing provides (?<package3>[\w.+-]{1,80})/,
      weight: 'context',
    },
    installed: {
      in: SPEAKERS,
      anchors: ['Finishing up install', 'Complete!', 'Installed products updated'],
      pattern: /Finishing up install|\bComplete!\s{0,3}$|Installed products updated/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: [],
  explains: ['package-manager-update-failed', 'host-package-missing', 'failed-user-script'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  match: (view) => matchUnregistered(view),
  summary: ({ machine, reason, package: name, package2, package3 }) =>
    `${machine ?? 'The RHEL host'} has no subscription that gives it packages (${reason ?? 'not registered'})${(name ?? package2 ?? package3) === undefined ? '' : `, so ${name ?? package2 ?? package3 ?? ''} is not installed`}.`,
  remedy: () => [
    {
      text: 'Register the host.',
      command: 'sudo subscription-manager register --activationkey <key> --org <organization>',
    },
    {
      text: 'On EC2 with an image of Red Hat, repair its client of the regional repositories instead.',
      command:
        'sudo dnf update -y rh-amazon-rhui-client && sudo dnf clean all && sudo dnf repolist',
    },
    {
      text: 'Then install again; RHEL takes containerd from Docker’s repository.',
      command:
        'sudo nodeadm install <kubernetes-version> --credential-provider <ssm-or-iam-ra> --containerd-source docker',
    },
  ],
  decide: {
    text: 'See whether the host is registered and which repositories are on.',
    command: 'ls -l /etc/pki/consumer /etc/yum.repos.d; grep -rn ^enabled /etc/yum.repos.d',
  },
  page: {
    why: 'RHEL gives packages to registered hosts only. Hosts outside of AWS are registered by hand, images of Red Hat on EC2 get their repositories from AWS by a client package that can expire.',
    prevent:
      'Register the host before nodeadm install, or install everything when the image is built.',
    notThis:
      'On EC2 the sentence “This system is not registered with an entitlement server” stands beside successful installations too: it decides only where no repository is on or a package is not found. A lock or a mirror is package-manager-update-failed.',
    alsoKnownAs: [
      'This system is not registered with an entitlement server. You can use subscription-manager to register.',
      'There are no enabled repositories in "/etc/yum.repos.d"',
    ],
    refs: [
      'https://github.com/candlepin/subscription-manager/blob/HEAD/src/dnf-plugins/subscription_manager.py',
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-os.html',
    ],
  },
});

type Signs =
  | 'notRegistered'
  | 'noRepositories'
  | 'repositoryRefused'
  | 'notInstalled'
  | 'installed';

/** Not being registered decides only beside a package or a repository that is not there. */
function matchUnregistered(view: View<never, Signs>): Match | null {
  const unregistered = view.sign('notRegistered');
  if (unregistered === null) return null;
  const failed =
    view.sign('notInstalled') ?? view.sign('noRepositories') ?? view.sign('repositoryRefused');
  if (failed === null) {
    const detail = 'whether a package was not found beside it is not in this evidence';
    return cannotSay({ reason: 'not-in-source', detail, collect: 'sudo dnf repolist' });
  }
  const details = { ...failed.last.captures, ...unregistered.last.captures };
  return found(details, [unregistered.last, failed.last], 'likely');
}
