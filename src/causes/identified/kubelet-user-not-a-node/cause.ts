import { clear, defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { context } from '../../../diagnosis/sign.ts';

/** The kubelet’s certificate names a user that is no node. */
const cause = defineCause({
  id: 'kubelet-user-not-a-node',
  stage: 'identified',
  title: 'the kubelet’s credential is not a node identity',
  scope: 'machine',
  signs: {
    // What kubectl and programs of people are refused tells of no node.
    plainUser: context(
      ['kubelet'],
      /^(?!.{0,80}(?:Error from server \(Forbidden\)|Error: )).*(?:nodes|pods|services) (?:"[^"]+" )?is forbidden: User "(?<user>(?!system:|arn:aws|kubelet-bootstrap")[^"]+|system:nodes?)" cannot (?:create|list|get|watch) (?:resource "?)?(?:nodes|pods|services)/,
    ),
    onEks: context(['kubelet'], /(?:kubeletVersion="|Version: )v[\d.]+-eks-/, {
      anchors: ['Kubelet version', 'Version: v1.'],
    }),
    // The API server's own log of what it refused; only kubelets are in this group.
    rbacDenied: context(
      ['kube-apiserver'],
      /RBAC DENY: user "(?<user>(?!system:|arn:aws)[^"]{1,200})" groups \[[^\]]{0,200}"system:nodes"[^\]]{0,200}\] cannot "(?:create|list|get|watch|patch|update)" resource "(?:nodes|pods|services|leases|csinodes|runtimeclasses|csidrivers)/,
    ),
  },
  needs: [],
  symptoms: [],
  explains: ['lease-or-csinode-publishing-failed'],
  summary: ({ user, machine }) =>
    `The kubelet of ${machine ?? 'the machine'} calls as the user ${user ?? 'of its certificate'}, which is not system:node:<name>; neither the Node authorizer nor the default roles let it do anything.`,
  remedy: ({ user }) => [
    step(
      'Issue a certificate per node: common name system:node:<node>, organization system:nodes.',
      'sudo kubeadm kubeconfig user --org system:nodes --client-name system:node:<node> > kubelet.conf',
    ),
    step(
      'Until then, bind the old user to the node role.',
      `kubectl create clusterrolebinding kubelet-stop-gap --clusterrole=system:node --user=${user ?? '<user>'}`,
    ),
  ],
  decide: step(
    'Read the subject of the kubelet’s certificate.',
    'sudo openssl x509 -in /var/lib/kubelet/pki/kubelet-client-current.pem -noout -subject',
  ),
  page: {
    why: 'Since Kubernetes 1.8 the role system:node is no longer bound to the group system:nodes; only the Node authorizer speaks for nodes, and it knows them by the user name system:node:<name>. Certificates shared by all kubelets (CN=kubelet) lost their rights with it.',
    prevent: 'TLS bootstrapping, or kubeadm, which both write the right subject.',
    notThis:
      'Where users come from an IAM mapping it is wrong-username-or-groups-mapped. A user system:node:<other> is one of the name causes, such as node-name-differs-from-certificate; system:anonymous is anonymous-kubelet; system:bootstrap:… is bootstrap-group-not-bound.',
    refs: [
      'https://github.com/kubernetes/kubernetes/issues/52711',
      'https://github.com/kubernetes/kops/issues/3551',
    ],
  },
});

export default matched(cause, (view) => {
  const plain = view.sign('plainUser') ?? view.sign('rbacDenied');
  if (plain === null) return null;
  const user = plain.first.captures['user'] ?? '';
  // Users of an EKS cluster come from an IAM mapping, which is another cause.
  const isMapped = view.sign('onEks') !== null || /\bi-[0-9a-f]{8,17}$/.test(user);
  return isMapped ? clear : found({ user }, plain.quotes);
});
