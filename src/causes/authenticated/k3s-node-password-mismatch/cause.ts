import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** A machine of a name that was used before shows another password than the server remembers. */
export default defineCause({
  id: 'k3s-node-password-mismatch',
  stage: 'authenticated',
  title: 'k3s or RKE2 knows another password for this node name',
  scope: 'machine',
  signs: {
    rejected: definite(
      ['journal', 'kubelet', 'client-output', 'cloud-init'],
      /Node password rejected\b/,
    ),
    refusedByServer: definite(
      ['journal', 'client-output', 'pod-app'],
      /Node password validation failed for \[?'?(?<name>[\w.-]{1,253})|unable to verify (?:password|hash) for node \[?'?(?<name2>[\w.-]{1,253})/,
    ),
    certificateForbidden: likely(
      ['journal', 'client-output', 'cloud-init'],
      /\/v1-k3s\/(?:node|serving-kubelet|client-kubelet)\.crt: (?:403 Forbidden|https?:\/\/\S+: 403)/,
    ),
    joined: withdraws(
      ['journal', 'kubelet'],
      /msg="(?:Running kubelet |(?:k3s|rke2) agent is up and running)/,
    ),
    toldEntry: likely(
      ['client-output', 'unknown'],
      /\b(?:old|stale|already|existing|earlier)\b.{0,40}\b(?:entry|entries|line)\b.{0,80}\bnode-passwd\b/,
      { isTold: true, anchors: ['node-passwd'] },
    ),
  },
  needs: [],
  symptoms: [],
  summary: ({ machine, name, name2 }) =>
    `The server knows the node name ${name ?? name2 ?? 'of this machine'} with another password, so it gives ${machine ?? 'the machine'} no certificates and it does not join.`,
  remedy: ({ name, name2 }) => [
    step(
      'Delete the old Node and the password that is kept for its name; the next try writes the new one.',
      `kubectl delete node ${name ?? name2 ?? '<node>'} --ignore-not-found && kubectl -n kube-system delete secret ${name ?? name2 ?? '<node>'}.node-password.k3s ${name ?? name2 ?? '<node>'}.node-password.rke2 --ignore-not-found`,
    ),
    step(
      'Where two machines have one name, give each its own: with-node-id in the agent’s configuration.',
      "echo 'with-node-id: true' | sudo tee -a /etc/rancher/k3s/config.yaml && sudo systemctl restart k3s-agent",
    ),
  ],
  decide: step(
    'See which passwords the server keeps, by node name.',
    'kubectl -n kube-system get secrets | grep node-password; kubectl get nodes',
  ),
  page: {
    why: 'At its first join an agent makes up a password (/etc/rancher/node/password) and the server keeps a hash of it under the node’s name, so that nobody else joins under that name. A machine that is built again under the old name, or a second one with the same host name, has another password.',
    prevent:
      'Names that are not used twice (with-node-id, or the instance’s name), or delete the secret together with the Node.',
    notThis:
      'A token that is wrong says “token is not valid” or 401 at /v1-k3s/apiserver-bootstrap. A server that does not answer is a matter of reachability. kubeadm’s own refusal of a used name is existing-node-blocks-rebootstrap.',
    alsoKnownAs: [
      "Node password rejected, duplicate hostname or contents of '/etc/rancher/node/password' may not match server node-passwd entry",
    ],
    refs: [
      'https://github.com/k3s-io/k3s/issues/802',
      'https://github.com/rancher/rke2/issues/4659',
      'https://docs.k3s.io/architecture#how-agent-node-registration-works',
    ],
  },
});
