import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, withdraws } from '../../../diagnosis/sign.ts';

/** nodeadm init was run before with another configuration, and does not overwrite what it wrote then. */
const cause = defineCause({
  id: 'stale-hybrid-profile',
  stage: 'bootstrapped',
  title: 'files of an earlier nodeadm run do not match the new configuration',
  scope: 'machine',
  signs: {
    differs: definite(
      ['nodeadm', 'cloud-init', 'console', 'journal', 'client-output'],
      /hybrid profile already exists(?: at (?<path>\/[^\s"]{1,200}))?(?: but its contents do not align)?/,
    ),
    // nodeadm only warns of these and goes on, also where it is run again after another failure.
    leftBehind: context(
      ['nodeadm', 'cloud-init', 'console', 'journal', 'client-output'],
      /(?<left>kubelet args environment file \/\S+ exists|kubernetes directory \/\S+ still exists|kubelet service is still active and may be connected to a previous cluster)/,
    ),
    otherTrouble: context(
      ['nodeadm', 'cloud-init', 'console', 'journal', 'client-output', 'kubelet'],
      /Command failed|Validation failed.{0,40}error": ?"(?!kubelet args environment|kubernetes directory|kubelet service is still)|Unable to register node|\bUnauthorized\b|AccessDenied|x509: |i\/o timeout|no such host/,
      {
        anchors: [
          'Command failed',
          'Validation failed',
          'Unable to register node',
          'Unauthorized',
          'AccessDenied',
          'x509: ',
          'i/o timeout',
          'no such host',
        ],
      },
    ),
    uninstalled: withdraws(['nodeadm', 'client-output'], /Finishing up install/),
  },
  needs: [],
  symptoms: [],
  explains: ['failed-user-script'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, path, left }) =>
    left !== undefined
      ? `${machine ?? 'The host'} is not clean for nodeadm init (${left}): an earlier run was not uninstalled.`
      : `${machine ?? 'The host'} still has the hybrid profile${path === undefined ? '' : ` ${path}`} of an earlier nodeadm run with another configuration, so nodeadm init stops.`,
  remedy: () => [
    step(
      'Remove what the earlier run wrote, then install and join with the new configuration.',
      'sudo nodeadm uninstall && sudo nodeadm install <kubernetes-version> --credential-provider <ssm-or-iam-ra> && sudo nodeadm init --config-source file://nodeConfig.yaml',
    ),
  ],
  decide: step(
    'Compare the profile with the configuration.',
    'sudo cat /etc/aws/hybrid/config; grep -v activationCode nodeConfig.yaml',
  ),
  page: {
    why: 'With IAM Roles Anywhere nodeadm writes the AWS profile of the host once (role, profile, trust anchor, region). Another nodeConfig.yaml for the same host finds the old one and does not guess which is right.',
    prevent: 'Run nodeadm uninstall before each change of the configuration.',
    notThis:
      'State of an earlier kubelet is stale-kubelet-state; an earlier kubeadm join is kubeadm-preflight-failed. An earlier SSM installation is ssm-installation-conflict.',
    alsoKnownAs: [
      'hybrid profile already exists at /etc/aws/hybrid/config but its contents do not align with the expected configuration',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html',
      'https://github.com/aws/eks-hybrid/tree/HEAD/internal/iamrolesanywhere',
    ],
  },
});

export default matched(cause, matchLeft);

/** What an earlier run left is the trouble where nodeadm names no other. */
function matchLeft(view: ViewOf<typeof cause>): Match | null {
  const left = view.sign('leftBehind');
  if (left === null || view.anySign('differs', 'otherTrouble')) return null;
  return found(left.last.captures, [left.last], 'likely');
}
