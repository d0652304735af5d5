import {
  cannotSay,
  defineCause,
  found,
  type Match,
  step,
  matched,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';

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
const cause = defineCause({
  id: 'rhel-not-entitled',
  stage: 'bootstrapped',
  title: 'the RHEL host has no subscription, so it gets no packages',
  scope: 'machine',
  signs: {
    // Hosts whose repositories come from AWS print this beside every successful call too.
    notRegistered: likely(
      SPEAKERS,
      /(?<reason>This system is not registered (?:with an entitlement server|to Red Hat Subscription Management)|This system is registered (?:with an entitlement server|to Red Hat Subscription Management), but is not receiving updates)/,
    ),
    noRepositories: likely(
      SPEAKERS,
      /(?<reason>There are no enabled repos(?:itories)?\b|Unable to find available subscriptions|[Nn]o available subscriptions)/,
    ),
    repositoryRefused: likely(
      SPEAKERS,
      /(?<reason>Status code: (?:401|403) for https:\/\/(?:cdn\.redhat\.com|rhui[\w.-]*)\/\S{1,200}|\[Errno 14\] HTTPS Error (?:401|403) - \w+.{0,80}(?:cdn\.redhat\.com|rhui))/,
    ),
    notInstalled: context(
      SPEAKERS,
      /Unable to find a match: (?<package>[\w.+-]{1,80})|No match for argument: (?<package2>[\w.+-]{1,80})|failed to \S{1,20} ?\S{0,60} using package manager|nothing provides (?<package3>[\w.+-]{1,80})/,
    ),
    installed: withdraws(
      SPEAKERS,
      /Finishing up install|\bComplete!\s{0,3}$|Installed products updated/,
    ),
  },
  needs: [],
  symptoms: [],
  explains: ['package-manager-update-failed', 'host-package-missing', 'failed-user-script'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, reason, package: name, package2, package3 }) =>
    `${machine ?? 'The RHEL host'} has no subscription that gives it packages (${reason ?? 'not registered'})${(name ?? package2 ?? package3) === undefined ? '' : `, so ${name ?? package2 ?? package3 ?? ''} is not installed`}.`,
  remedy: () => [
    step(
      'Register the host.',
      'sudo subscription-manager register --activationkey <key> --org <organization>',
    ),
    step(
      'On EC2 with an image of Red Hat, repair its client of the regional repositories instead.',
      'sudo dnf update -y rh-amazon-rhui-client && sudo dnf clean all && sudo dnf repolist',
    ),
    step(
      'Then install again; RHEL takes containerd from Docker’s repository.',
      'sudo nodeadm install <kubernetes-version> --credential-provider <ssm-or-iam-ra> --containerd-source docker',
    ),
  ],
  decide: step(
    'See whether the host is registered and which repositories are on.',
    'ls -l /etc/pki/consumer /etc/yum.repos.d; grep -rn ^enabled /etc/yum.repos.d',
  ),
  page: {
    why: 'RHEL gives packages to registered hosts only. Hosts outside of AWS are registered by hand, images of Red Hat on EC2 get their repositories from AWS by a client package that can expire.',
    prevent:
      'Register the host before nodeadm install, or install everything when the image is built.',
    notThis:
      'On EC2 the sentence “This system is not registered with an entitlement server” also appears in successful installations: it decides only where no repository is on or a package is not found. A lock or a mirror is package-manager-update-failed.',
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

export default matched(cause, (view) => matchUnregistered(view));

type Own = ViewOf<typeof cause>;

/** Not being registered decides only beside a package or a repository that is not there. */
function matchUnregistered(view: Own): Match | null {
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
