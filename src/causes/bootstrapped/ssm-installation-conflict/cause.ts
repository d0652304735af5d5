import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** What an earlier SSM installation left on the host does not fit the new one. */
export default defineCause({
  id: 'ssm-installation-conflict',
  stage: 'bootstrapped',
  title: 'an earlier SSM installation is in the way',
  scope: 'machine',
  signs: {
    checksum: definite(
      ['nodeadm', 'cloud-init', 'console', 'journal', 'client-output'],
      /checksum mismatch with latest ssm-setup-cli|verifying installed ssm-setup-cli checksum|ssm-setup-cli checksum mismatch/,
    ),
    otherwise: likely(
      ['nodeadm', 'cloud-init', 'console', 'journal', 'client-output'],
      /Failed to perform agent-installation\/on-prem registration: (?!.*(?:Activation|dial tcp|timeout|no such host|lookup))(?<reason>.{0,160}\b(?:already (?:installed|registered|exists)|conflict\w*|existing|uninstall\w*)\b.{0,80})/i,
      { anchors: ['on-prem registration: '] },
    ),
    snap: likely(
      ['nodeadm', 'cloud-init', 'console', 'journal', 'client-output', 'unknown'],
      /[Aa]mazon-ssm-agent is installed in this instance by (?<manager>snap)\b/,
      { anchors: ['is installed in this instance by snap'] },
    ),
    registered: withdraws(
      ['nodeadm', 'cloud-init', 'console', 'journal', 'client-output'],
      /Successfully registered the instance with AWS SSM|Machine registered with SSM/,
    ),
  },
  needs: [],
  symptoms: [],
  explains: ['ssm-agent-missing', 'install-download-failed', 'no-aws-credentials'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, reason }) =>
    `${machine ?? 'The host'} has an earlier SSM installation that does not fit the one nodeadm uses (${reason?.trim() ?? 'the checksum of ssm-setup-cli differs'}), so it is not registered and does not join.`,
  remedy: () => [
    step(
      'Remove the earlier installation (RPM systems, then Ubuntu).',
      'sudo dnf remove -y amazon-ssm-agent || { sudo snap remove amazon-ssm-agent; sudo apt-get remove -y --purge amazon-ssm-agent; }; sudo rm -rf /var/lib/amazon/ssm/Vault/Store/RegistrationKey /opt/ssm /opt/aws/ssm-setup-cli',
    ),
    step(
      'Then install and join again.',
      'sudo nodeadm install <kubernetes-version> --credential-provider ssm && sudo nodeadm init --config-source file://nodeConfig.yaml',
    ),
  ],
  decide: step(
    'See what of SSM is on the host.',
    'ls -l /opt/ssm /opt/aws /usr/bin/amazon-ssm-agent /snap/amazon-ssm-agent /var/lib/amazon/ssm/registration',
  ),
  page: {
    why: 'ssm-setup-cli compares itself with the latest release. A host that had the agent before (another region, an image, a management tool) keeps the old installer, and each new release of the agent makes a kept one old.',
    prevent:
      'Run nodeadm install shortly before nodeadm init, on hosts without an SSM agent of their own.',
    notThis:
      'An installer that is not there at all is ssm-agent-missing. An activation that SSM refuses is ssm-hybrid-activation-invalid. Checksums of kubelet and other files are install-download-failed.',
    alsoKnownAs: ['checksum mismatch with latest ssm-setup-cli'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html',
      'https://github.com/aws/amazon-ssm-agent/blob/HEAD/agent/setupcli/managers/downloadmanager/downloadmanager.go',
    ],
  },
});
