import { defineCause } from '../../../diagnosis/cause.ts';

/** The webhook that gives pods their token let a pod through as it was. */
export default defineCause({
  id: 'irsa-webhook-did-not-mutate',
  stage: 'credentialed',
  title: 'the pod identity webhook left the pod without a token',
  scope: 'cluster',
  signs: {
    notInCache: {
      in: ['pod-identity-webhook'],
      anchors: ['not found in the cache'],
      pattern:
        /Service account (?<account>[\w.-]+\/[\w.-]+) not found in the cache(?: after [^.]{1,80})?\. Not mutating/,
      weight: 'likely',
    },
    roleUnusable: {
      in: ['pod-identity-webhook'],
      anchors: ['arn is invalid: ', 'Regex error: '],
      pattern: /\b(?:arn is invalid: (?<role>arn:\S+)|Regex error: )/,
      weight: 'likely',
      strict: true,
    },
    leftAlone: {
      in: ['pod-identity-webhook'],
      anchors: ['Pod was not mutated. Reason'],
      pattern: /Pod was not mutated\. Reason:/,
      weight: 'context',
    },
    mutatedAfter: {
      in: ['pod-identity-webhook'],
      anchors: ['Pod was mutated.'],
      pattern: /Pod was mutated\..*ServiceAccount=(?<name>[\w.-]+),? .*Namespace=(?<space>[\w.-]+)/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ account, role }) =>
    role === undefined
      ? `The pod identity webhook did not know the service account ${account ?? 'of a pod'} yet and let the pod through without a token, so it falls back on the node’s role or has no credentials.`
      : `The pod identity webhook refuses the role ${role} as no valid ARN, so pods of its service account get no token.`,
  remedy: ({ account }) => [
    {
      text: 'Create the pods again now that the webhook knows the service account.',
      command: `kubectl -n ${account?.split('/')[0] ?? '<namespace>'} rollout restart deployment <deployment>`,
    },
    {
      text: 'See whether the annotation names a role.',
      command: `kubectl -n ${account?.split('/')[0] ?? '<namespace>'} get serviceaccount ${account?.split('/')[1] ?? '<service-account>'} -o yaml`,
    },
  ],
  decide: {
    text: 'See whether the pod has the variables that the webhook adds.',
    command: 'kubectl get pod <pod> -o yaml | grep -A1 AWS_WEB_IDENTITY_TOKEN_FILE',
  },
  page: {
    why: 'The webhook adds the token volume and two variables when a pod is created, from a cache of annotated service accounts. Its failure policy is Ignore: a webhook that is down, or whose cache does not have a service account created a moment ago, lets the pod start as it is.',
    prevent:
      'Create the service account before the workload; run two webhooks on nodes that do not depend on them, and let it fail closed where every pod needs a role.',
    notThis:
      '“Pod was not mutated” by itself is said of every pod without an annotation. A pod that has the variables and is refused is irsa-trust-policy-mismatch or irsa-oidc-provider-missing.',
    alsoKnownAs: [
      'AWS_WEB_IDENTITY_TOKEN_FILE missing',
      'Service account not found in the cache. Not mutating',
    ],
    refs: [
      'https://github.com/aws/amazon-eks-pod-identity-webhook/blob/HEAD/pkg/handler/handler.go',
      'https://github.com/aws/amazon-eks-pod-identity-webhook/blob/HEAD/pkg/cache/cache.go',
    ],
  },
});
