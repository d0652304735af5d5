import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';

/** kubeadm of a newer minor asks for the Node first, and no RBAC rule lets bootstrap tokens read it. */
export default defineCause({
  id: 'bootstrap-token-without-node-read',
  stage: 'registered',
  title: 'bootstrap tokens may not read Node objects, so kubeadm join stops',
  scope: 'cluster',
  signs: {
    refused: definite(
      ['kubeadm', 'cloud-init', 'client-output'],
      /nodes "(?<joining>[^"\s]+)" is forbidden: User "system:bootstrap:(?<token>[a-z0-9]{6})" cannot get resource "nodes" in API group ""/,
      { anchors: ['system:bootstrap:'] },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['joined', 'node-registered', 'node-ready'],
  summary: ({ joining, token }) =>
    `kubeadm join asks whether a Node ${joining ?? 'of that name'} exists already, and the bootstrap token ${token ?? 'given'} may not read Nodes: the rule that allows it was never created after the control-plane upgrade.`,
  remedy: () => [
    step(
      'On a control-plane node, let kubeadm of the new minor create the rule, then join again.',
      'sudo kubeadm init phase bootstrap-token --skip-token-print',
    ),
    step(
      'Or create it by hand.',
      'kubectl create clusterrole kubeadm:get-nodes --verb=get --resource=nodes && kubectl create clusterrolebinding kubeadm:get-nodes --clusterrole=kubeadm:get-nodes --group=system:bootstrappers:kubeadm:default-node-token',
    ),
  ],
  decide: step(
    'See whether the rule for bootstrap tokens exists.',
    'kubectl get clusterrole,clusterrolebinding kubeadm:get-nodes',
  ),
  page: {
    why: 'Since 1.18 kubeadm join looks for a Node of the same name before it starts the kubelet. The ClusterRole kubeadm:get-nodes that allows this is made by kubeadm init of that minor; clusters upgraded by other means lack it.',
    prevent:
      'Run `kubeadm init phase bootstrap-token` once after each control-plane upgrade that was not done with `kubeadm upgrade apply`.',
    notThis:
      'The token is valid (403, not 401), so it is not expired-bootstrap-token. A Node that does exist and is Ready is duplicate-node-name. `configmaps "kubeadm-config" is forbidden` is a token of another group.',
    alsoKnownAs: [
      'cannot get resource "nodes" in API group "" at the cluster scope',
      'error execution phase kubelet-start: cannot get Node',
    ],
    refs: [
      'https://github.com/kubernetes/kubernetes/issues/89501',
      'https://github.com/kubernetes/kubeadm/issues/2079',
    ],
  },
});
