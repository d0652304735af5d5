import type { Policy } from '../../../evidence/aws/policy.ts';
import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';
import {
  isReadyPod,
  podsOfSet,
  podWords,
  stateWords,
  unreadyPods,
} from '../../../domain/pods/pods-seen.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

/** The service account aws-node names a role, and STS does not hand it out. */
const cause = defineCause({
  id: 'cni-role-not-assumable',
  stage: 'networked',
  title: 'the VPC CNI’s service-account role cannot be assumed',
  scope: 'cluster',
  signs: {
    // Drivers and controllers ask EC2 too, so the words or the call must be ipamd’s.
    refusedForEnis: definite(
      ['ipamd', 'aws-node'],
      /^(?!.{0,200}connectivity check failed).*(?:[Ff]ailed to call ec2:\w|\b(?:ipamd|awsutils|aws-k8s-agent)\b|EC2: (?:(?:Create|Attach)NetworkInterface|Assign(?:PrivateIp|Ipv6)Addresses)).{0,400}(?:WebIdentityErr|AssumeRoleWithWebIdentity).{0,400}(?<reason>AccessDenied|InvalidIdentityToken|Not authorized to perform)/,
    ),
    refusedInDaemon: definite(
      ['ipamd', 'aws-node'],
      /(?<reason>Not authorized to perform sts:AssumeRoleWithWebIdentity|No OpenIDConnect provider found in your account)|(?:WebIdentityErr|AssumeRoleWithWebIdentity).{0,400}(?<reason2>AccessDenied|InvalidIdentityToken)/,
      { strict: true },
    ),
    podIdentityRefused: definite(
      ['ipamd', 'aws-node'],
      /(?:169\.254\.170\.23\/v1\/credentials|AssumeRoleForPodIdentity).*(?<reason>AccessDenied\w*|not authorized)/,
      { strict: true },
    ),
    enisRead: withdraws(['ipamd'], /DescribeAllENIs success|[Ss]uccessfully increased IP/),
  },
  needs: ['kube/Pod', 'kube/ServiceAccount', 'aws/cluster', 'aws/oidc-providers', 'aws/role'],
  symptoms: ['cni-daemon-silent', 'cni-uninitialized'],
  withdrawnBy: ['networking-initialized'],
  explains: [
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
    'cni-without-aws-credentials',
    'cni-without-ec2-permissions',
    'instance-type-lookup-denied',
    'instance-type-unknown-to-cni',
  ],
  summary: ({ reason, reason2 }) =>
    `STS does not give aws-node its service-account role (${reason ?? reason2 ?? 'access denied'}), so ipamd has no credentials and new nodes get no pod network.`,
  remedy: ({ cluster, role }) => [
    step(
      'Register the cluster’s OIDC issuer with IAM, if it is not.',
      `eksctl utils associate-iam-oidc-provider --cluster ${cluster ?? '<cluster>'} --approve`,
    ),
    step(
      'Let the role’s trust policy name this issuer and system:serviceaccount:kube-system:aws-node.',
      `aws iam get-role --role-name ${role?.split('/').at(-1) ?? '<cni-role>'} --query Role.AssumeRolePolicyDocument`,
    ),
    step(
      'Restart the CNI; its pods keep the old token otherwise.',
      'kubectl -n kube-system rollout restart daemonset/aws-node',
    ),
  ],
  decide: step(
    'Compare the role on the service account with its trust policy.',
    "kubectl -n kube-system get serviceaccount aws-node -o jsonpath='{.metadata.annotations.eks\\.amazonaws\\.com/role-arn}'",
  ),
  page: {
    why: 'With the annotation eks.amazonaws.com/role-arn the CNI no longer uses the node role. A rebuilt cluster has another issuer, so trust policies written for the old one refuse it, and an issuer that IAM does not know is refused outright.',
    prevent: 'Create issuer, role and trust policy from the same Terraform values as the cluster.',
    notThis:
      'No role and no credentials is cni-without-aws-credentials; a role that is assumed and refused by EC2 is cni-without-ec2-permissions. The same words from application pods alone are irsa-oidc-provider-missing or irsa-trust-policy-mismatch.',
    alsoKnownAs: [
      'Not authorized to perform sts:AssumeRoleWithWebIdentity aws-node',
      'No OpenIDConnect provider found in your account',
    ],
    refs: [
      'https://github.com/aws/karpenter-provider-aws/issues/1313',
      'https://docs.aws.amazon.com/eks/latest/userguide/cni-iam-role.html',
    ],
  },
});

export default matched(cause, matchRole);

type Own = ViewOf<typeof cause>;

/** Pods of aws-node fail where a role is annotated that STS must refuse, and none is Ready. */
function matchRole(view: Own): Match | null {
  const account = view
    .list('kube/ServiceAccount')
    .find(({ value }) => value.name === 'aws-node' && value.namespace === 'kube-system');
  const role = account?.value.annotations['eks.amazonaws.com/role-arn'];
  const cluster = view.read('aws/cluster');
  if (account === undefined || role === undefined || cluster.state !== 'seen') return null;
  const pods = podsOfSet(view.list('kube/Pod'), 'aws-node');
  const [broken] = unreadyPods(pods, view);
  if (
    view.anySign('refusedForEnis', 'refusedInDaemon', 'podIdentityRefused') ||
    broken === undefined
  )
    return null;
  // Credentials that a pod got last an hour, so that one Ready pod proves little; all prove it.
  if (pods.every(isReadyPod)) return null;
  const reason = refusalOf(view, role, cluster.value.identity?.oidc?.issuer ?? '');
  if (reason === null) return null;
  const details = { reason, role, cluster: cluster.value.name ?? '<cluster>' };
  return found(details, [
    view.quote(account, `ServiceAccount kube-system/aws-node role ${role}`),
    view.quote(cluster, `cluster ${details.cluster} issuer; ${reason}`),
    quoteOf(view, broken),
  ]);
}

function quoteOf(view: Own, pod: Seen<Pod>) {
  return view.quote(pod, `${podWords(pod)} ${stateWords(pod)}`);
}

/** Why STS refuses, null where what was collected shows no reason. */
function refusalOf(view: Own, roleArn: string, issuerUrl: string): string | null {
  const issuer = issuerUrl.replace(/^https:\/\//, '');
  const providers = view.read('aws/oidc-providers');
  if (issuer === '') return null;
  if (providers.state === 'seen' && !providers.value.some(({ Arn: arn }) => arn?.endsWith(issuer)))
    return `IAM has no OIDC provider for ${issuer}`;
  const role = view.list('aws/role').find(({ value }) => value.Arn === roleArn);
  const policy = role?.value.AssumeRolePolicyDocument;
  return policy !== undefined && !isTrusted(policy, issuer)
    ? `the trust policy of ${roleArn} does not name ${issuer}`
    : null;
}

/** True where a statement names the issuer, as a provider or in a condition. */
function isTrusted({ Statement: statements }: Policy, issuer: string): boolean {
  return statements.some(({ Principal: principal, Condition: conditions }) =>
    [
      ...Object.values(principal).flat(),
      ...Object.values(conditions).flatMap((entries) => Object.keys(entries)),
    ].some((name) => name.includes(issuer)),
  );
}
