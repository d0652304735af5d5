import { defineCause, step } from '../../../diagnosis/cause.ts';
import { likely } from '../../../diagnosis/sign.ts';

/** The kubelet calls the API server without any credential. */
export default defineCause({
  id: 'anonymous-kubelet',
  stage: 'authenticated',
  title: 'the kubelet presents no credential and counts as system:anonymous',
  scope: 'machine',
  signs: {
    mayNotRegister: likely(
      ['kubelet', 'bottlerocket'],
      /(?:nodes|node "?[a-z0-9.-]+"?) is forbidden: User "system:anonymous" cannot create (?:resource "nodes"|nodes)/,
      { anchors: ['is forbidden: User '] },
    ),
    mayNotList: likely(
      ['kubelet', 'bottlerocket'],
      /(?:[Ff]ailed to (?:list|watch) \*v1\.\w|lease exists|CSINode publishing).*is forbidden: User "system:anonymous" cannot /,
      { atLeast: 3, enoughOnce: 'alone' },
    ),
  },
  needs: [],
  symptoms: [],
  explains: ['lease-or-csinode-publishing-failed', 'kubelet-user-not-a-node'],
  summary: ({ machine }) =>
    `The kubelet of ${machine ?? 'the machine'} sends no credential, so the API server takes it for system:anonymous and forbids it to register.`,
  remedy: () => [
    step(
      'See which credential the kubeconfig names, and whether the file is there and not empty.',
      "sudo grep -A12 '^users' /var/lib/kubelet/kubeconfig /etc/kubernetes/kubelet.conf; sudo ls -l /var/lib/kubelet/pki",
    ),
    step(
      'On OpenShift, approve the waiting certificate requests (client first, then serving).',
      'oc get csr -o name | xargs oc adm certificate approve',
    ),
    step(
      'Else run the bootstrap of the machine again.',
      'sudo kubeadm reset -f && sudo kubeadm join <join-arguments>',
    ),
  ],
  decide: step(
    'Read the user section of the kubelet’s kubeconfig.',
    "sudo grep -A12 '^users' /var/lib/kubelet/kubeconfig /etc/kubernetes/kubelet.conf",
  ),
  page: {
    why: 'A kubeconfig with an empty user, or a certificate file that is missing or was never issued, makes the kubelet connect without identity. The API server lets anonymous callers in and forbids them everything.',
    prevent:
      'Check the kubeconfig before the kubelet is started; approve certificate requests automatically.',
    notThis:
      '401 Unauthorized means that a credential was sent and refused. On OpenShift this passes as soon as the request is approved: unapproved-client-csr, csr-refused-by-machine-approver.',
    refs: [
      'https://github.com/openshift-metal3/dev-scripts/issues/597',
      'https://github.com/kubernetes/kubernetes/issues/114813',
    ],
  },
});
