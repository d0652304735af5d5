import type { Policy, PolicyStatement } from '../../../evidence/aws/policy.ts';
import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { isLike } from '../../../domain/instances/policies.ts';
import {
  complaintOf,
  environmentOf,
  isCrashing,
  isOnNode,
  podName,
  serviceAccountOf,
  tokenAudience,
} from '../../../domain/pods/pods.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import type { Role } from '../../../evidence/aws/iam.ts';
import type { Cluster } from '../../../evidence/aws/groups.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { ACCOUNTS, addonIdentity, addonRole, addonsOf } from '../../../domain/planned/addons.ts';

const ACTION = /^(?:\*|sts:\*|sts:AssumeRole\*|sts:AssumeRoleWithWebIdentity)$/i;

/** The role's trust policy names another service account, audience, issuer or provider. */
const cause = defineCause({
  id: 'irsa-trust-policy-mismatch',
  stage: 'credentialed',
  title: 'the role’s trust policy does not let this service account in',
  scope: 'machine',
  signs: {
    refused: definite(
      [
        'pod-app',
        'client-output',
        'csi-driver',
        'event',
        'pod-status',
        'aws-message',
        'journal',
        'object',
      ],
      /(?<!with OIDC: )\b[Nn]ot authorized to perform:? sts:AssumeRoleWithWebIdentity(?: on resource: (?<role>arn:aws[\w-]*:iam::\d+:role\/[\w+=,.@/-]+))?/,
    ),
    audience: definite(
      ['pod-app', 'client-output', 'csi-driver', 'event', 'aws-message', 'journal'],
      /InvalidIdentityToken\W.*Incorrect token audience/,
    ),
    toldWrong: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b[Tt]rust (?:policy|relationship)\b.{0,80}\b(?:wrong|incorrect|mismatch\w{0,3}|different|another|typo|old)\b.{0,60}\b(?:namespace|service ?account|ServiceAccount|sub|issuer|OIDC|audience|condition|cluster)\b|\b(?:[Ww]rong|[Ii]ncorrect|[Tt]ypo in the|[Oo]ld) (?:namespace|service ?account(?: name)?|OIDC (?:id|ID|issuer|provider)|condition|audience)\b.{0,40}\b(?:trust (?:policy|relationship)|[Aa]ssume ?[Rr]ole ?[Pp]olicy(?:Document)?)\b/,
      {
        isTold: true,
        anchors: ['rust policy', 'rust relationship', 'ssume role policy', 'ssumeRolePolicy'],
      },
    ),
  },
  needs: ['aws/cluster', 'aws/role', 'kube/Pod'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ role, why, pod }) =>
    why !== undefined
      ? `The trust policy of ${role ?? 'the role'} does not let the pod ${pod ?? ''} in: ${why}. STS refuses its token, so it gets no AWS credentials.`
      : `The trust policy of ${role ?? 'the role in the service account’s annotation'} does not match the pod’s service account, audience or issuer, so STS refuses the pod and it gets no AWS credentials.`,
  remedy: ({ role, account, cluster }) => [
    step(
      'Read the trust policy: the provider ARN and the condition keys must carry the cluster’s present issuer, :sub must be system:serviceaccount:NAMESPACE:NAME, :aud sts.amazonaws.com.',
      `aws iam get-role --role-name ${role === undefined ? '<role>' : role.replace(/^.*\//, '')} --query Role.AssumeRolePolicyDocument`,
    ),
    step(
      'Let eksctl write a policy that fits, then start the pods again.',
      `eksctl create iamserviceaccount --cluster ${cluster ?? '<cluster>'} --namespace ${account?.split(':')[0] ?? '<namespace>'} --name ${account?.split(':')[1] ?? '<service-account>'} --attach-role-arn ${role ?? '<role-arn>'} --override-existing-serviceaccounts --approve`,
    ),
  ],
  decide: step(
    'Read which issuer, subject and audience the role trusts.',
    'aws iam get-role --role-name <role>',
  ),
  page: {
    why: 'The token and the provider are fine, the role refuses. The namespace, the service account or the chart was renamed, the cluster was created again, the provider ARN is misspelt (oidc.REGION.eks instead of oidc.eks.REGION), a condition key carries the ARN instead of the bare issuer, or StringEquals meets a wildcard.',
    prevent:
      'Build trust policies from the cluster’s issuer attribute and the same variable that names the service account.',
    notThis:
      'InvalidIdentityToken: No OpenIDConnect provider found is irsa-oidc-provider-missing. Refused in the VPC CNI it is cni-role-not-assumable, in Karpenter karpenter-role-not-assumable. AccessDenied that names assumed-role/…/i-… did not use the role at all.',
    alsoKnownAs: ['AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/associate-service-account-role.html',
      'https://github.com/kubernetes/autoscaler/issues/4282',
      'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/1010',
    ],
  },
});

