import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';

/** The token is good, but its group has none of the rights a join needs. */
export default defineCause({
  id: 'bootstrap-group-not-bound',
  stage: 'authenticated',
  title: 'the bootstrap token belongs to a group without the rights to join',
  scope: 'machine',
  signs: {
    configForbidden: definite(
      ['kubeadm', 'cloud-init'],
      /^(?!.*Continuing without it).*configmaps "(?<map>kubeadm-config|kubelet-config[\w.-]*|kube-proxy)" is forbidden: User "system:bootstrap:(?<token>[a-z0-9]{6})" cannot get resource "configmaps"/,
      { anchors: ['is forbidden: User '] },
    ),
    requestForbidden: definite(
      ['kubelet', 'kubeadm', 'cloud-init'],
      /User "(?<user>system:bootstrap:[a-z0-9]{6}|kubelet-bootstrap)" cannot create (?:resource ")?certificatesigningrequests/,
    ),
    kubeletConfigForbidden: definite(
      ['kubeadm', 'cloud-init'],
      /could not download the kubelet configuration from ConfigMap \\?"(?<map>kubelet-config[\w.-]*)\\?": configmaps .{0,80} is forbidden/,
      { anchors: ['could not download the kubelet configuration from ConfigMap'] },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['joined', 'node-registered', 'node-ready'],
  explains: ['failed-user-script'],
  summary: ({ token, user, map }) =>
    `The API server knows the bootstrap ${token === undefined ? `user ${user ?? ''}` : `token ${token}`}, but its group may not ${map === undefined ? 'request a certificate' : `read the ConfigMap ${map}`}; the join ends there.`,
  remedy: () => [
    step(
      'Make a token in the group that kubeadm binds.',
      'kubeadm token create --groups system:bootstrappers:kubeadm:default-node-token --print-join-command',
    ),
    step(
      'When the bindings themselves are gone, write them again (on a control plane machine).',
      'sudo kubeadm init phase bootstrap-token',
    ),
  ],
  decide: step(
    'See which groups of bootstrap tokens are bound.',
    'kubectl get clusterrolebindings,rolebindings -A -o wide | grep -E "bootstrap|kubeadm"',
  ),
  page: {
    why: 'A token brings the groups that are written in its Secret. kubeadm’s roles are bound to system:bootstrappers:kubeadm:default-node-token, so a token made by hand without that group is let in and may do nothing.',
    prevent: 'Create tokens with kubeadm token create.',
    notThis:
      'An unknown token fails earlier, in discovery: expired-bootstrap-token. A user system:anonymous is anonymous-kubelet.',
    refs: [
      'https://github.com/kubernetes/kubernetes/blob/HEAD/cmd/kubeadm/app/util/config/cluster.go',
    ],
  },
});
