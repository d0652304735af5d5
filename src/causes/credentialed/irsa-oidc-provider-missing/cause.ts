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
import {
  complaintOf,
  environmentOf,
  isCrashing,
  isOnNode,
  podName,
  serviceAccountOf,
  tokenAudience,
} from '../../../domain/pods/pods.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import type { Cluster } from '../../../evidence/aws/groups.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { addonIdentity, addonsOf } from '../../../domain/planned/addons.ts';

/** STS knows no IAM OIDC provider for the issuer that signed the pod's token. */
const cause = defineCause({
  id: 'irsa-oidc-provider-missing',
  stage: 'credentialed',
  title: 'the account has no usable IAM OIDC provider for the cluster’s issuer',
  scope: 'machine',
  signs: {
    providerMissing: definite(
      [
        'pod-app',
        'client-output',
        'csi-driver',
        'event',
        'pod-status',
        'aws-message',
        'journal',
        'karpenter',
        'object',
      ],
      /[Nn]o OpenIDConnect provider found in (?:your )?account(?: for (?<issuer>https:\/\/[\w./-]+\w))?/,
    ),
    providerRefused: likely(
      ['pod-app', 'client-output', 'csi-driver', 'event', 'aws-message', 'journal'],
      /OpenIDConnect provider's HTTPS certificate doesn't match configured thumbprint|Couldn't retrieve verification key from your identity provider|InvalidIdentityToken: The web identity token provided could not be validated/,
      {
        anchors: [
          'OpenIDConnect provider',
          'verification key from your identity provider',
          'web identity token provided could not be validated',
        ],
      },
    ),
    toldMissing: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:[Ff]orgot(?: to (?:create|associate|add|register))?|missing|[Nn]o|[Ww]ithout|lack(?:s|ed|ing)?|(?:did|do|does)(?: not|n't) (?:have|create)|had not created)(?: an?| the| any)? (?:IAM )?(?:OIDC|OpenID Connect) (?:identity )?provider\b|\bOIDC (?:identity )?provider\b.{0,40}\b(?:(?:was|is|were|are)(?: not|n't) (?:created|there|associated)|(?:(?:was|is|were|are) )?(?:for|of|pointing (?:to|at)) (?:the |an |our )?(?:old|previous|former|deleted|another|other|wrong) (?:EKS )?cluster|(?:was|is|were|are) (?:missing|deleted|removed|gone))\b/,
      {
        isTold: true,
        anchors: ['OIDC provider', 'OIDC identity provider', 'OpenID Connect'],
      },
    ),
  },
  needs: ['aws/cluster', 'aws/oidc-providers', 'aws/oidc-provider', 'aws/caller', 'kube/Pod'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['irsa-trust-policy-mismatch'],
  summary: ({ issuer, pod, role, audience, clients }) =>
    audience !== undefined
      ? `The IAM OIDC provider of ${issuer ?? 'the cluster’s issuer'} takes tokens for ${clients ?? 'others'} and not for ${audience}, so STS refuses the token of the pod ${pod ?? ''} and it does not get ${role ?? 'its role'}.`
      : `IAM has no usable OIDC provider for ${issuer ?? 'the cluster’s issuer'}, so STS refuses the token of every service account and ${pod === undefined ? 'pods get no AWS credentials' : `the pod ${pod} does not get ${role ?? 'its role'}`}.`,
  remedy: ({ cluster, audience, provider }) => [
    ...(audience === undefined
      ? []
      : [
          step(
            'Let the provider take tokens for this audience; STS follows at once.',
            `aws iam add-client-id-to-open-id-connect-provider --open-id-connect-provider-arn ${provider ?? '<provider>'} --client-id ${audience}`,
          ),
        ]),
    step(
      'Register the cluster’s issuer with IAM.',
      `eksctl utils associate-iam-oidc-provider --cluster ${cluster ?? '<cluster>'} --approve`,
    ),
    step(
      'After a cluster was created again its issuer has a new id: put that id into the trust policy of every role, then start the pods again.',
      `aws eks describe-cluster --name ${cluster ?? '<cluster>'} --query cluster.identity.oidc.issuer --output text`,
    ),
  ],
  decide: step(
    'Compare the cluster’s issuer with the providers of the account.',
    'aws iam list-open-id-connect-providers',
  ),
  page: {
    why: 'With IAM roles for service accounts the pod shows STS a token which the cluster signed. STS accepts it only when the account has an OIDC provider of exactly that issuer. eksctl and most Terraform modules create it, a plain cluster does not have it, and a cluster created again has another issuer.',
    prevent:
      'Create the provider in the same configuration as the cluster, from the cluster’s own issuer attribute.',
    notThis:
      'AccessDenied, “Not authorized to perform sts:AssumeRoleWithWebIdentity”, means that the provider is known and the role refuses: irsa-trust-policy-mismatch. A pod without AWS_WEB_IDENTITY_TOKEN_FILE never asked: irsa-webhook-did-not-mutate.',
    alsoKnownAs: [
      'InvalidIdentityToken: No OpenIDConnect provider found in your account',
      'WebIdentityErr: failed to retrieve credentials',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/enable-iam-roles-for-service-accounts.html',
      'https://github.com/external-secrets/external-secrets/issues/6648',
    ],
  },
});

const judged = matched(cause, matchProviders);

type Own = ViewOf<typeof cause>;

