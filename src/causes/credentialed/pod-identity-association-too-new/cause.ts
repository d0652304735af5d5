import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
  withRepairs,
} from '../../../diagnosis/cause.ts';
import { isoMs } from '../../../evidence/time.ts';
import { replacing } from '../../../diagnosis/repair.ts';
import { context, likely } from '../../../diagnosis/sign.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import type { Seen } from '../../../evidence/fact.ts';
import {
  complaintOf,
  environmentOf,
  isCrashing,
  isOnNode,
  podName,
  serviceAccountOf,
} from '../../../domain/pods/pods.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import type { PodIdentityAssociation } from '../../../evidence/aws/iam.ts';

const URL_VARIABLE = 'AWS_CONTAINER_CREDENTIALS_FULL_URI';
const NO_CREDENTIALS =
  /NoCredentialProviders|[Uu]nable to locate credentials|no EC2 IMDS role found|assumed-role\/[^/]+\/i-[0-9a-f]+ is not authorized|[Ff]ailed to (?:refresh cached|retrieve) credentials|[Cc]ould not load credentials|[Uu]nable to load (?:AWS )?credentials from any/;

/** The association is there now, and the pod was made when the webhook did not know it. */
const cause = defineCause({
  id: 'pod-identity-association-too-new',
  stage: 'credentialed',
  title: 'the pod is older than its Pod Identity association',
  scope: 'machine',
  signs: {
    // Read from what `kubectl exec … -- env`, or a template for the variables, printed.
    variableLacking: context(
      ['client-output'],
      /^Pod (?<pod>\S{1,317}) has no variable AWS_CONTAINER_CREDENTIALS_FULL_URI$/,
      { anchors: ['has no variable AWS_'] },
    ),
    toldRace: likely(
      ['client-output', 'unknown'],
      /\b(?:race|same apply|one apply|at the same time|re-?creat\w+ the pods?)\b.{0,200}\bwithout AWS_CONTAINER_(?:CREDENTIALS_FULL_URI|AUTHORIZATION_TOKEN_FILE)\b|\bwithout AWS_CONTAINER_(?:CREDENTIALS_FULL_URI|AUTHORIZATION_TOKEN_FILE)\b.{0,200}\b(?:race|re-?creat\w+ the pods?|restart\w* (?:of )?the pods?)\b/,
      { isTold: true, anchors: ['without AWS_CONTAINER_'] },
    ),
  },
  needs: ['kube/Pod', 'aws/pod-identity-association'],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ pod, account, created }) =>
    sentence`The pod ${pod} was made before EKS knew of a Pod Identity association for its service account ${account}${phrase` (made ${created})`}, so it has no ${URL_VARIABLE} and no role.`,
  remedy: ({ pod }) => {
    const [namespace = '<namespace>', name = '<pod>'] = pod?.split('/') ?? [];
    return [
      step(
        'Make the pod again; the webhook now gives it its variables.',
        `kubectl -n ${namespace} delete pod ${name}`,
      ),
    ];
  },
  decide: step(
    'Compare the association with the pod’s variables.',
    'aws eks list-pod-identity-associations --cluster-name <cluster>; kubectl get pods -A -o json --field-selector spec.nodeName=<node>',
  ),
  page: {
    why: 'EKS adds the variables and the token of Pod Identity when a pod is created. An association takes some seconds to be known, and pods that were created before it stay without.',
    prevent: 'Create the association first and wait some seconds before the workload.',
    notThis:
      'A pod that has the variables and is refused is pod-identity-not-authorized; one whose agent is silent is pod-identity-agent-down.',
    alsoKnownAs: ['AWS_CONTAINER_CREDENTIALS_FULL_URI missing'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/pod-id-association.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/pod-identities.html',
    ],
  },
});

export default matched(cause, (view) => matchShown(view) ?? matchPods(view));

type Own = ViewOf<typeof cause>;

