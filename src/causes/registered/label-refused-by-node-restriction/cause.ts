import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';

/** The API server's NodeRestriction plugin refuses a Node because of labels or taints its kubelet sets. */
export default defineCause({
  id: 'label-refused-by-node-restriction',
  stage: 'registered',
  title: 'the API server refuses labels that the kubelet may not set on its own Node',
  scope: 'machine',
  signs: {
    refusedAtRegistration: definite(
      ['kubelet', 'kubeadm', 'cloud-init', 'nodeadm', 'bottlerocket', 'client-output'],
      /is not allowed to set the following labels: (?<labels>[\w./-]+(?:, [\w./-]+)*)/,
    ),
    refusedLater: definite(
      ['kubelet', 'kubeadm', 'cloud-init', 'nodeadm', 'bottlerocket', 'client-output'],
      /is not allowed to modify labels: (?<labels>[\w./-]+(?:, [\w./-]+)*)/,
    ),
    refusedTaints: likely(
      ['kubelet', 'kubeadm', 'cloud-init', 'nodeadm', 'bottlerocket', 'client-output'],
      /is not allowed to modify taints/,
    ),
    refusedByNodeGroup: likely(
      ['aws-message', 'terraform', 'client-output'],
      /\bKubernetesLabelInvalid\b/,
    ),
  },
  needs: [],
  symptoms: ['node-object-missing'],
  summary: ({ machine, labels }) =>
    `The kubelet of ${machine ?? 'the machine'} sets ${labels === undefined ? 'labels or taints' : `the labels ${labels}`} that NodeRestriction does not allow it to set, so the API server refuses the Node.`,
  remedy: ({ node, labels }) => [
    step(
      'Take these labels out of --node-labels (user data, NodeConfig, node group or NodePool); allowed are own domains and the prefixes node.kubernetes.io/ and kubelet.kubernetes.io/.',
      'systemctl cat kubelet | grep -e --node-labels; sudo grep -rn node-labels /etc/eks /etc/systemd/system/kubelet.service.d',
    ),
    step(
      'Where the label is wanted, let an administrator or a controller set it after the join.',
      `kubectl label node ${node ?? '<node>'} ${labels?.split(',')[0]?.replace(/^'/, '') ?? '<label>'}=<value>`,
    ),
  ],
  decide: step(
    'Read which labels the API server refuses.',
    'journalctl -u kubelet --no-pager | grep -E "not allowed to (set|modify)" | tail -n 5',
  ),
  page: {
    why: 'The admission plugin NodeRestriction lets a kubelet label its own Node only with names that cannot attract other people’s workloads. node-restriction.kubernetes.io/ and most kubernetes.io names are reserved for administrators.',
    prevent:
      'Label nodes with a custom domain (`team.example.com/pool`), and give roles by a controller.',
    notThis:
      'A kubelet that exits by itself with `unknown kubernetes.io or k8s.io labels specified` is reserved-label-in-kubelet-flags; this refusal comes from the server. `is not allowed to modify node "…"` is about the name, an identified-stage cause.',
    alsoKnownAs: [
      'is not allowed to set the following labels',
      'node-role.kubernetes.io forbidden',
    ],
    refs: [
      'https://github.com/kubernetes/kubernetes/blob/HEAD/plugin/pkg/admission/noderestriction/admission.go',
      'https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction',
    ],
  },
});