const judged = matched(cause, matchTrust);

type Own = ViewOf<typeof cause>;

/** Whom a pod's token speaks for, as STS reads it. */
interface Claims {
  /** The issuer without its scheme, as condition keys and provider ARNs carry it. */
  readonly issuer: string;
  readonly subject: string;
  readonly audience: string;
}

/** A crashing pod with a token, whose role's trust policy lets in others only. */
function matchTrust(view: Own): Match | null {
  const asking = view.list('kube/Pod').filter(({ value }) => asksSts(value, view.node ?? ''));
  if (asking.length === 0) return null;
  const cluster = view.list('aws/cluster').find(({ value }) => issuerOf(value) !== '');
  let isDecided = cluster !== undefined;
  for (const pod of asking) {
    const arn = environmentOf(pod.value, 'AWS_ROLE_ARN');
    const role = view.list('aws/role').find(({ value }) => (value.Arn ?? null) === arn);
    const policy = role?.value.AssumeRolePolicyDocument;
    if (cluster === undefined || role === undefined || policy === undefined) {
      isDecided = false;
      continue;
    }
    const why = whyRefused(policy, claimsOf(pod.value, issuerOf(cluster.value)));
    if (why !== null) return foundFor(view, pod, role, why, cluster.value.name ?? null);
  }
  if (view.sign('refused') !== null) return null;
  const [first] = asking;
  return isDecided || first === undefined
    ? clear
    : unread(environmentOf(first.value, 'AWS_ROLE_ARN'));
}

function unread(role: string | null): Match {
  const name = (role ?? '').split('/').at(-1) ?? '';
  return cannotSay({
    reason: 'not-collected',
    detail: 'the trust policy of the pod’s role and the cluster’s issuer are not both here',
    collect: `aws iam get-role --role-name ${name === '' ? '<role>' : name}`,
  });
}

function foundFor(
  view: Own,
  pod: Seen<Pod>,
  role: Seen<Role>,
  why: string,
  cluster: string | null,
): Match {
  const arn = role.value.Arn ?? '';
  const account = serviceAccountOf(pod.value);
  const name = podName(pod.value);
  const details = { role: arn, pod: name, why, account: `${pod.value.namespace ?? ''}:${account}` };
  return found(cluster === null ? details : { ...details, cluster }, [
    view.quote(role, `role ${arn} AssumeRolePolicyDocument: ${why}`),
    view.quote(
      pod,
      `Pod ${name} (service account ${account}, AWS_ROLE_ARN ${arn}) keeps ending: ${complaintOf(pod.value)}`,
    ),
  ]);
}

function asksSts(pod: Pod, node: string): boolean {
  const token = environmentOf(pod, 'AWS_WEB_IDENTITY_TOKEN_FILE');
  return isOnNode(pod, node) && token !== null && isCrashing(pod);
}

function issuerOf(cluster: Cluster): string {
  return (cluster.identity?.oidc?.issuer ?? '').replace('https://', '');
}

function claimsOf(pod: Pod, issuer: string): Claims {
  return {
    issuer,
    subject: `system:serviceaccount:${pod.namespace ?? 'default'}:${serviceAccountOf(pod)}`,
    audience: tokenAudience(pod),
  };
}

