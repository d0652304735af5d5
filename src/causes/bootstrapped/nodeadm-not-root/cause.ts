import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';

/** nodeadm changes the host and refuses to try without the right to. */
export default defineCause({
  id: 'nodeadm-not-root',
  stage: 'bootstrapped',
  title: 'nodeadm was run without root',
  scope: 'machine',
  signs: {
    refused: definite(
      ['nodeadm', 'cloud-init', 'console', 'client-output', 'journal'],
      /(?:Command failed|\bnodeadm\b).{0,200}?\bmust (?:be )?run as root/i,
      { anchors: ['must run as root', 'must be run as root'] },
    ),
    wentOn: withdraws(
      ['nodeadm', 'cloud-init', 'journal'],
      /Finishing up install|Setting up system aspects|Loading configuration/,
    ),
  },
  needs: [],
  symptoms: [],
  explains: ['failed-user-script'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine }) =>
    `nodeadm was run without root on ${machine ?? 'the machine'}, so it ended before it did anything.`,
  remedy: () => [
    step('Run it with sudo.', 'sudo nodeadm init --config-source file://nodeConfig.yaml'),
    step(
      'For the installation likewise.',
      'sudo nodeadm install <kubernetes-version> --credential-provider <ssm-or-iam-ra>',
    ),
  ],
  decide: step(
    'See as whom you run it, and what it said.',
    'id -u; journalctl -u nodeadm-config -u nodeadm-run --no-pager | tail -n 20',
  ),
  page: {
    why: 'nodeadm writes units, certificates and configuration below /etc and installs packages. On a hybrid host somebody runs it by hand or from a pipeline without sudo.',
    prevent: 'Use sudo in the runbook, or run it from user data, which is root.',
    notThis:
      'Permission denied on a file although nodeadm is root is selinux-or-hardening-denial. kubeadm’s own check for root is kubeadm-preflight-failed.',
    alsoKnownAs: ['"msg":"Command failed","error":"must run as root"'],
    refs: ['https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html'],
  },
});