/** A pod that shows STS its token and crashes, while no provider of the account is of the issuer. */
function matchProviders(view: Own): Match | null {
  const asking = view.list('kube/Pod').find(({ value }) => asksSts(value, view.node ?? ''));
  if (asking === undefined) return null;
  const clusters = view.list('aws/cluster');
  const cluster = clusters.find(({ value }) => issuerOf(value) !== null);
  const providers = view.read('aws/oidc-providers');
  if (cluster === undefined || providers.state !== 'seen') return unknownUnlessSaid(view);
  const role = environmentOf(asking.value, 'AWS_ROLE_ARN') ?? '';
  // A role of another account is trusted through that account's own providers.
  if (accountOf(role) !== askedAccount(view, cluster.value)) return null;
  const issuer = issuerOf(cluster.value) ?? '';
  const arns = providers.value.flatMap((entry) => entry.Arn ?? []);
  const provider = arns.find((arn) =>
    arn.endsWith(`:oidc-provider/${issuer.replace('https://', '')}`),
  );
  if (provider !== undefined) return matchAudience(view, { pod: asking, role, issuer, provider });
  const details = { issuer, role, pod: podName(asking.value) };
  const name = cluster.value.name ?? null;
  return found(name === null ? details : { ...details, cluster: name }, [
    view.quote(cluster, `cluster ${name ?? ''} identity.oidc.issuer ${issuer}`),
    view.quote(providers, `IAM OIDC providers of the account: ${arns.join(', ') || 'none'}`),
    podQuote(view, asking, role),
  ]);
}

interface Asking {
  readonly pod: Seen<Pod>;
  readonly role: string;
  readonly issuer: string;
  /** ARN of the account's provider of this issuer. */
  readonly provider: string;
}

/** A provider that is there, and takes tokens for other audiences than the pod's. */
function matchAudience(view: Own, { pod, role, issuer, provider }: Asking): Match | null {
  const own = view
    .list('aws/oidc-provider')
    .find(({ value }) => issuer.endsWith(`//${value.Url ?? '-'}`));
  const clients = own?.value.ClientIDList ?? [];
  const audience = tokenAudience(pod.value);
  if (own === undefined || clients.includes(audience))
    return view.sign('providerMissing') === null ? clear : null;
  const taken = clients.join(', ') || 'nobody';
  const details = { issuer, role, pod: podName(pod.value), audience, clients: taken, provider };
  return found(details, [
    view.quote(own, `OIDC provider ${provider} ClientIDList ${taken}`),
    podQuote(view, pod, role),
  ]);
}

function asksSts(pod: Pod, node: string): boolean {
  const token = environmentOf(pod, 'AWS_WEB_IDENTITY_TOKEN_FILE');
  return isOnNode(pod, node) && token !== null && isCrashing(pod);
}

function issuerOf(cluster: Cluster): string | null {
  return cluster.identity?.oidc?.issuer ?? null;
}

function accountOf(arn: string): string {
  return arn.split(':')[4] ?? '';
}

/** The account whose providers were listed: the caller's, by default the cluster's. */
function askedAccount(view: Own, cluster: Cluster): string {
  const caller = view.read('aws/caller');
  const account = caller.state === 'seen' ? (caller.value.Account ?? null) : null;
  return account ?? accountOf(cluster.arn ?? '');
}

function unknownUnlessSaid(view: Own): Match | null {
  if (view.sign('providerMissing') !== null) return null;
  return cannotSay({
    reason: 'not-collected',
    detail: 'the OIDC providers of the account and the cluster’s issuer are not both here',
    collect: 'aws iam list-open-id-connect-providers',
  });
}

function podQuote(view: Own, pod: Seen<Pod>, role: string): Quote {
  const account = serviceAccountOf(pod.value);
  const words = `Pod ${podName(pod.value)} (service account ${account}, AWS_ROLE_ARN ${role})`;
  return view.quote(pod, `${words} keeps ending: ${complaintOf(pod.value)}`);
}

/** The issuer of a cluster that is made here is new, so that its provider is made here or not at all. */
export default foreseen(
  judged,
  (plan, group) => {
    const { cluster, clusterName } = group;
    if (cluster?.change !== 'create') return NOT_SHOWN;
    const asking = addonsOf(plan, group).find((addon) => addonIdentity(plan, addon) === 'irsa');
    if (asking === undefined || plan.list('aws/oidc-provider').length > 0) return clear;
    const name = asking.value.addonName ?? '';
    return found(
      { issuer: `the issuer of cluster ${clusterName ?? ''}`, addon: name },
      [
        plan.quote(asking, `the add-on ${name} has a service_account_role_arn`),
        plan.quote(cluster, 'no aws_iam_openid_connect_provider for its issuer'),
      ],
      'likely',
    );
  },
  {
    summary: ({ issuer, addon }) =>
      `Nothing in this plan registers ${issuer ?? 'the issuer'} with IAM, so STS will refuse the tokens of the add-on ${addon ?? ''} and its pods get no AWS credentials.`,
    remedy: () => [
      step(
        'Add an aws_iam_openid_connect_provider with url = the issuer of the aws_eks_cluster and client_id_list = ["sts.amazonaws.com"].',
      ),
      step(
        'Or give the add-on its role by pod_identity_association and install eks-pod-identity-agent.',
      ),
    ],
  },
);