function matchPods(view: Own): Match | null {
  const node = view.node ?? '';
  const bare = view.list('kube/Pod').filter(({ value }) => isWithout(value, node));
  if (bare.length === 0) return null;
  const all = view.list('aws/pod-identity-association');
  for (const pod of bare) {
    const association = all.find(({ value }) => isFor(value, pod.value));
    if (association !== undefined) return foundFor(view, pod, association);
  }
  if (all.length > 0 || view.read('aws/pod-identity-association').state === 'absent') return clear;
  return cannotSay({
    reason: 'not-collected',
    detail: 'the Pod Identity associations are not in this evidence',
    collect: 'aws eks list-pod-identity-associations --cluster-name <cluster>',
  });
}

/** An association is known to the webhook only some seconds after it was made. */
const KNOWN_AFTER_MS = 30_000;

/** Somebody shows that a pod lacks the variables, when it was made, and when its association was. */
function matchShown(view: Own): Match | null {
  const lacking = view.sign('variableLacking') ?? view.clusterSign('variableLacking');
  if (view.isLive || lacking === null) return null;
  const all = view.everywhere('aws/pod-identity-association');
  for (const pod of view.everywhere('kube/Pod')) {
    const shown = lacking.quotes.find(({ captures }) => isPodNamed(pod.value, captures['pod']));
    const own = all.find(({ value }) => mayBeFor(value, pod.value));
    const [bornMs, madeMs] = [
      isoMs(pod.value.metadata?.creationTimestamp),
      isoMs(own?.value.createdAt),
    ];
    if (shown === undefined || own === undefined || bornMs === null || madeMs === null) continue;
    if (bornMs - madeMs > KNOWN_AFTER_MS) continue;
    const account = `${own.value.namespace ?? ''}/${own.value.serviceAccount ?? ''}`;
    const created = own.value.createdAt ?? '';
    const name = podName(pod.value);
    return found(
      { pod: name, account, created },
      [
        view.quote(own, `association for ${account} created ${created}`),
        view.quote(pod, `Pod ${name} created ${pod.value.metadata?.creationTimestamp ?? ''}`),
        shown,
      ],
      'likely',
    );
  }
  return null;
}

function isPodNamed(pod: Pod, name: string | undefined): boolean {
  return name === pod.name || name === `${pod.namespace ?? 'default'}/${pod.name}`;
}

/** The same namespace, and the same account where the pod’s is told; else one that its name begins with. */
function mayBeFor(association: PodIdentityAssociation, pod: Pod): boolean {
  if ((association.namespace ?? null) !== (pod.namespace ?? 'default')) return false;
  const told = pod.spec?.serviceAccountName ?? null;
  const account = association.serviceAccount ?? '';
  return told === null ? account !== '' && pod.name.startsWith(`${account}-`) : told === account;
}

/** A pod that ends for want of credentials and was given neither kind of identity. */
function isWithout(pod: Pod, node: string): boolean {
  const isBare =
    environmentOf(pod, URL_VARIABLE) === null &&
    environmentOf(pod, 'AWS_WEB_IDENTITY_TOKEN_FILE') === null;
  return isBare && isOnNode(pod, node) && isCrashing(pod) && NO_CREDENTIALS.test(complaintOf(pod));
}

function isFor(association: PodIdentityAssociation, pod: Pod): boolean {
  const isAccount = association.serviceAccount === serviceAccountOf(pod);
  return isAccount && (association.namespace ?? null) === pod.namespace;
}

function foundFor(view: Own, pod: Seen<Pod>, association: Seen<PodIdentityAssociation>): Match {
  const account = `${pod.value.namespace ?? ''}/${serviceAccountOf(pod.value)}`;
  const name = podName(pod.value);
  const created = association.value.createdAt ?? null;
  const id = association.value.associationId ?? '';
  const born = pod.value.metadata?.creationTimestamp ?? '';
  const details = { pod: name, account };
  const match = found(created === null ? details : { ...details, created }, [
    view.quote(association, `association ${id} for ${account} created ${created ?? 'before now'}`),
    view.quote(
      pod,
      `Pod ${name} created ${born} has no ${URL_VARIABLE}: ${complaintOf(pod.value)}`,
    ),
  ]);
  const says = `it was made without ${URL_VARIABLE}, and ${account} has an association`;
  return withRepairs(match, replacing(pod.value, 'new-pod', says));
}
