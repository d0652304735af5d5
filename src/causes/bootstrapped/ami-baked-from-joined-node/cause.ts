import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** The image was made from a machine that had joined and still carries its identity. */
export default defineCause({
  id: 'ami-baked-from-joined-node',
  stage: 'bootstrapped',
  title: 'the image was made from a machine that had already joined',
  scope: 'machine',
  signs: {
    filesThere: {
      in: ['kubeadm', 'cloud-init', 'console'],
      anchors: ['[ERROR FileAvailable--etc-kubernetes-'],
      pattern: /\[ERROR FileAvailable--etc-kubernetes-(?<file>kubelet\.conf|pki-ca\.crt)\]/,
      weight: 'context',
    },
    previousInstance: {
      in: ['cloud-init', 'journal'],
      anchors: ['previous iid found to be i-'],
      pattern: /previous iid found to be (?<previous>i-[0-9a-f]{8,17})\b/,
      weight: 'context',
    },
    thisInstance: {
      in: ['cloud-init', 'journal'],
      anchors: ['/var/lib/cloud/instances/i-'],
      pattern: /\/var\/lib\/cloud\/instances\/(?<current>i-[0-9a-f]{8,17})\b/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: [],
  explains: ['kubeadm-preflight-failed', 'kubelet-without-kubeconfig', 'failed-user-script'],
  match: (view) => matchLeftovers(view),
  summary: ({ machine, previous }) =>
    `The image of ${machine ?? 'the machine'} was made from ${previous ?? 'a machine'} after it had joined; /etc/kubernetes is already there, so this machine does not join.`,
  remedy: () => [
    {
      text: 'On this machine remove what the image carried, then join again.',
      command:
        'sudo kubeadm reset -f && sudo rm -rf /etc/kubernetes /var/lib/kubelet/pki /var/lib/kubelet/kubeconfig /var/lib/cni /run/aws-node',
    },
    {
      text: 'Do the same before every image is made.',
      command:
        'sudo kubeadm reset -f && sudo cloud-init clean --logs --machine-id && sudo rm -rf /var/lib/kubelet/pki /etc/kubernetes /var/lib/cni',
    },
  ],
  decide: {
    text: 'Compare the files’ age with the boot time.',
    command:
      'sudo ls -l --time-style=full-iso /etc/kubernetes /var/lib/kubelet/pki; sudo grep -h "previous iid" /var/log/cloud-init.log; uptime -s',
  },
  page: {
    why: 'An image of a running node contains its certificates, kubeconfig and network state. Every machine from it starts as that node: kubeadm refuses to join over the files, or the kubelet uses a certificate of another machine.',
    prevent:
      'Make images from machines that never joined, or reset them first; boot-test each image.',
    notThis:
      'A second kubeadm join on the same machine meets the same files (kubeadm-preflight-failed). That cloud-init knows another previous instance is usual for custom AMIs and harms nothing by itself.',
    refs: ['https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html'],
  },
});

type Signs = 'filesThere' | 'previousInstance' | 'thisInstance';

/** The files were there at first boot: cloud-init last ran on another instance than this one. */
function matchLeftovers(view: View<never, Signs>): Match | null {
  const files = view.sign('filesThere');
  const before = view.sign('previousInstance');
  const now = view.sign('thisInstance');
  if (files === null || before === null || now === null) return null;
  const previous = before.last.captures['previous'];
  const current = view.instanceId ?? now.last.captures['current'];
  if (previous === current) return null;
  return found(
    { ...files.first.captures, ...before.last.captures },
    [files.first, before.last],
    'likely',
  );
}
