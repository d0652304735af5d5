import { isoMs } from '../../../evidence/time.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { CertificateSigningRequest } from '../../../evidence/kube/admission.ts';

const SIGNER = 'kubernetes.io/kubelet-serving';
/** The approver of EKS takes seconds; ten minutes are beyond every ordinary wait. */
const WAIT_NORMAL_MS = 600_000;

/** The kubelet asked for a serving certificate and nobody issued it. */
const cause = defineCause({
  id: 'kubelet-serving-certificate-missing',
  stage: 'usable',
  title: 'the kubelet’s serving certificate was never issued',
  scope: 'machine',
  signs: {
    callRefused: definite(
      ['client-output', 'event', 'kube-apiserver', 'pod-app', 'journal'],
      /(?:https:\/\/(?<address>[\w.-]+):10250\/.*|error dialing backend: |Error from server:? )remote error: tls: internal error(?:"? node="(?<node>[\w.-]+)")?/,
    ),
    noCertificate: likely(
      ['kubelet'],
      /TLS handshake error from (?<caller>\S+): no serving certificate available for the kubelet/,
      { atLeast: 3, enoughOnce: 'end' },
    ),
    issuedYoung: withdraws(
      ['client-output'],
      /\s\d{1,3}s\s+kubernetes\.io\/kubelet-serving\s.*\bApproved,Issued/,
      { anchors: ['Approved,Issued'] },
    ),
    issued: withdraws(
      ['kubelet'],
      /kubernetes\.io\/kubelet-serving: (?:Certificate expiration is|certificate signing request \S+ is issued|Certificate rotation detected)/i,
      {
        anchors: [
          'ertificate rotation detected',
          'Certificate expiration is',
          'ertificate request',
          'Rotating certificates',
        ],
      },
    ),
    notApproved: likely(
      ['machine-approver'],
      /(?:DNS name|IP address) '(?<name>[^']{1,253})' not in machine (?:names|addresses)|Serving Cert: No target machine for node "?(?<node>[\w.-]+)|Unrecoverable serving cert error/,
      {
        anchors: [
          'not in machine names',
          'not in machine addresses',
          'No target machine for node',
          'serving cert error',
        ],
      },
    ),
    approvalWaits: context(
      ['machine-approver', 'kubelet'],
      /for serving cert authorization|failed to initialize server certificate manager/,
    ),
    // An approver answers within seconds; half an hour is no delay any more.
    requestWaits: likely(
      ['client-output', 'unknown'],
      /^\s*csr-\w{4,10}\s{1,20}(?:\d{1,4}[hdy]\w{0,6}|(?:[3-9]\d|\d{3})m\w{0,3})\s{1,20}kubernetes\.io\/kubelet-serving\s{1,20}system:node:(?<node>[\w.-]{1,253})\s{1,40}(?:<none>\s{1,40})?(?:Pending|Approved)\s*$/,
    ),
  },
  needs: ['kube/Node', 'kube/CertificateSigningRequest'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, instance, address, request, state }) =>
    `The kubelet of ${node ?? instance ?? address ?? 'the node'} has no serving certificate${request === undefined ? '' : ` (its request ${request} is ${state ?? 'Pending'})`}, so logs, exec and metrics fail with tls: internal error while the node is Ready.`,
  remedy: ({ request }) => [
    step(
      'See which requests wait, and compare their DNS names with the instance’s private DNS name.',
      'kubectl get csr --field-selector spec.signerName=kubernetes.io/kubelet-serving',
    ),
    step(
      'Approve the request of this node; on EKS the names must agree for that to happen by itself.',
      `kubectl certificate approve ${request ?? '<csr>'}`,
    ),
    step(
      'Let the VPC give instances DNS names.',
      'aws ec2 modify-vpc-attribute --vpc-id <vpc> --enable-dns-hostnames',
    ),
  ],
  decide: step(
    'Look for a Pending request of signer kubelet-serving from system:node:<node>.',
    'kubectl get csr',
  ),
  page: {
    why: 'With serverTLSBootstrap the kubelet asks the API server for its serving certificate. EKS approves it only when the names in the request are the instance’s private DNS name and addresses; kubeadm clusters have no approver at all.',
    prevent:
      'Keep the VPC’s DNS hostnames on and the AWS domain name in DHCP, or run an approver where the cluster has none.',
    notThis:
      'A time-out on 10250 is node-ports-closed-to-control-plane. x509: cannot validate certificate … IP SANs means that there is a self-signed certificate: serving-certificate-without-address. A few such handshakes in a node’s first minute are ordinary.',
    alsoKnownAs: ['remote error: tls: internal error', 'kubectl logs tls internal error'],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/issues/610',
      'https://github.com/awslabs/amazon-eks-ami/issues/1944',
      'https://github.com/eksctl-io/eksctl/issues/1324',
    ],
  },
});

export default matched(cause, matchRequests);

type Own = ViewOf<typeof cause>;

/** The kubelet's own requests for a serving certificate: all wait, and none was answered. */
function matchRequests(view: Own): Match | null {
  const node = view.read('kube/Node');
  if (!view.isLive || node.state !== 'seen') return null;
  const own = view
    .list('kube/CertificateSigningRequest')
    .filter(({ value }) => isOf(value, node.value.name));
  if (own.some(({ value }) => (value.status?.certificate ?? null) !== null)) return clear;
  const waiting = own.find(({ value }) => ageOf(value, view.nowMs ?? 0) > WAIT_NORMAL_MS);
  if (waiting === undefined) return null;
  const state = stateOf(waiting);
  const asked = waiting.value.metadata?.creationTimestamp ?? '';
  return found({ node: node.value.name, request: waiting.value.name, state }, [
    view.quote(
      waiting,
      `CertificateSigningRequest ${waiting.value.name} of system:node:${node.value.name} for ${SIGNER} asked ${asked}: ${state}, no certificate`,
    ),
  ]);
}

function isOf({ spec }: CertificateSigningRequest, node: string): boolean {
  return spec?.signerName === SIGNER && spec.username === `system:node:${node}`;
}

function ageOf(object: CertificateSigningRequest, nowMs: number): number {
  const createdMs = isoMs(object.metadata?.creationTimestamp);
  return createdMs === null ? 0 : nowMs - createdMs;
}

/** `Pending`, `Approved` without a certificate, `Denied` or `Failed` with the reason given. */
function stateOf({ value }: Seen<CertificateSigningRequest>): string {
  const last = (value.status?.conditions ?? []).at(-1);
  const type = last?.type ?? 'Pending';
  const message = last?.message ?? '';
  return message === '' ? type : `${type} (${message})`;
}
