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
import { hasNeverJoined } from '../../../domain/nodes/fleet.ts';

/** The bootstrap token of the join command is no longer, or never was, known to the cluster. */
const cause = defineCause({
  id: 'expired-bootstrap-token',
  stage: 'authenticated',
  title: 'the bootstrap token has expired or is unknown to the cluster',
  scope: 'machine',
  signs: {
    tokenInvalid: definite(
      ['kubeadm', 'cloud-init'],
      /token id "(?<token>[a-z0-9]{6})" is invalid for this cluster or it has expired/,
    ),
    noSignedToken: definite(
      ['kubeadm', 'cloud-init'],
      /there is no JWS signed token in the cluster-info ConfigMap\. This token id "(?<token>[a-z0-9]{6})" is invalid for this cluster/,
      { atLeast: 2, enoughOnce: 'end' },
    ),
    signatureMissing: definite(
      ['kubeadm', 'cloud-init'],
      /(?:couldn't validate the identity of the API Server|error execution phase \S+):.*could not find a JWS signature in the cluster-info ConfigMap for token ID "(?<token>[a-z0-9]{6})"/,
    ),
    // From -v=5 on, kubeadm prints what it ends with one link of the chain a line, this one first.
    signatureNever: likely(
      ['kubeadm', 'cloud-init', 'client-output'],
      /^could not find a JWS signature in the cluster-info ConfigMap for token ID "(?<token>[a-z0-9]{6})"$|could not find a JWS signature in the cluster-info ConfigMap for token ID "(?<token2>[a-z0-9]{6})"\s{0,8}(?:k8s\.io\/kubernetes\/cmd\/kubeadm|couldn't validate the identity|error execution phase)/,
    ),
    signatureAwaited: likely(
      ['kubeadm', 'cloud-init'],
      /(?:does not yet contain|could not find) a JWS signature.*token ID "(?<token>[a-z0-9]{6})"/,
      { atLeast: 6, enoughOnce: 'alone' },
    ),
    // A kubelet that asks for its serving certificate prints the end of this line on any 401.
    requestUnauthorized: definite(
      ['kubelet', 'kubeadm'],
      /failed to run Kubelet: cannot create certificate signing request: Unauthorized/,
    ),
    toldExpired: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:[Jj]oin|[Bb]ootstrap|kubeadm) tokens?\b.{0,30}\b(?:expired|ha[ds] expired|(?:was|is) (?:expired|too old|no longer valid|older than \d+ ?h\w{0,4}))\b|\b[Tt]oken\b.{0,30}\bexpire\w?\b.{0,60}\bkubeadm (?:token|join)\b|\bkubeadm token list`?\b.{0,60}\b(?:expired|empty|no tokens?|nothing)\b/,
      {
        isTold: true,
        anchors: ['oin token', 'ootstrap token', 'kubeadm token', 'expire', 'kubeadm token list'],
      },
    ),
  },
  needs: ['kube/cluster-info', 'aws/user-data', 'aws/instance'],
  symptoms: ['machine-without-node'],
  withdrawnBy: ['joined', 'node-registered', 'node-ready'],
  explains: ['failed-user-script'],
  summary: ({ token, token2 }) =>
    `The bootstrap token ${(token ?? token2) === undefined ? 'of the join command' : `with id ${token ?? token2 ?? ''}`} is unknown to the cluster (tokens live 24 hours unless told otherwise), so the machine cannot join.`,
  remedy: () => [
    step(
      'Make a new token on a control plane machine and use the command it prints.',
      'kubeadm token create --print-join-command',
    ),
    step(
      'For machines that come and go, let user data fetch a fresh token from a secret store.',
      'aws secretsmanager get-secret-value --secret-id <join-token> --query SecretString --output text',
    ),
  ],
  decide: step(
    'List the tokens that the cluster knows, and when they expire.',
    'kubectl -n kube-system get secrets --field-selector type=bootstrap.kubernetes.io/token',
  ),
  page: {
    why: 'A kubeadm token is a Secret that the token cleaner deletes when its time is over. The signature in cluster-info goes with it, and a join finds neither.',
    prevent:
      'No tokens in launch templates or images; a token that never expires is a key under the mat.',
    notThis:
      'A signature that is there but wrong, or a certificate that is not pinned, is ca-pin-mismatch. A token that works and is not allowed to read is bootstrap-group-not-bound. Just after a token was made, the missing signature is normal for some seconds.',
    alsoKnownAs: ['could not find a JWS signature in the cluster-info ConfigMap for token ID'],
    refs: [
      'https://github.com/kubernetes/kubernetes/blob/HEAD/cmd/kubeadm/app/discovery/token/token.go',
      'https://github.com/kubernetes/kubeadm/issues/809',
    ],
  },
});

export default matched(cause, matchToken);

type Own = ViewOf<typeof cause>;

/** The machine has no Node, and cluster-info carries no signature by the token it joins with. */
function matchToken(view: Own): Match | null {
  const given = view.list('aws/user-data').find(({ value }) => {
    return value.instanceId === view.instanceId && value.joinTokenId !== null;
  });
  const token = given?.value.joinTokenId ?? null;
  if (given === undefined || token === null || !view.shows('machine-without-node')) return null;
  const discovery = view.read('kube/cluster-info');
  if (discovery.state === 'absent') return null;
  if (discovery.state === 'unknown') return unread;
  if (discovery.value.signedBy.includes(token))
    return view.sign('requestUnauthorized') === null ? clear : null;
  // The token of a machine that joined long ago is gone as it should be.
  if (!isNew(view)) return lostTrack;
  const signers = discovery.value.signedBy.join(', ') || 'no token';
  return found({ token }, [
    view.quote(
      discovery,
      `ConfigMap kube-public/cluster-info is signed by ${signers}, not by ${token}`,
    ),
    view.quote(given, `user data of ${given.value.instanceId} joins with the token id ${token}`),
  ]);
}

function isNew(view: Own): boolean {
  return view
    .list('aws/instance')
    .some(({ value }) => value.InstanceId === view.instanceId && hasNeverJoined(value, view.nowMs));
}

const lostTrack = cannotSay({
  reason: 'not-collected',
  detail: 'whether the machine has ever joined',
  collect: 'sudo ls -l /var/lib/kubelet/pki/kubelet-client-current.pem',
});

const unread = cannotSay({
  reason: 'not-collected',
  detail: 'by which tokens cluster-info is signed',
  collect: 'kubectl -n kube-public get configmap cluster-info -o yaml',
});
