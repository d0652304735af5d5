import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';

/** SSM does not take the activation that the host registers with. */
export default defineCause({
  id: 'ssm-hybrid-activation-invalid',
  stage: 'bootstrapped',
  title: 'the SSM hybrid activation is expired, used up, or of another region',
  scope: 'machine',
  signs: {
    nodeadm: definite(
      ['nodeadm', 'cloud-init', 'console', 'journal', 'client-output'],
      /\b(?<reason>SSM activation expired|invalid SSM activation)\. Please use a valid activation/i,
      { anchors: ['SSM activation'] },
    ),
    agent: definite(
      ['nodeadm', 'cloud-init', 'console', 'journal', 'client-output'],
      /error registering the instance with A[\w ]{1,30}SSM\W{1,3}(?<reason>ActivationExpired|InvalidActivation\w{0,10}|RegistrationLimitExceeded|ActivationLimit\w{0,20})/i,
      { anchors: ['registering the instance with A'] },
    ),
    code: definite(
      ['nodeadm', 'cloud-init', 'console', 'journal', 'client-output'],
      /(?:RegisterManagedInstance|ssm-setup-cli|on-prem registration|register machine command).{0,300}\b(?<reason>ActivationExpired|InvalidActivation(?:Id)?)\b/,
    ),
    registered: withdraws(
      ['nodeadm', 'cloud-init', 'console', 'journal', 'client-output'],
      /Successfully registered the instance with AWS SSM|Machine registered with SSM/,
    ),
  },
  needs: [],
  symptoms: [],
  explains: ['ssm-agent-missing', 'no-aws-credentials', 'describe-cluster-failed'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, reason }) =>
    `SSM does not accept the hybrid activation of ${machine ?? 'the host'} (${reasonWords(reason)}), so the host gets no AWS credentials and does not join.`,
  remedy: () => [
    step(
      'See the activations of the cluster’s region: expired, used up, or not there.',
      "aws ssm describe-activations --region <region> --query 'ActivationList[].[ActivationId,Expired,ExpirationDate,RegistrationsCount,RegistrationLimit,IamRole]' --output table",
    ),
    step(
      'Create a new one in the region of the cluster; it is valid for 24 hours unless you say otherwise (at most 30 days).',
      'aws ssm create-activation --region <region> --iam-role <hybrid-nodes-role> --registration-limit 10 --expiration-date "$(date -u -d \'+29 days\' +%FT%TZ)"',
    ),
    step(
      'Put its id and code into nodeConfig.yaml (spec.hybrid.ssm) and join again.',
      'sudo nodeadm init --config-source file://nodeConfig.yaml',
    ),
  ],
  decide: step(
    'Compare the activation in nodeConfig.yaml with those of the region.',
    "aws ssm describe-activations --region <region> --query 'ActivationList[].[ActivationId,Expired,RegistrationsCount,RegistrationLimit]'",
  ),
  page: {
    why: 'A hybrid host registers with an activation: an id and a code of one region, for a number of hosts and a time (24 hours by default). Expired, used up, mistyped or of another region than spec.cluster.region, it is refused.',
    prevent:
      'Create the activation in the pipeline that sets the hosts up, with enough registrations.',
    notThis:
      'A token of kubeadm is expired-bootstrap-token. Credentials that worked and then expired (ExpiredTokenException) are of a registered host whose agent cannot renew them. A time-out to ssm.<region>.amazonaws.com is the network.',
    alsoKnownAs: [
      'SSM activation expired. Please use a valid activation',
      'error registering the instance with AWS SSM. InvalidActivation',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html',
      'https://github.com/aws/eks-hybrid/blob/HEAD/internal/ssm/daemon.go',
      'https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_CreateActivation.html',
    ],
  },
});

function reasonWords(reason = ''): string {
  if (/expired/i.test(reason)) return 'it has expired';
  if (/limit/i.test(reason)) return 'all its registrations are used up';
  return 'id, code or region are wrong';
}
