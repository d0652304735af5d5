import { defineCause } from '../../../diagnosis/cause.ts';

/** The SSM agent of a hybrid node has left no credentials where the node looks for them. */
export default defineCause({
  id: 'ssm-credentials-missing',
  stage: 'authenticated',
  title: 'a hybrid node has no SSM credentials file',
  scope: 'machine',
  signs: {
    notRefreshed: {
      in: ['nodeadm', 'journal', 'client-output', 'cloud-init'],
      anchors: ['operation error SSM: '],
      pattern:
        /operation error SSM: \w+, (?:get identity: )?get credentials: failed to refresh cached credentials(?!, process provider error)/,
      weight: 'definite',
    },
    fileMissing: {
      in: ['nodeadm', 'kubelet', 'journal', 'client-output'],
      anchors: ['/.aws/credentials'],
      pattern:
        /(?:open|stat) "?(?<file>\/root\/\.aws\/credentials|\/eks-hybrid\/\.aws\/credentials)"?: (?<why>no such file or directory|permission denied)/,
      weight: 'definite',
    },
    notWritten: {
      in: ['nodeadm', 'journal'],
      anchors: ['reading aws config for SSM'],
      pattern:
        /reading aws config for SSM: .*(?:deadline exceeded|no such file|timed out|not found)/,
      weight: 'likely',
    },
  },
  needs: [],
  symptoms: ['no-answer-from-metadata', 'kubelet-unauthorized'],
  withdrawnBy: ['api-answered', 'node-registered', 'node-ready'],
  explains: ['no-aws-credentials', 'describe-cluster-failed'],
  summary: ({ machine, file, why }) =>
    `${machine ?? 'The hybrid node'} finds no SSM credentials${file === undefined ? '' : ` at ${file}`}${why === undefined ? '' : ` (${why})`}, so it cannot ask AWS for anything and gets no token for the cluster.`,
  remedy: () => [
    {
      text: 'See whether the agent is registered and running, and what it says.',
      command:
        'sudo cat /var/lib/amazon/ssm/registration; sudo systemctl status amazon-ssm-agent snap.amazon-ssm-agent.amazon-ssm-agent --no-pager; sudo tail -n 50 /var/log/amazon/ssm/amazon-ssm-agent.log',
    },
    {
      text: 'See that the activation is still there, and the host known.',
      command:
        'aws ssm describe-activations; aws ssm describe-instance-information --filters Key=ResourceType,Values=ManagedInstance',
    },
    {
      text: 'Then run the initialization again, which registers the agent.',
      command: 'sudo nodeadm init -c file://nodeConfig.yaml',
    },
  ],
  decide: {
    text: 'See whether the file is there and how old it is.',
    command:
      'sudo ls -l /root/.aws/credentials; sudo tail -n 50 /var/log/amazon/ssm/amazon-ssm-agent.log',
  },
  page: {
    why: 'After registration the SSM agent writes /root/.aws/credentials, from which kubelet and nodeadm get their identity. The file is missing where it was deleted, the agent was removed or does not run, or the host was deregistered in SSM.',
    prevent:
      'Leave /root/.aws to the agent on hybrid nodes, and do not deregister hosts that are still nodes.',
    notThis:
      'Credentials that are there and old are ssm-credentials-expired. process provider error: error in credential_process belongs to IAM Roles Anywhere (roles-anywhere-certificate-missing, roles-anywhere-trust).',
    alsoKnownAs: [
      'operation error SSM: DescribeInstanceInformation, get identity: get credentials: failed to refresh cached credentials',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html#hybrid-nodes-troubleshooting-creds',
      'https://github.com/aws/eks-hybrid/blob/HEAD/internal/node/hybrid/aws.go',
    ],
  },
});
