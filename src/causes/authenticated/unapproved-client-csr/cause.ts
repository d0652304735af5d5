import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { ipInName } from '../../../evidence/names.ts';
import { lostLeases } from '../../../domain/nodes/leases.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import { isoMs } from '../../../evidence/time.ts';
import type { CertificateSigningRequest } from '../../../evidence/kube/admission.ts';

/** The kubelet asked for its client certificate and nobody approved or signed the request. */
const cause = defineCause({
  id: 'unapproved-client-csr',
  stage: 'authenticated',
  title: 'the kubelet’s request for a client certificate is not approved or not signed',
  scope: 'cluster',
  signs: {
    pending: definite(
      ['client-output', 'object', 'machine-approver', 'controller-manager'],
      /(?:(?:\b(?<csr>(?:node-)?csr-[\w-]+)|‹\w+›)\s+|^\s*)(?:\d+d)?(?:\d+h)?(?:\d+m)?(?<=[dhm])(?:\d+s)?\s+(?:kubernetes\.io\/kube-apiserver-client-kubelet\s+)?(?:system:bootstrap:[a-z0-9]{6}|system:serviceaccount:openshift-(?:machine-config-operator|infra):node-bootstrapper)\s+(?:\S+\s+)?Pending\b/,
    ),
    notIssued: definite(
      ['client-output', 'object'],
      /(?:\b(?<csr>(?:node-)?csr-[\w-]+)|‹\w+›)\s+(?:\d+d)?(?:\d+h)?(?:\d+m)?(?<=[dhm])(?:\d+s)?\s+(?:kubernetes\.io\/kube-apiserver-client-kubelet\s+)?(?:system:bootstrap:[a-z0-9]{6}|system:serviceaccount:openshift-(?:machine-config-operator|infra):node-bootstrapper)\s+(?:\S+\s+)?(?<approved>Approved)\s*$/,
    ),
    waitedInVain: likely(
      ['kubelet'],
      /kube-apiserver-client-kubelet: [Cc]ertificate request was not signed|Certificate request was not signed.*logger="?kubernetes\.io\/kube-apiserver-client-kubelet/,
      { anchors: ['ertificate request was not signed'] },
    ),
    refusedToKubelet: definite(
      ['kubelet'],
      /failed to run Kubelet: certificate signing request (?:is denied|failed), reason: (?<denied>[^"\n]{1,160})/,
      { anchors: ['failed to run Kubelet: certificate signing request'] },
    ),
    approverRefuses: definite(
      ['controller-manager'],
      /recognized csr .{0,60} as \[[\w ]*\bnodeclient\] but subject access review was not approved/,
      { anchors: ['but subject access review was not approved'] },
    ),
    signerExpired: likely(
      ['controller-manager'],
      /error auto signing csr: the signer has (?<approved>expired)/,
    ),
    // A request of a serving certificate waits on nodes that have joined, too.
    toldPending: likely(
      ['client-output', 'unknown'],
      /\b(?:client|node-bootstrapper|bootstrap)\b[^.]{0,30}\b(?:CSRs?|certificate (?:signing )?requests?|requests? in (?:oc|kubectl) get csr)\b[^.]{0,40}\b(?:stays?|remains?|is|are|still|sits?|stuck)\b[^.]{0,20}\b[Pp]ending\b|\b(?:client|bootstrap) (?:CSRs?|certificate (?:signing )?requests?)\b[^.]{0,40}\b(?:never|not) (?:been )?approved\b|\b[Pp]ending (?:client|bootstrap|node-bootstrapper) (?:CSRs?|certificate (?:signing )?requests?)\b|\bclient requests? in (?:oc|kubectl) get csr\b[^.]{0,40}\b[Pp]ending\b/,
      { isTold: true, anchors: ['ending', 'approved'] },
    ),
  },
  needs: ['kube/CertificateSigningRequest', 'kube/Lease', 'kube/Node'],
  symptoms: [],
  explains: ['anonymous-kubelet', 'controller-manager-not-leading'],
  summary: ({ csr, approved, denied, user, lease, more }) =>
    denied !== undefined
      ? `The certificate request ${csr ?? 'of the kubelet'} for ${user ?? 'a node'} was denied (${denied}), so the kubelet gets no credential.`
      : lease !== undefined
        ? `The certificate request ${csr ?? 'of the kubelet'} for ${user ?? 'a node'} has no answer, as no kube-controller-manager leads that would approve and sign it: ${lease} is not renewed.`
        : approved === undefined
          ? sentence`The certificate request ${csr ?? 'of the kubelet'}${phrase` for ${user}`} waits for approval; until then the kubelet has no credential.${othersToo(more)}`
          : `The certificate request ${csr ?? 'of the kubelet'} is approved but no certificate was issued; the signer in kube-controller-manager does not work.`,
  remedy: ({ csr, approved, denied, lease }) => [
    lease !== undefined
      ? step(
          'See why kube-controller-manager does not run or cannot renew its Lease.',
          'kubectl -n kube-system get pods -o wide -l component=kube-controller-manager; kubectl -n kube-system logs -l component=kube-controller-manager --tail=50',
        )
      : denied !== undefined
        ? step(
            'A denied request stays so: delete it, and let the kubelet make a new one.',
            `kubectl delete csr ${csr ?? '<csr>'}`,
          )
        : approved === undefined
          ? step(
              'Approve it, if you know the machine.',
              `kubectl certificate approve ${csr ?? '<csr>'}`,
            )
          : step(
              'See why nothing is signed.',
              'kubectl -n kube-system logs -l component=kube-controller-manager --tail=200 | grep -iE "certificate|signing"',
            ),
    step(
      'Restore the automatic approval that kubeadm binds.',
      'kubectl create clusterrolebinding kubeadm:node-autoapprove-bootstrap --clusterrole=system:certificates.k8s.io:certificatesigningrequests:nodeclient --group=system:bootstrappers:kubeadm:default-node-token',
    ),
  ],
  decide: step('List certificate requests and their condition.', 'kubectl get csr'),
  page: {
    why: 'Two controllers in kube-controller-manager approve and sign. The approver needs a binding for the group of the token, the signer the CA’s key; one of them switched off, or no instance that leads, leaves the request as it is.',
    prevent:
      'Keep kubeadm:node-autoapprove-bootstrap, and alert on requests older than some minutes.',
    notThis:
      'Pending requests of signer kubernetes.io/kubelet-serving belong to kubelet-serving-certificate-missing. Where machine-approver says why it refuses, it is csr-refused-by-machine-approver.',
    refs: [
      'https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/',
      'https://github.com/kubernetes/kubeadm/issues/747',
    ],
  },
});

export default matched(cause, matchRequests);

type Own = ViewOf<typeof cause>;

const SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
/** Those who ask for a machine's first certificate; nodes themselves ask for the next. */
const FIRST =
  /^(?:system:bootstrap:[a-z0-9]{6}|system:serviceaccount:openshift-(?:machine-config-operator|infra):node-bootstrapper)$/;
/** Controllers approve and sign within seconds. */
const APPROVAL_NORMAL_MS = 120_000;

function othersToo(more: string | undefined): string {
  if (more === undefined) return '';
  return more === '1' ? ' That of another machine waits too.' : ` Those of ${more} more wait too.`;
}

/** First requests of machines that nobody answered, without a Ready Node of the name they ask for. */
function matchRequests(view: Own): Match | null {
  const { nowMs } = view;
  if (nowMs === null) return null;
  const unanswered = leftRequests(view, nowMs);
  const [first] = unanswered;
  if (first === undefined) return null;
  const { value } = first;
  const node = nodeOf(value) ?? '';
  const type = typeOf(value);
  const [condition] = value.status?.conditions ?? [];
  const why = condition?.message ?? condition?.reason ?? 'no reason given';
  const alike = unanswered.filter((other) => typeOf(other.value) === type);
  const nodes = [...new Set(alike.map((other) => nodeOf(other.value) ?? ''))];
  const more: Record<string, string> = nodes.length > 1 ? { more: String(nodes.length - 1) } : {};
  const details = { csr: value.name, user: `system:node:${node}`, ...more };
  const state: Record<string, string> =
    type === 'Denied' ? { denied: why } : type === 'Approved' ? { approved: 'Approved' } : {};
  const words = `${value.name} of ${value.spec?.username ?? ''} for system:node:${node}: ${type}, no certificate`;
  const silence = type === 'Denied' ? null : leaderless(view, value);
  const lease: Record<string, string> = silence === null ? {} : { lease: silence.name };
  const proof = [view.quote(first, words), ...(silence === null ? [] : [silence.proof])];
  return found({ ...details, ...state, ...lease }, proof, 'definite', nodes.flatMap(namesOf));
}

function leftRequests(view: Own, nowMs: number): readonly Seen<CertificateSigningRequest>[] {
  const requests = view
    .list('kube/CertificateSigningRequest')
    .filter(({ value }) => isFirst(value) && nodeOf(value) !== null);
  const nodes = view.list('kube/Node').filter(({ value }) => value.ready === true);
  const served = new Set([
    ...nodes.map(({ value }) => value.name),
    ...requests.flatMap(({ value }) => (isIssued(value) ? [nodeOf(value)] : [])),
  ]);
  return requests.filter(({ value }) => !served.has(nodeOf(value)) && isLeft(value, nowMs));
}

/** `Pending` as long as nobody said a word. */
function typeOf(object: CertificateSigningRequest): string {
  return (object.status?.conditions ?? [])[0]?.type ?? 'Pending';
}

/** A machine without a Node is known by its address, which the name that it asks for may tell. */
function namesOf(node: string): readonly string[] {
  const address = ipInName(node);
  return address === null ? [node] : [node, address];
}

interface Silence {
  /** `the Lease NAMESPACE/NAME`. */
  readonly name: string;
  readonly proof: Quote;
}

/** The Lease of the controllers that answer requests, where it was not renewed since this one. */
function leaderless(view: Own, request: CertificateSigningRequest): Silence | null {
  const [lost] = lostLeases(view.list('kube/Lease'), /^kube-controller-manager$/, view.nowMs);
  const madeMs = isoMs(request.metadata?.creationTimestamp);
  if (lost === undefined || madeMs === null || madeMs < lost.renewedMs) return null;
  return { name: `the Lease ${lost.name}`, proof: view.quote(lost.fact, lost.words) };
}

function isFirst(object: CertificateSigningRequest): boolean {
  const username = object.spec?.username ?? '';
  return object.spec?.signerName === SIGNER && FIRST.test(username);
}

function nodeOf(object: CertificateSigningRequest): string | null {
  return object.requestedUser?.slice('system:node:'.length) ?? null;
}

function isIssued({ status }: CertificateSigningRequest): boolean {
  return status?.certificate === true;
}

function isLeft(request: CertificateSigningRequest, nowMs: number): boolean {
  const madeMs = isoMs(request.metadata?.creationTimestamp);
  return !isIssued(request) && madeMs !== null && nowMs - madeMs > APPROVAL_NORMAL_MS;
}
