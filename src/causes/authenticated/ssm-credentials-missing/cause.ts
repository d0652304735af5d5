import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';

/** The SSM agent of a hybrid node has left no credentials where the node looks for them. */
export default defineCause({
  id: 'ssm-credentials-missing',
  stage: 'authenticated',
  title: 'a hybrid node has no SSM credentials file',
  scope: 'machine',
  signs: {
    notRefreshed: definite(
      ['nodeadm', 'journal', 'client-output', 'cloud-init'],
      /operation error SSM: \w+, (?:get identity: )?get credentials: failed to refresh cached credentials(?!, process provider error)/,
    ),
    fileMissing: definite(
      ['nodeadm', 'kubelet', 'journal', 'client-output'],
      /(?:open|stat) "?(?<file>\/(?:root|eks-hybrid)\/\.aws\/credentials)"?: (?<why>no such file or directory|permission denied)/,
      { anchors: ['/.aws/credentials'] },
    ),
    notWritten: likely(
      ['nodeadm', 'journal'],
      /reading aws config for SSM: .*(?:deadline exceeded|no such file|timed out|not found)/,
    ),
  },
  needs: [],
  symptoms: ['no-answer-from-metadata'],
  withdrawnBy: ['api-answered', 'node-registered', 'node-ready'],
  explains: ['no-aws-credentials', 'describe-cluster-failed'],
  summary: ({ machine, file, why }) =>
    `${machine ?? 'The hybrid node'} finds no SSM credentials${file === undefined ? '' : ` at ${file}`}${why === undefined ? '' : ` (${why})`}, so it cannot ask AWS for anything and gets no token for the cluster.`,
  remedy: () => [
    step(
      'See whether the agent is registered and running, and what it says.',
      'sudo cat /var/lib/amazon/ssm/registration; sudo systemctl status amazon-ssm-agent snap.amazon-ssm-agent.amazon-ssm-agent --no-pager; sudo tail -n 50 /var/log/amazon/ssm/amazon-ssm-agent.log',
    ),
    step(
      'See that the activation is still there, and the host known.',
      'aws ssm describe-activations; aws ssm describe-instance-information --filters Key=ResourceType,Values=ManagedInstance',
    ),
    step(
      'Then run the initialization again, which registers the agent.',
      'sudo nodeadm init -c file://nodeConfig.yaml',
    ),
  ],
  decide: step(
    'See whether the file is there and how old it is.',
    'sudo ls -l ~root/.aws/credentials; sudo tail -n 50 /var/log/amazon/ssm/amazon-ssm-agent.log',
  ),
  page: {
    why: 'After registration the SSM agent writes `~root/.aws/credentials`, from which kubelet and nodeadm get their identity. The file is missing where it was deleted, the agent was removed or does not run, or the host was deregistered in SSM.',
    prevent:
      'Leave `~root/.aws` to the agent on hybrid nodes, and do not deregister hosts that are still nodes.',
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
