import type { PodIdentityAssociation, Role } from '../../../evidence/aws/iam.ts';
import type { Policy, PolicyStatement } from '../../../evidence/aws/policy.ts';
import {
  cannotSay,
  clear,
  defineCause,
  type Details,
  found,
  type Match,
  matched,
  type Step,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { allowing } from '../../../domain/instances/policies.ts';
import {
  complaintOf,
  environmentOf,
  isCrashing,
  isOnNode,
  podName,
  serviceAccountOf,
} from '../../../domain/pods/pods.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';

/** EKS Auth answered the agent and refused: no association, no permission or no trust. */
const cause = defineCause({
  id: 'pod-identity-not-authorized',
  stage: 'credentialed',
  title: 'EKS Auth refuses Pod Identity credentials',
  scope: 'machine',
  signs: {
    refusedToAgent: definite(
      ['pod-identity-agent'],
      /(?:Error fetching credentials|AssumeRoleForPodIdentity)\b.*(?<reason>AccessDeniedException|ResourceNotFoundException|InvalidTokenException|ExpiredTokenException)/,
    ),
    nodeRoleRefused: definite(
      ['pod-app', 'client-output', 'csi-driver', 'event', 'journal', 'pod-identity-agent'],
      /(?:assumed-role\/(?<role>[\w+=,.@-]+)\/\S+ )?is not authorized to perform: eks-auth:AssumeRoleForPodIdentity/,
    ),
    trustMissing: definite(
      ['pod-app', 'client-output', 'csi-driver', 'event', 'journal', 'pod-identity-agent'],
      /EKS does not have permissions to assume the associated role/,
    ),
    associationMissing: definite(
      ['pod-app', 'client-output', 'csi-driver', 'event', 'journal', 'pod-identity-agent'],
      /ResourceNotFoundException.*[Nn]o [Pp]od [Ii]dentity [Aa]ssociation/,
      { anchors: ['No Pod Identity Association', 'no pod identity association'] },
    ),
    tokenRefused: context(
      ['pod-identity-agent'],
      /Service account token failed basic claim validations|Called agent through invalid address|Failed to complete active request in \d+ tries/,
    ),
  },
  needs: ['kube/Pod', 'aws/pod-identity-association', 'aws/role'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['pod-identity-agent-down'],
  summary: ({ role, reason, pod, account, elsewhere, why }) =>
    why !== undefined
      ? `The Pod Identity association of the service account ${account ?? ''} gives the pod ${pod ?? ''} the role ${role ?? ''}, and ${why}; EKS Auth gives it no credentials.`
      : pod !== undefined
        ? sentence`No Pod Identity association is for the service account ${account} of the pod ${pod}${phrase` (one is for ${elsewhere})`}, so EKS Auth gives it no credentials.`
        : role === undefined
          ? sentence`EKS Auth refuses Pod Identity credentials${phrase` with ${reason}`}, so the pods of that service account have no AWS credentials.`
          : `The node role ${role} may not call eks-auth:AssumeRoleForPodIdentity, so no pod on its nodes gets Pod Identity credentials.`,
  remedy: (details) => (details['why'] === undefined ? remedyOf(details) : [trustStep(details)]),
  decide: step(
    'Read what EKS Auth answered.',
    'kubectl -n kube-system logs -l app.kubernetes.io/name=eks-pod-identity-agent --prefix --tail=200',
  ),
  page: {
    why: 'The agent asks EKS Auth with the node’s credentials for the role that is associated with the pod’s service account. The node role needs eks-auth:AssumeRoleForPodIdentity, the association must exist, and the pod’s role must trust pods.eks.amazonaws.com for sts:AssumeRole and sts:TagSession.',
    prevent: 'Create role, trust and association together, and the workload after them.',
    notThis:
      'Throttling and requests that the client cancels pass and are no refusal. A connection that is refused at 169.254.170.23 is pod-identity-agent-down. Refused in the VPC CNI itself it is cni-role-not-assumable.',
    alsoKnownAs: [
      'AccessDeniedException: Unauthorized Exception! EKS does not have permissions to assume the associated role.',
    ],
    refs: [
      'https://github.com/aws/eks-pod-identity-agent/blob/HEAD/pkg/errors/errors.go',
      'https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html',
      'https://github.com/aws/eks-pod-identity-agent/issues/139',
    ],
  },
});

export default matched(cause, matchAssociation);

type Own = ViewOf<typeof cause>;

function remedyOf({ role, account, cluster }: Details): readonly Step[] {
  return [
    step(
      'Let the node role ask EKS Auth: AmazonEKSWorkerNodePolicy has the permission.',
      `aws iam attach-role-policy --role-name ${role ?? '<node-role>'} --policy-arn arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy`,
    ),
    step(
      'Let pods.eks.amazonaws.com assume the pod’s role with sts:AssumeRole and sts:TagSession.',
      'aws iam get-role --role-name <pod-role> --query Role.AssumeRolePolicyDocument',
    ),
    step(
      'Associate the service account with its role, then start the pods again.',
      `aws eks create-pod-identity-association --cluster-name ${cluster ?? '<cluster>'} --namespace ${account?.split('/')[0] ?? '<namespace>'} --service-account ${account?.split('/')[1] ?? '<service-account>'} --role-arn <role-arn>`,
    ),
  ];
}

/** Whom a role is to trust stands in one statement, beside those that it has for others. */
function trustStep({ distrusting, trusted }: Details): Step {
  const service = '{"Service":"pods.eks.amazonaws.com"}';
  const principal = trusted === undefined ? service : `{"AWS":"${trusted}"}`;
  return step(
    'Let the role trust it (this replaces the trust policy: keep the statements that others need), then start the pods again.',
    `aws iam update-assume-role-policy --role-name ${distrusting?.split('/').at(-1) ?? '<role>'} --policy-document '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":${principal},"Action":["sts:AssumeRole","sts:TagSession"]}]}'`,
  );
}

/** A crashing pod has the variables of Pod Identity, and the whole list has none for its account. */
function matchAssociation(view: Own): Match | null {
  const node = view.node ?? '';
  const asking = view.list('kube/Pod').find(({ value }) => isAsking(value, node));
  if (asking === undefined) return null;
  const all = view.list('aws/pod-identity-association');
  const isKnown = all.length > 0 || view.read('aws/pod-identity-association').state === 'absent';
  const hasSigns = view.anySign(
    'refusedToAgent',
    'nodeRoleRefused',
    'trustMissing',
    'associationMissing',
  );
  if (!isKnown && !hasSigns)
    return cannotSay({
      reason: 'not-collected',
      detail: 'the Pod Identity associations are not in this evidence',
      collect: 'aws eks list-pod-identity-associations --cluster-name <cluster>',
    });
  if (!isKnown) return null;
  const own = all.filter(({ value }) => isFor(value, asking.value));
  if (own.length > 0) return matchTrust(view, asking, own) ?? (hasSigns ? null : clear);
  const account = serviceAccountOf(asking.value);
  const other = all.find(({ value }) => value.serviceAccount === account);
  return foundWithout(view, asking, other);
}

function isAsking(pod: Pod, node: string): boolean {
  const url = environmentOf(pod, 'AWS_CONTAINER_CREDENTIALS_FULL_URI') ?? '';
  return isOnNode(pod, node) && /169\.254\.170\.23|fd00:ec2::23/.test(url) && isCrashing(pod);
}

function isFor(association: PodIdentityAssociation, pod: Pod): boolean {
  const isAccount = association.serviceAccount === serviceAccountOf(pod);
  return isAccount && (association.namespace ?? null) === pod.namespace;
}

/** The association's role does not trust EKS, or the role that it leads on to does not trust it. */
function matchTrust(
  view: Own,
  pod: Seen<Pod>,
  associations: readonly Seen<PodIdentityAssociation>[],
): Match | null {
  // The list names no roles; the description of one association does.
  const own = associations.find(({ value }) => (value.roleArn ?? null) !== null);
  const arn = own?.value.roleArn ?? null;
  if (own === undefined || arn === null) return null;
  const target = own.value.targetRoleArn ?? '';
  const isTagged = own.value.disableSessionTags !== true;
  const refused =
    distrustOf(view, arn, (policy) => whyNoPod(policy, isTagged)) ??
    distrustOf(view, target, (policy) => whyNoRole(policy, arn, isTagged));
  if (refused === null) return null;
  const name = podName(pod.value);
  const account = `${pod.value.namespace ?? ''}/${serviceAccountOf(pod.value)}`;
  const trusted = refused.role === arn ? {} : { trusted: arn };
  const details = { pod: name, account, role: arn, why: refused.why, distrusting: refused.role };
  return found({ ...details, ...trusted }, [
    view.quote(own, `Pod Identity association for ${account}: roleArn ${arn} ${target}`.trim()),
    view.quote(refused.fact, `role ${refused.role} AssumeRolePolicyDocument: ${refused.why}`),
    view.quote(pod, `Pod ${name} keeps ending: ${complaintOf(pod.value)}`),
  ]);
}

interface Distrust {
  readonly role: string;
  readonly fact: Seen<Role>;
  readonly why: string;
}

function distrustOf(
  view: Own,
  arn: string,
  whyNot: (policy: Policy) => string | null,
): Distrust | null {
  const fact = view.list('aws/role').find(({ value }) => value.Arn === arn);
  const policy = fact?.value.AssumeRolePolicyDocument;
  const why = policy === undefined ? null : whyNot(policy);
  return fact === undefined || why === null ? null : { role: arn, fact, why };
}

const SERVICE = 'pods.eks.amazonaws.com';

/** What of the two actions that EKS Auth takes the statements for somebody allow. */
function whyNotBoth(
  policy: Policy,
  trusts: (statement: PolicyStatement) => boolean,
  words: { readonly nobody: string; readonly tags: string },
  isTagged: boolean,
): string | null {
  const may = (action: string): boolean => allowing(policy, action).some(trusts);
  if (!may('sts:AssumeRole')) return words.nobody;
  return isTagged && !may('sts:TagSession') ? words.tags : null;
}

function whyNoPod(policy: Policy, isTagged: boolean): string | null {
  const trusts = (statement: PolicyStatement): boolean =>
    principalsOf(statement, 'Service').some((one) => one === SERVICE || one === '*');
  const words = {
    nobody: `its trust policy does not let ${SERVICE} assume it`,
    tags: `its trust policy allows ${SERVICE} sts:AssumeRole without sts:TagSession`,
  };
  return whyNotBoth(policy, trusts, words, isTagged);
}

/** A role is trusted by its ARN, or with all of its account. */
function whyNoRole(policy: Policy, arn: string, isTagged: boolean): string | null {
  const account = arn.split(':')[4] ?? '';
  const trusts = (statement: PolicyStatement): boolean =>
    principalsOf(statement, 'AWS').some(
      (one) => ['*', arn, account].includes(one) || one.endsWith(`::${account}:root`),
    );
  const words = {
    nobody: `the target role’s trust policy does not let ${arn} assume it`,
    tags: `the target role’s trust policy allows ${arn} sts:AssumeRole without sts:TagSession`,
  };
  return whyNotBoth(policy, trusts, words, isTagged);
}

function principalsOf({ Principal: principal }: PolicyStatement, kind: string): readonly string[] {
  return [...(principal['*'] ?? []), ...(principal[kind] ?? [])];
}

function foundWithout(
  view: Own,
  pod: Seen<Pod>,
  other: Seen<PodIdentityAssociation> | undefined,
): Match {
  const name = podName(pod.value);
  const account = `${pod.value.namespace ?? ''}/${serviceAccountOf(pod.value)}`;
  const elsewhere =
    other === undefined
      ? {}
      : {
          elsewhere: `${other.value.namespace ?? ''}/${other.value.serviceAccount ?? ''}`,
        };
  const words = `Pod ${name} (service account ${account}) has the variables of Pod Identity and keeps ending`;
  return found({ pod: name, account, ...elsewhere }, [
    view.quote(pod, `${words}: ${complaintOf(pod.value)}`),
    ...(other === undefined
      ? []
      : [view.quote(other, `Pod Identity association for ${elsewhere.elsewhere ?? ''}`)]),
  ]);
}
