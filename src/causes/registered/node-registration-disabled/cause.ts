import { defineCause } from '../../../diagnosis/cause.ts';

/** The kubelet was told not to create a Node, so none appears and it looks for one for ever. */
export default defineCause({
  id: 'node-registration-disabled',
  stage: 'registered',
  title: 'the kubelet was started with registerNode=false',
  scope: 'machine',
  signs: {
    configured: {
      in: [
        'host-file',
        'kubelet',
        'user-data',
        'nodeadm',
        'cloud-init',
        'kubeadm',
        'nodeup',
        'object',
      ],
      anchors: ['registerNode'],
      pattern: /"?registerNode"?\s*:\s*"?false\b/,
      weight: 'definite',
    },
    flag: {
      in: ['host-file', 'kubelet', 'user-data', 'nodeadm', 'cloud-init', 'kubeadm', 'nodeup'],
      anchors: ['--register-node=', '--register-node false'],
      pattern: /--register-node(?:=| )"?false\b/,
      weight: 'definite',
    },
  },
  needs: [],
  symptoms: ['node-object-missing'],
  explains: ['no-reregistration-after-deletion'],
  summary: ({ machine }) =>
    `The kubelet of ${machine ?? 'the machine'} runs with registerNode=false: it never creates its Node and waits for somebody else to do so.`,
  remedy: () => [
    {
      text: 'Find where it is set.',
      command:
        'sudo grep -rnE "registerNode|register-node" /etc/kubernetes /etc/eks /var/lib/kubelet/config.yaml /etc/systemd/system/kubelet.service.d /etc/default/kubelet',
    },
    {
      text: 'Take it out (true is the default) and restart the kubelet.',
      command: 'sudo systemctl restart kubelet',
    },
  ],
  decide: {
    text: 'Read the setting of the running kubelet.',
    command:
      "sudo grep -rhE 'registerNode|register-node' /var/lib/kubelet/config.yaml /etc/kubernetes /etc/systemd/system/kubelet.service.d",
  },
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
