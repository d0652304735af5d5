import { clear, defineCause, found, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';
import { foreseenByKubeadm } from '../../../diagnosis/foreseen-kubeadm.ts';
import { NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { kubeletFlag } from '../../../domain/planned/kubeadm.ts';

/** The kubelet was told not to create a Node, so none appears and it looks for one for ever. */
const judged = defineCause({
  id: 'node-registration-disabled',
  stage: 'registered',
  title: 'the kubelet was started with registerNode=false',
  scope: 'machine',
  signs: {
    configured: definite(
      ['host-file', 'kubelet', 'user-data', 'nodeadm', 'cloud-init', 'kubeadm', 'nodeup', 'object'],
      /"?registerNode"?\s*:\s*"?false\b/,
    ),
    flag: definite(
      ['host-file', 'kubelet', 'user-data', 'nodeadm', 'cloud-init', 'kubeadm', 'nodeup'],
      /--register-node(?:=| )"?false\b/,
      { anchors: ['--register-node=', '--register-node false'] },
    ),
  },
  needs: [],
  symptoms: ['node-object-missing'],
  explains: ['no-reregistration-after-deletion'],
  summary: ({ machine }) =>
    `The kubelet of ${machine ?? 'the machine'} runs with registerNode=false: it never creates its Node and waits for somebody else to do so.`,
  remedy: () => [
    step(
      'Find where it is set.',
      'sudo grep -rnE "registerNode|register-node" /etc/kubernetes /etc/eks /var/lib/kubelet/config.yaml /etc/systemd/system/kubelet.service.d /etc/default/kubelet',
    ),
    step(
      'Take it out (true is the default) and restart the kubelet.',
      'sudo systemctl restart kubelet',
    ),
  ],
  decide: step(
    'Read the setting of the running kubelet.',
    "sudo grep -rhE 'registerNode|register-node' /var/lib/kubelet/config.yaml /etc/kubernetes /etc/systemd/system/kubelet.service.d",
  ),
  page: {
    why: 'With registerNode=false the kubelet only updates a Node that an administrator made. Standalone and test set-ups use it; copied into a worker’s configuration it keeps the machine out of the cluster without any line that says so.',
    prevent: 'Leave the field out of shared kubelet configurations.',
    notThis:
      'The journal has `node not found` but never `Attempting to register node`. With attempts it is an authenticated- or identified-stage cause or webhook-blocks-node-registration; after an earlier success it is no-reregistration-after-deletion.',
    refs: [
      'https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/',
      'https://github.com/kubernetes/kubernetes/blob/HEAD/pkg/kubelet/kubelet_node_status.go',
    ],
  },
});

export default foreseenByKubeadm(
  judged,
  (plan, { fact, own }) => {
    const flag = kubeletFlag(own, 'register-node');
    if (own.kubelet?.registersNode === false)
      return found({}, [plan.quote(fact, 'KubeletConfiguration registerNode false')]);
    if (flag === 'false')
      return found({}, [plan.quote(fact, 'kubeletExtraArgs register-node false')]);
    return own.kubelet === null || flag === undefined ? NOT_SHOWN : clear;
  },
  {
    summary: ({ planned }) =>
      `The kubelet of ${planned ?? 'the machine'} will never create its Node, because registerNode is false.`,
    remedy: () => [step('Take registerNode out of the KubeletConfiguration; true is the default.')],
  },
);
