import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** The SSM agent gives a hybrid host its credentials, and it is not there or does not run. */
export default defineCause({
  id: 'ssm-agent-missing',
  stage: 'bootstrapped',
  title: 'the SSM agent is not installed or does not run on the hybrid host',
  scope: 'machine',
  signs: {
    setupMissing: definite(
      ['nodeadm', 'cloud-init', 'journal', 'client-output'],
      /fork\/exec (?<program>\S{0,100}(?:ssm-setup-cli|amazon-ssm-agent)): no such file or directory/,
    ),
    notRunning: definite(
      ['nodeadm', 'cloud-init', 'journal', 'client-output'],
      /(?<reason>(?:waiting for SSM agent to be running|(?:re)?starting SSM agent|(?:enabling|running) SSM (?:agent|daemon)): (?!.*(?:Activation)).{1,160})/,
    ),
    unitMissing: likely(
      ['nodeadm'],
      /Unit (?:snap\.amazon-ssm-agent\.)?amazon-ssm-agent\.service (?:not found|could not be found|does not exist|not loaded)/,
      { strict: true },
    ),
    // EC2 instances join without the agent.
    unitMissingElsewhere: context(
      ['journal', 'cloud-init', 'client-output'],
      /Unit (?:snap\.amazon-ssm-agent\.)?amazon-ssm-agent\.service (?:not found|could not be found|does not exist|not loaded)|(?:snap\.amazon-ssm-agent\.)?amazon-ssm-agent\.service: Failed with result/,
    ),
    running: withdraws(['nodeadm'], /SSM agent is running/),
  },
  needs: [],
  symptoms: [],
  explains: ['no-aws-credentials', 'describe-cluster-failed'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, program, reason }) =>
    `The SSM agent of ${machine ?? 'the hybrid host'} ${program === undefined ? `does not run${reason === undefined ? '' : ` (${reason.trim()})`}` : `is not installed (${program} is not there)`}, so the host gets no AWS credentials and does not join.`,
  remedy: () => [
    step(
      'Install what nodeadm needs again.',
      'sudo nodeadm uninstall; sudo nodeadm install <kubernetes-version> --credential-provider ssm',
    ),
    step(
      'See why the agent does not start.',
      'systemctl status amazon-ssm-agent snap.amazon-ssm-agent.amazon-ssm-agent --no-pager; sudo tail -n 40 /var/log/amazon/ssm/amazon-ssm-agent.log',
    ),
    step('Then join.', 'sudo nodeadm init --config-source file://nodeConfig.yaml'),
  ],
  decide: step(
    'See whether the agent is there and runs.',
    'systemctl is-active amazon-ssm-agent snap.amazon-ssm-agent.amazon-ssm-agent; ls -l /opt/ssm/ssm-setup-cli /opt/aws/ssm-setup-cli /usr/bin/amazon-ssm-agent /snap/amazon-ssm-agent/current/amazon-ssm-agent',
  ),
  page: {
    why: 'With SSM hybrid activations the agent registers the host and renews its credentials every half hour. nodeadm init without nodeadm install, an image clean-up or a snap that is not there leaves the host without it.',
    prevent:
      'Run nodeadm install on every host or in the image build, and alarm on the agent’s service.',
    notThis:
      'An agent that runs and is refused is ssm-hybrid-activation-invalid; one whose installer differs from an earlier one is ssm-installation-conflict. An EC2 instance needs no SSM agent to join.',
    alsoKnownAs: [
      'running register machine command: , error: fork/exec /opt/aws/ssm-setup-cli: no such file or directory',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html',
      'https://github.com/aws/eks-hybrid/blob/HEAD/internal/ssm/daemon.go',
    ],
  },
});
