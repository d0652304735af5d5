import { defineCause } from '../../../diagnosis/cause.ts';

/** The kubelet asked for its client certificate and nobody approved or signed the request. */
export default defineCause({
  id: 'unapproved-client-csr',
  stage: 'authenticated',
  title: 'the kubelet’s request for a client certificate is not approved or not signed',
  scope: 'cluster',
  signs: {
    pending: {
      in: ['client-output', 'object', 'machine-approver', 'controller-manager'],
      anchors: ['system:bootstrap:', 'openshift-machine-config-operator:node-bootstrapper'],
      pattern:
        /\b(?<csr>(?:node-)?csr-[\w-]+)\s+(?:\d+d)?(?:\d+h)?(?:\d+m)?(?<=[dhm])(?:\d+s)?\s+(?:kubernetes\.io\/kube-apiserver-client-kubelet\s+)?(?:system:bootstrap:[a-z0-9]{6}|system:serviceaccount:openshift-machine-config-operator:node-bootstrapper)\s+(?:\S+\s+)?Pending\b/,
      weight: 'definite',
    },
    notIssued: {
      in: ['client-output', 'object'],
      anchors: ['system:bootstrap:', 'openshift-machine-config-operator:node-bootstrapper'],
      pattern:
        /\b(?<csr>(?:node-)?csr-[\w-]+)\s+(?:\d+d)?(?:\d+h)?(?:\d+m)?(?<=[dhm])(?:\d+s)?\s+(?:kubernetes\.io\/kube-apiserver-client-kubelet\s+)?(?:system:bootstrap:[a-z0-9]{6}|system:serviceaccount:openshift-machine-config-operator:node-bootstrapper)\s+(?:\S+\s+)?(?<approved>Approved)\s*$/,
      weight: 'definite',
    },
    waitedInVain: {
      in: ['kubelet'],
      anchors: ['ertificate request was not signed'],
      pattern: /kube-apiserver-client-kubelet: [Cc]ertificate request was not signed/,
      weight: 'likely',
    },
  },
  needs: [],
  symptoms: [],
  explains: ['anonymous-kubelet'],
  summary: ({ csr, approved }) =>
    approved === undefined
      ? `The certificate request ${csr ?? 'of the kubelet'} waits for approval; until then the kubelet has no credential.`
      : `The certificate request ${csr ?? 'of the kubelet'} is approved but no certificate was issued; the signer in kube-controller-manager does not work.`,
  remedy: ({ csr, approved }) => [
    approved === undefined
      ? {
          text: 'Approve it, if you know the machine.',
          command: `kubectl certificate approve ${csr ?? '<csr>'}`,
        }
      : {
          text: 'See why nothing is signed.',
          command:
            'kubectl -n kube-system logs -l component=kube-controller-manager --tail=200 | grep -iE "certificate|signing"',
        },
    {
      text: 'Restore the automatic approval that kubeadm binds.',
      command:
        'kubectl create clusterrolebinding kubeadm:node-autoapprove-bootstrap --clusterrole=system:certificates.k8s.io:certificatesigningrequests:nodeclient --group=system:bootstrappers:kubeadm:default-node-token',
    },
  ],
  decide: {
    text: 'List certificate requests and their condition.',
    command: 'kubectl get csr',
  },
  page: {
    why: 'Two controllers in kube-controller-manager approve and sign. The approver needs a binding for the group of the token, the signer the CA’s key; one of them switched off leaves the request as it is.',
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