/** Null when some statement lets these claims in, else what stands against the nearest one. */
function whyRefused({ Statement: statements }: Policy, claims: Claims): string | null {
  const reasons = statements
    .filter(({ Effect: effect }) => effect === 'Allow')
    .filter(({ Action: actions }) => actions.some((action) => ACTION.test(action)))
    .map((statement) => whyNot(statement, claims));
  if (reasons.includes(null)) return null;
  const fallback = 'no statement allows sts:AssumeRoleWithWebIdentity';
  return (
    reasons.find((reason) => reason?.startsWith('it trusts') === false) ?? reasons[0] ?? fallback
  );
}

function whyNot(statement: PolicyStatement, claims: Claims): string | null {
  const { Federated: trusted = [] } = statement.Principal;
  if (!trusted.some((arn) => arn === '*' || arn.endsWith(`:oidc-provider/${claims.issuer}`)))
    return `it trusts ${trusted.join(', ') || 'no federated provider'}, and the cluster’s issuer is ${claims.issuer}`;
  for (const [operator, entries] of Object.entries(statement.Condition)) {
    for (const [key, values] of Object.entries(entries)) {
      const why = whyUnequal(operator, key, values, claims);
      if (why !== null) return why;
    }
  }
  return null;
}

/** One condition against the claim that it asks for; operators and keys not known here pass. */
function whyUnequal(
  operator: string,
  key: string,
  values: readonly string[],
  claims: Claims,
): string | null {
  const [, claim] = /:(sub|aud)$/.exec(key) ?? [];
  if (claim === undefined || !/^(?:ForAnyValue:)?String(?:Equals|Like)$/.test(operator))
    return null;
  if (key !== `${claims.issuer}:${claim}`)
    return `its condition asks for ${key}, and the cluster’s issuer is ${claims.issuer}`;
  const actual = claim === 'sub' ? claims.subject : claims.audience;
  const holds = values.some((value) =>
    operator.endsWith('Like') ? isLike(value, actual) : value === actual,
  );
  if (holds) return null;
  return `it wants ${claim} ${values.join(' or ')} (${operator}), and the token says ${actual}`;
}

/** The issuer that a trust policy means, where the cluster’s own is known after apply. */
function trustedIssuer({ Statement: statements }: Policy): string | null {
  const [arn] = statements.flatMap(({ Principal: principal }) => principal['Federated'] ?? []);
  return arn?.split(':oidc-provider/')[1] ?? null;
}

export default foreseen(
  judged,
  (plan, group) => {
    let isShown = false;
    for (const addon of addonsOf(plan, group)) {
      const account = ACCOUNTS[addon.value.addonName ?? ''];
      const role = addonRole(plan, addon);
      const policy = role?.value.AssumeRolePolicyDocument ?? null;
      if (account === undefined || addonIdentity(plan, addon) !== 'irsa') continue;
      if (role === null || policy === null) return NOT_SHOWN;
      const known = group.cluster === null ? '' : issuerOf(group.cluster.value);
      const issuer = known === '' ? trustedIssuer(policy) : known;
      if (issuer === null) return NOT_SHOWN;
      isShown = true;
      const subject = `system:serviceaccount:kube-system:${account}`;
      const why = whyRefused(policy, { issuer, subject, audience: 'sts.amazonaws.com' });
      if (why === null) continue;
      const details = { role: role.address, account: `kube-system:${account}`, why };
      return found({ ...details, addon: addon.value.addonName ?? '' }, [
        plan.quote(role, `assume_role_policy: ${why}`),
        plan.quote(addon, `service_account_role_arn for ${subject}`),
      ]);
    }
    return isShown ? clear : NOT_SHOWN;
  },
  {
    summary: ({ role, account, why, addon }) =>
      `The trust policy of ${role ?? 'the role'} does not let the service account ${account ?? ''} of the add-on ${addon ?? ''} in (${why ?? ''}), so its pods will get no AWS credentials.`,
    remedy: ({ account, role }) => [
      step(
        `Correct assume_role_policy of ${role ?? 'the role'}: the oidc_provider_arn of this cluster, sub system:serviceaccount:${account ?? ''} and aud sts.amazonaws.com.`,
      ),
    ],
  },
);
