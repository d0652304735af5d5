import { isoMs } from '../../../evidence/time.ts';
import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
  withRepairs,
} from '../../../diagnosis/cause.ts';
import { type Repair, replacing } from '../../../diagnosis/repair.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import {
  complaintOf,
  environmentOf,
  isCrashing,
  isOnNode,
  podName,
  serviceAccountOf,
} from '../../../domain/pods/pods.ts';
import { endpointsOf, type ServiceName } from '../../../domain/pods/services.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import type { ServiceAccount, WebhookConfiguration } from '../../../evidence/kube/admission.ts';

const ANNOTATION = 'eks.amazonaws.com/role-arn';

/** The webhook that gives pods their token let a pod through as it was. */
const cause = defineCause({
  id: 'irsa-webhook-did-not-mutate',
  stage: 'credentialed',
  title: 'the pod identity webhook left the pod without a token',
  scope: 'machine',
  signs: {
    notInCache: likely(
      ['pod-identity-webhook'],
      /Service account (?<account>[\w.-]+\/[\w.-]+) not found in the cache(?: after [^.]{1,80})?\. Not mutating/,
    ),
    roleUnusable: likely(
      ['pod-identity-webhook'],
      /\b(?:arn is invalid: (?<role>arn:\S+)|Regex error: )/,
      { strict: true },
    ),
    webhookAbsent: likely(
      ['client-output'],
      /mutatingwebhookconfigurations[\w.]* "(?<webhook>pod-identity-webhook)" not found/,
      { anchors: ['mutatingwebhookconfigurations'] },
    ),
    // Read from what `kubectl exec … -- env`, or a template for the variables, printed.
    variableLacking: context(
      ['client-output'],
      /^Pod (?<pod>\S{1,317}) has no variable AWS_(?:WEB_IDENTITY_TOKEN_FILE|ROLE_ARN)$/,
      { anchors: ['has no variable AWS_'] },
    ),
    leftAlone: context(['pod-identity-webhook'], /Pod was not mutated\. Reason:/),
    mutatedAfter: withdraws(
      ['pod-identity-webhook'],
      /Pod was mutated\..*ServiceAccount=(?<name>[\w.-]+),? .*Namespace=(?<space>[\w.-]+)/,
    ),
    toldUnset: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:AWS_WEB_IDENTITY_TOKEN_FILE|AWS_ROLE_ARN)\b.{0,60}\b(?:(?:was|is|were|are)(?: not|n't) (?:set|injected|there|present|added)|(?:was|is|were|are) (?:missing|absent))\b.{0,80}\b(?:service ?account|ServiceAccount|annotat\w{0,4}|restart\w{0,3}|webhook)\b|\b(?:[Nn]o|[Mm]issing|[Ww]ithout) AWS_(?:WEB_IDENTITY_TOKEN_FILE|ROLE_ARN)\b.{0,80}\b(?:service ?account|ServiceAccount|annotat\w{0,4}|webhook)\b/,
      { isTold: true, anchors: ['AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN'] },
    ),
  },
  needs: [
    'kube/Pod',
    'kube/ServiceAccount',
    'kube/MutatingWebhookConfiguration',
    'kube/EndpointSlice',
  ],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ account, role, pod, why }) =>
    pod !== undefined
      ? `The service account ${account ?? ''} is annotated with ${role ?? 'a role'}, and the pod ${pod} was made without its token (${why ?? 'the webhook let it through'}), so it does not have that role.`
      : role === undefined
        ? `The pod identity webhook did not know the service account ${account ?? 'of a pod'} yet and let the pod through without a token, so it falls back on the node’s role or has no credentials.`
        : `The pod identity webhook refuses the role ${role} as no valid ARN, so pods of its service account get no token.`,
  remedy: ({ account }) => [
    step(
      'Create the pods again now that the webhook knows the service account.',
      `kubectl -n ${account?.split('/')[0] ?? '<namespace>'} rollout restart deployment <deployment>`,
    ),
    step(
      'See whether the annotation names a role.',
      `kubectl -n ${account?.split('/')[0] ?? '<namespace>'} get serviceaccount ${account?.split('/')[1] ?? '<service-account>'} -o yaml`,
    ),
  ],
  decide: step(
    'See whether the pod has the variables that the webhook adds.',
    'kubectl get pod <pod> -o yaml | grep -A1 AWS_WEB_IDENTITY_TOKEN_FILE',
  ),
  page: {
    why: 'The webhook adds the token volume and two variables when a pod is created, from a cache of annotated service accounts. Its failure policy is Ignore: a webhook that is down, or whose cache does not have a service account created a moment ago, lets the pod start as it is. Such a pod may run for weeks with the role of its node, or with what little that allows.',
    prevent:
      'Create the service account before the workload; run two webhooks on nodes that do not depend on them, and let it fail closed where every pod needs a role.',
    notThis:
      '“Pod was not mutated” by itself appears for every pod without an annotation. A pod that has the variables and is refused is irsa-trust-policy-mismatch or irsa-oidc-provider-missing.',
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

export default matched(cause, (view) => matchUnchanged(view) ?? matchShown(view));

type Own = ViewOf<typeof cause>;

/** A pod without the webhook's variables, and the account that names a role for it. */
interface Missed {
  readonly pod: Seen<Pod>;
  readonly account: Seen<ServiceAccount>;
  readonly role: string;
}

/**
 * A pod whose service account names a role, and that has none of the webhook's variables: one that
 * crashes over it before one that goes on, with the node's role or with none.
 */
function matchUnchanged(view: Own): Match | null {
  const missed = missedPods(view);
  const crashing = missed.find(({ pod }) => isCrashing(pod.value));
  const running = missed.find(({ pod }) => goesOn(pod.value));
  const worst = crashing ?? running;
  if (worst === undefined) return null;
  const { pod, account, role } = worst;
  const name = podName(pod.value);
  const who = `${account.value.namespace ?? ''}/${account.value.name}`;
  const says = crashing === undefined ? 'Running' : complaintOf(pod.value);
  const match = found(
    { account: who, role, pod: name, why: whyLeft(view, pod, account) },
    [
      view.quote(account, `ServiceAccount ${who} ${ANNOTATION}: ${role}`),
      view.quote(
        pod,
        `Pod ${name} has no AWS_WEB_IDENTITY_TOKEN_FILE, created ${pod.value.metadata?.creationTimestamp ?? ''}: ${says}`,
      ),
    ],
    crashing === undefined ? 'likely' : 'definite',
  );
  return withRepairs(match, isWebhookGone(view) ? [] : missed.flatMap(replacementOf));
}

/** A pod of which somebody shows that it lacks the variables; neither its Node nor its state is told. */
function matchShown(view: Own): Match | null {
  const lacking = view.sign('variableLacking') ?? view.clusterSign('variableLacking');
  if (view.isLive || lacking === null) return null;
  for (const pod of view.everywhere('kube/Pod')) {
    const account = view
      .everywhere('kube/ServiceAccount')
      .find(({ value }) => ANNOTATION in value.annotations && isAccountOf(value, pod.value));
    const shown = lacking.quotes.find(({ captures }) => isPodNamed(pod.value, captures['pod']));
    if (account === undefined || shown === undefined || isInjected(pod.value)) continue;
    return foundShown(view, pod, account, shown);
  }
  return null;
}

function isPodNamed(pod: Pod, name: string | undefined): boolean {
  return name === pod.name || name === `${pod.namespace ?? 'default'}/${pod.name}`;
}

function foundShown(view: Own, pod: Seen<Pod>, account: Seen<ServiceAccount>, shown: Quote): Match {
  const name = podName(pod.value);
  const who = `${account.value.namespace ?? ''}/${account.value.name}`;
  const role = account.value.annotations[ANNOTATION] ?? '';
  const created = pod.value.metadata?.creationTimestamp ?? '';
  return found(
    { account: who, role, pod: name, why: whyLeft(view, pod, account) },
    [
      view.quote(account, `ServiceAccount ${who} ${ANNOTATION}: ${role}`),
      view.quote(pod, `Pod ${name} created ${created}`),
      shown,
    ],
    'likely',
  );
}

/** Agents of the cluster are annotated by charts also where the node's role is all that they need. */
function goesOn(pod: Pod): boolean {
  return pod.namespace !== 'kube-system' && pod.status?.phase === 'Running';
}

/** While the webhook is down another Pod would be made as this one was. */
function isWebhookGone(view: Own): boolean {
  const hooks = view.list('kube/MutatingWebhookConfiguration');
  return (
    !hooks.some(({ value }) => /pod-identity/.test(value.name)) || silentService(view) !== null
  );
}

function replacementOf({ pod: { value }, role }: Missed): readonly Repair[] {
  if (!isCrashing(value) && !goesOn(value)) return [];
  const says = `it was made without AWS_WEB_IDENTITY_TOKEN_FILE, and its service account names ${role}`;
  return replacing(value, 'new-pod', says);
}

function missedPods(view: Own): readonly Missed[] {
  const accounts = view
    .list('kube/ServiceAccount')
    .filter(({ value }) => value.annotations[ANNOTATION] !== undefined);
  if (accounts.length === 0) return [];
  return view.list('kube/Pod').flatMap((pod) => {
    if (!isOnNode(pod.value, view.node ?? '') || isInjected(pod.value)) return [];
    const account = accounts.find(({ value }) => isAccountOf(value, pod.value));
    const role = account?.value.annotations[ANNOTATION];
    return account === undefined || role === undefined ? [] : [{ pod, account, role }];
  });
}

function isInjected(pod: Pod): boolean {
  return (
    environmentOf(pod, 'AWS_WEB_IDENTITY_TOKEN_FILE') !== null ||
    environmentOf(pod, 'AWS_CONTAINER_CREDENTIALS_FULL_URI') !== null
  );
}

function isAccountOf(account: ServiceAccount, pod: Pod): boolean {
  return account.namespace === pod.namespace && account.name === serviceAccountOf(pod);
}

/** The annotation is younger than the pod, no webhook is registered, or it simply let it through. */
function whyLeft(view: Own, pod: Seen<Pod>, account: Seen<ServiceAccount>): string {
  const madeMs = isoMs(pod.value.metadata?.creationTimestamp);
  const annotated = annotatedAt(account.value);
  const annotatedMs = isoMs({ annotated }.annotated);
  if (annotated !== null && annotatedMs !== null && madeMs !== null && annotatedMs > madeMs)
    return `it is older than the annotation of ${annotated}`;
  const webhooks = view.read('kube/MutatingWebhookConfiguration');
  const hooks = view.list('kube/MutatingWebhookConfiguration');
  const isRegistered = hooks.some(({ value }) => /pod-identity/.test(value.name));
  if (!isRegistered && (hooks.length > 0 || webhooks.state === 'absent'))
    return 'no MutatingWebhookConfiguration pod-identity-webhook exists';
  return silentService(view) ?? 'the pod identity webhook let it through';
}

/** Where clusters run the webhook themselves, nobody may stand behind its Service. */
function silentService(view: Own): string | null {
  const slices = view.list('kube/EndpointSlice');
  for (const { value } of view.list('kube/MutatingWebhookConfiguration')) {
    const service = /pod-identity/.test(value.name) ? firstService(value) : null;
    const endpoints = service === null ? null : endpointsOf(service, slices);
    if (service === null || endpoints === null || endpoints.slices.length === 0) continue;
    if (endpoints.ready === 0)
      return `the webhook’s Service ${service.namespace}/${service.name} has no endpoint that is ready`;
  }
  return null;
}

function firstService(object: WebhookConfiguration): ServiceName | null {
  const [webhook] = object.webhooks ?? [];
  const name = webhook?.clientConfig?.service?.name ?? null;
  const namespace = webhook?.clientConfig?.service?.namespace ?? null;
  return name === null || namespace === null ? null : { name, namespace };
}

/** When the annotation was written, by the service account's managed fields. */
function annotatedAt(account: ServiceAccount): string | null {
  const entry = (account.metadata?.managedFields ?? []).find((field) => {
    const annotations = field.fieldsV1?.['f:metadata']?.['f:annotations'];
    return annotations?.includes(`f:${ANNOTATION}`) === true;
  });
  return entry?.time ?? null;
}
