import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';
import {
  environmentOf,
  isCrashing,
  isOnNode,
  podName,
  serviceAccountOf,
} from '../../../domain/pods/pods.ts';

/** What STS takes as the ARN of a role. */
const ROLE = /^arn:aws[\w-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/;

/** The annotation on the service account is not the ARN of a role. */
const cause = defineCause({
  id: 'irsa-role-arn-malformed',
  stage: 'credentialed',
  title: 'the role ARN in the service account’s annotation is malformed',
  scope: 'machine',
  signs: {
    invalid: definite(
      [
        'pod-app',
        'client-output',
        'csi-driver',
        'karpenter',
        'ipamd',
        'aws-node',
        'event',
        'pod-status',
        'journal',
        'object',
      ],
      /Request ARN is invalid|(?:[Vv]alue '(?<role>[^']{0,200})' )?at 'roleArn' failed to satisfy constraint/,
    ),
    notAnArn: likely(
      ['pod-app', 'client-output', 'csi-driver', 'pod-identity-webhook', 'event', 'journal'],
      /(?<role>\S{1,200}) is not a valid role ARN|invalid role ARN|[Ii]nvalid length for parameter RoleArn|AssumeRoleWithWebIdentity.*arn: (?:invalid prefix|not enough sections)/,
    ),
    annotationNoRole: likely(
      ['object', 'client-output', 'unknown', 'terraform'],
      /\beks\.amazonaws\.com\/role-arn["']?[:=] ?["']?(?<role>arn:aws[\w-]*:iam::(?:aws|\d{12})?:(?!role\/)[\w-]{1,30}\/[^\s"',]{1,200})/,
      { anchors: ['eks.amazonaws.com/role-arn'] },
    ),
  },
  needs: ['kube/Pod'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ role, pod, account }) =>
    `${account === undefined ? 'The role in the service account’s annotation' : `The role of the service account ${account}`}${role === undefined || role === '' ? '' : ` (${role})`} is not the ARN of an IAM role, so STS refuses the call and ${pod === undefined ? 'its pods get' : `the pod ${pod} gets`} no AWS credentials.`,
  remedy: ({ account }) => {
    const [namespace, name] = (account ?? '<namespace>/<service-account>').split('/');
    return [
      step(
        'Write the whole ARN of the role, without quotes, blanks or placeholders: arn:aws:iam::ACCOUNT:role/NAME.',
        `kubectl -n ${namespace ?? '<namespace>'} annotate serviceaccount ${name ?? '<service-account>'} eks.amazonaws.com/role-arn=<role-arn> --overwrite`,
      ),
      step(
        'Start the pods again: the annotation is read when a pod is created.',
        `kubectl -n ${namespace ?? '<namespace>'} rollout restart deployment <deployment>`,
      ),
    ];
  },
  decide: step(
    'Read the annotations of the service accounts.',
    'kubectl get serviceaccounts -A -o custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,ROLE:.metadata.annotations.eks\\\\.amazonaws\\\\.com/role-arn',
  ),
  page: {
    why: 'The pod identity webhook copies the annotation eks.amazonaws.com/role-arn into AWS_ROLE_ARN as it is. A role’s name in place of its ARN, an account number that lost its leading zero in YAML, a template that was not filled in, or a policy’s ARN reach STS, which refuses the form before it looks at anything else.',
    prevent:
      'Take the ARN from the role’s own output in Terraform or eksctl, and quote it in YAML.',
    notThis:
      'A well-formed ARN whose role refuses is irsa-trust-policy-mismatch; an issuer that IAM does not know is irsa-oidc-provider-missing. A pod without AWS_ROLE_ARN at all is irsa-webhook-did-not-mutate.',
    alsoKnownAs: [
      'ValidationError: Request ARN is invalid',
      "Value at 'roleArn' failed to satisfy constraint",
    ],
    refs: [
      'https://github.com/crossplane-contrib/provider-aws/issues/517',
      'https://docs.aws.amazon.com/eks/latest/userguide/associate-service-account-role.html',
      'https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html',
    ],
  },
});

export default matched(cause, matchPods);

type Own = ViewOf<typeof cause>;

/** A crashing pod with a token, and with something in AWS_ROLE_ARN that is not the ARN of a role. */
function matchPods(view: Own): Match | null {
  if (view.sign('invalid') !== null) return null;
  const asking = view
    .list('kube/Pod')
    .filter(
      ({ value }) =>
        isOnNode(value, view.node ?? '') &&
        isCrashing(value) &&
        environmentOf(value, 'AWS_WEB_IDENTITY_TOKEN_FILE') !== null,
    );
  if (asking.length === 0) return null;
  for (const pod of asking) {
    const role = environmentOf(pod.value, 'AWS_ROLE_ARN');
    if (role === null || ROLE.test(role)) continue;
    const name = podName(pod.value);
    const account = `${pod.value.namespace ?? 'default'}/${serviceAccountOf(pod.value)}`;
    return found({ role, pod: name, account }, [
      view.quote(pod, `Pod ${name} (service account ${account}) has AWS_ROLE_ARN ${role}`),
    ]);
  }
  return clear;
}
