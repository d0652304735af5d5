import { defineCause } from '../../../diagnosis/cause.ts';

/** The cluster’s pod range is used up or nobody divides it, so the Node gets no part of it. */
export default defineCause({
  id: 'pod-cidr-not-assigned',
  stage: 'networked',
  title: 'the node gets no pod range',
  scope: 'cluster',
  signs: {
    noneLeft: {
      in: ['controller-manager', 'cloud-controller', 'event'],
      anchors: ['CIDR allocation failed', 'CIDRNotAvailable', 'no remaining CIDRs left'],
      pattern: /CIDR allocation failed; there are no remaining CIDRs left|\bCIDRNotAvailable\b/,
      weight: 'definite',
    },
    cniWaits: {
      in: ['pod-app', 'kubelet'],
      anchors: ['pod cidr not assigned'],
      pattern: /node "(?<nodeName>[^"\s]+)" pod cidr not assigned/,
      weight: 'likely',
    },
    cniUnconfigured: {
      in: ['kubelet'],
      anchors: ['This is most likely due to lack of PodCIDR', 'lack of PodCIDR'],
      pattern: /netConfig. This is most likely due to lack of PodCIDR/,
      weight: 'likely',
      atLeast: 20,
    },
    leased: {
      in: ['pod-app'],
      anchors: ['Found network config', 'Running backend', 'Lease acquired'],
      pattern: /Running backend\.|Lease acquired/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['cni-uninitialized'],
  withdrawnBy: [],
  explains: ['cni-configuration-missing', 'pod-route-not-created'],
  summary: ({ nodeName }) =>
    `The Node ${nodeName ?? ''} gets no part of the cluster’s pod range, so a CNI that relies on it (flannel, kubenet, host-local) gives pods no addresses.`.replace(
      '  ',
      ' ',
    ),
  remedy: () => [
    {
      text: 'See which nodes have a range, and delete Node objects of machines that are gone: they keep theirs.',
      command:
        "kubectl get nodes -o custom-columns='NAME:.metadata.name,CIDR:.spec.podCIDR,AGE:.metadata.creationTimestamp'",
    },
    {
      text: 'Where no node has one, let the controller manager divide a range: --allocate-node-cidrs=true and --cluster-cidr (kubeadm: networking.podSubnet).',
      command:
        "kubectl -n kube-system get pods -l component=kube-controller-manager -o yaml | grep -E 'allocate-node-cidrs|cluster-cidr|node-cidr-mask'",
    },
    {
      text: 'Where it is used up, a larger range or a smaller part per node needs new Node objects.',
      command: null,
    },
  ],
  decide: {
    text: 'List the ranges of the nodes.',
    command: "kubectl get nodes -o custom-columns='NAME:.metadata.name,CIDR:.spec.podCIDR'",
  },
  page: {
    why: 'The controller manager gives each Node a part of --cluster-cidr. A /16 with a /24 a node is enough for 256 Node objects, dead ones counted.',
    prevent:
      'Choose the range by the number of nodes; let Node objects of terminated instances be deleted.',
    notThis:
      'CNIs with addresses of their own (VPC CNI, Calico, Cilium in cluster-pool mode) need no podCIDR. A range without a route is pod-route-not-created.',
    alsoKnownAs: [
      'CIDRNotAvailable',
      'Error registering network: failed to acquire lease: node pod cidr not assigned',
    ],
    refs: ['https://github.com/kubernetes/kubernetes/tree/HEAD/pkg/controller/nodeipam'],
  },
});
