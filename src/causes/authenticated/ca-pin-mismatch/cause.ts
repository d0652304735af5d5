import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';

/** The join command pins another certificate authority than the cluster shows. */
export default defineCause({
  id: 'ca-pin-mismatch',
  stage: 'authenticated',
  title: 'the pinned CA hash or the token’s signature does not match the cluster',
  scope: 'machine',
  signs: {
    notPinned: definite(
      ['kubeadm', 'cloud-init'],
      /cluster CA found in cluster-info ConfigMap is invalid(?:: none of the public keys "(?<hash>sha256:[0-9a-f]+))?/,
    ),
    nonePinned: definite(
      ['kubeadm', 'cloud-init'],
      /none of the public keys "(?<hash>sha256:[0-9a-f]+)" are pinned/,
    ),
    // k3s and RKE2 have the hash of the CA in the token.
    tokenOfAnotherCa: definite(
      ['journal', 'client-output', 'cloud-init', 'unknown'],
      /token CA hash does not match the Cluster CA certificate hash(?:: (?<hash>[0-9a-f]{8,64}))?/,
    ),
    signatureWrong: definite(
      ['kubeadm', 'cloud-init'],
      /failed to verify JWS signature of received cluster info object/,
    ),
    hashMalformed: definite(
      ['kubeadm', 'cloud-init'],
      /invalid discovery token CA certificate hash/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['joined', 'node-registered', 'node-ready'],
  explains: ['failed-user-script'],
  summary: ({ hash }) =>
    hash === undefined
      ? 'What the API server shows does not match the CA hash or the token of the join command, so the machine does not trust it and stops.'
      : `The API server’s CA has the hash ${hash}, which the join command does not pin; the machine does not trust it and stops.`,
  remedy: () => [
    step(
      'Print the join command again on a control plane machine of the right cluster.',
      'kubeadm token create --print-join-command',
    ),
    step(
      'Or compute the hash of the present CA; put it first where several are listed, as some releases honour only the first.',
      "openssl x509 -pubkey -noout -in /etc/kubernetes/pki/ca.crt | openssl pkey -pubin -outform der | openssl dgst -sha256 -hex | sed 's/^.* /sha256:/'",
    ),
  ],
  decide: step(
    'Compare the pinned hash with the CA that the API server shows.',
    'openssl x509 -pubkey -noout -in /etc/kubernetes/pki/ca.crt | openssl pkey -pubin -outform der | openssl dgst -sha256 -hex',
  ),
  page: {
    why: 'A join trusts the API server by the hash of its CA. The cluster was rebuilt, the CA rotated, or the address leads to another cluster; rarely, someone intercepts the connection.',
    prevent: 'Fetch hash and token together, from the cluster, at boot.',
    notThis:
      'A token that has no signature at all is expired-bootstrap-token. Certificate errors of a kubelet that joined before are untrusted-api-certificate.',
    refs: [
      'https://github.com/kubernetes/kubernetes/blob/HEAD/cmd/kubeadm/app/discovery/token/token.go',
      'https://github.com/kubernetes/kubernetes/issues/131080',
    ],
  },
});
