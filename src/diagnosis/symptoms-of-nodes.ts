import type { Symptom } from './symptom.ts';

/** What is plainly wrong with a Node or its pods: from registration on. */
export const SYMPTOMS_OF_NODES = [
  {
    // Never printed: `facts-of-standing.ts` sees it in the lists of instances and Nodes.
    id: 'machine-without-node',
    stage: 'registered',
    title: 'a running instance of the cluster that has no Node',
    signs: [],
    withdrawnBy: [],
    blocksAbove: false,
  },
  {
    id: 'node-object-missing',
    stage: 'registered',
    title: 'a kubelet that does not get its Node registered',
    signs: [
      {
        in: ['kubelet'],
        anchors: [
          'Error getting node',
          'Error getting the current node from lister',
          'not yet joined cluster',
        ],
        pattern: /Error getting (?:the current )?node\b.*\bnot found/,
        atLeast: 10,
      },
      {
        in: ['client-output', 'nodeup', 'unknown'],
        anchors: ['has not yet joined cluster'],
        pattern: /machine "?(?<instance>i-[0-9a-f]{8,17})"? has not yet joined cluster/,
      },
      {
        in: ['karpenter', 'node-claim', 'event'],
        anchors: ['Node not registered with cluster', 'Registered=Unknown', 'Node not found'],
        pattern:
          /Node not registered with cluster|condition Registered=Unknown.*NodeNotFound|condition Registered=False/,
      },
    ],
    withdrawnBy: ['node-registered', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'node-uninitialized',
    stage: 'registered',
    title: 'a Node that the cloud provider has not initialized',
    signs: [
      {
        in: ['node-status', 'event'],
        anchors: ['node.cloudprovider.kubernetes.io/uninitialized'],
        pattern: /node\.cloudprovider\.kubernetes\.io\/uninitialized/,
      },
    ],
    // A Node is Ready long before, and beside its taint.
    withdrawnBy: ['node-initialised'],
    blocksAbove: false,
  },
  {
    id: 'node-object-deleted',
    stage: 'retained',
    title: 'a Node object that was deleted while its machine runs',
    signs: [
      {
        in: ['event', 'cloud-controller', 'controller-manager'],
        anchors: ['DeletingNode', 'Deleting Node', 'deleting node since', 'Deleting node'],
        pattern:
          /[Dd]eleting [Nn]ode (?:since it is no longer present in cloud provider: (?<node>[a-z0-9][a-z0-9.-]*)|(?<node2>[a-z0-9][a-z0-9.-]*) because)|DeletingNode(?!.*[Dd]eleting [Nn]ode )/,
      },
      {
        // A kubelet only asks for the Node that it registered, so there was one.
        in: ['kubelet'],
        anchors: ['Error updating node status, will retry'],
        pattern:
          /Error updating node status, will retry.*(?:nodes "[^"\s]+" not found|no node instance returned for )/,
        // The first try of a round asks a cache, which may not have a new Node yet.
        atLeast: 2,
      },
    ],
    withdrawnBy: ['node-registered', 'node-initialised', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'node-not-ready',
    stage: 'networked',
    title: 'a Node that is not Ready',
    signs: [
      {
        in: ['event', 'kubelet', 'controller-manager'],
        anchors: ['status is now: NodeNotReady'],
        pattern: /Node (?<node>[a-z0-9][a-z0-9.-]*) status is now: NodeNotReady/,
      },
      {
        in: ['node-status'],
        anchors: ['condition Ready=False', 'condition Ready=Unknown'],
        pattern: /^Node (?<node>\S+) condition Ready=(?:False|Unknown)/,
        strict: true,
      },
    ],
    withdrawnBy: ['node-ready'],
    blocksAbove: false,
  },
  {
    id: 'cni-uninitialized',
    stage: 'networked',
    title: 'a CNI plugin that is not initialized',
    signs: [
      {
        in: ['kubelet', 'node-status', 'event', 'containerd'],
        anchors: [
          'cni plugin not initialized',
          'cni config uninitialized',
          'No networks found in',
          'no networks found in',
        ],
        pattern:
          /cni plugin not initialized|cni config uninitialized|[Nn]o networks found in \/etc\/cni/,
        atLeast: 3,
      },
    ],
    withdrawnBy: ['networking-initialized', 'node-ready', 'pod-started'],
    blocksAbove: false,
  },
  {
    id: 'cni-daemon-silent',
    stage: 'networked',
    title: 'a VPC CNI daemon (ipamd) that does not start',
    signs: [
      {
        in: ['aws-node', 'ipamd'],
        anchors: [
          'Timed out waiting for IPAM daemon',
          'Initialization failure',
          'Retrying waiting for IPAM-D',
        ],
        pattern:
          /Timed out waiting for IPAM daemon|Initialization failure|Retrying waiting for IPAM-D/,
      },
    ],
    withdrawnBy: ['networking-initialized', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'sandbox-not-created',
    stage: 'networked',
    title: 'pods whose sandbox cannot be created',
    signs: [
      {
        in: ['event', 'kubelet', 'containerd', 'pod-status'],
        anchors: ['create pod sandbox', 'CreatePodSandbox'],
        pattern: /[Ff]ailed (?:to )?create pod sandbox|CreatePodSandbox.*(?:failed|error)/,
      },
    ],
    withdrawnBy: ['pod-started'],
    blocksAbove: false,
  },
  {
    id: 'image-not-pulled',
    stage: 'networked',
    title: 'images that cannot be pulled',
    signs: [
      {
        in: ['event', 'kubelet', 'containerd', 'pod-status'],
        anchors: ['no basic auth credentials', 'ErrImagePull', 'ImagePullBackOff'],
        pattern: /no basic auth credentials|ErrImagePull|ImagePullBackOff/,
      },
    ],
    withdrawnBy: ['pod-started'],
    blocksAbove: false,
  },
  {
    id: 'pod-without-identity',
    stage: 'credentialed',
    title: 'a pod that does not get its AWS identity',
    signs: [
      {
        in: [
          'pod-app',
          'unknown',
          'karpenter',
          'kiam-agent',
          'kube2iam',
          'pod-identity-agent',
          'csi-driver',
        ],
        anchors: [
          'NoCredentialProviders: no valid providers',
          'Unable to locate credentials',
          'Failed to retrieve credentials',
          'failed to retrieve credentials',
          'perform sts:AssumeRoleWithWebIdentity',
        ],
        pattern:
          /NoCredentialProviders: no valid providers|Unable to locate credentials|[Ff]ailed to retrieve credentials|perform sts:AssumeRoleWithWebIdentity/,
        strict: true,
      },
      {
        in: ['unknown', 'pod-app', 'csi-driver', 'ipamd', 'aws-node'],
        anchors: [
          'no EC2 IMDS role found',
          'failed to introspect vpcID',
          'WebIdentityErr',
          'get credentials: failed to refresh cached credentials',
        ],
        pattern:
          /no EC2 IMDS role found|failed to introspect vpcID|WebIdentityErr|get credentials: failed to refresh cached credentials(?!, process provider error)/,
      },
      {
        in: ['kiam-agent', 'kiam-server'],
        anchors: ['error processing request'],
        pattern: /error processing request/,
      },
    ],
    withdrawnBy: [],
    blocksAbove: false,
  },
  {
    id: 'pod-not-scheduled',
    stage: 'usable',
    title: 'pods that fit on no node',
    signs: [
      {
        in: ['event'],
        anchors: ['nodes are available'],
        pattern: /\b0\/\d+ nodes are available/,
      },
    ],
    withdrawnBy: [],
    blocksAbove: false,
  },
  {
    // Never printed: `seen-symptoms.ts` sees it in the Node.
    id: 'node-cordoned',
    stage: 'usable',
    title: 'a cordoned Node',
    signs: [],
    withdrawnBy: [],
    blocksAbove: false,
  },
  {
    id: 'eni-not-attached',
    stage: 'networked',
    title: 'an instance to which EC2 attaches no more ENIs',
    signs: [
      {
        in: ['ipamd', 'aws-node', 'event'],
        anchors: ['AttachmentLimitExceeded'],
        pattern: /AttachmentLimitExceeded/,
      },
    ],
    withdrawnBy: [],
    blocksAbove: false,
  },
  {
    id: 'eniconfig-not-used',
    stage: 'networked',
    title: 'custom networking for which the CNI finds no ENIConfig',
    signs: [
      {
        in: ['ipamd', 'aws-node'],
        anchors: [
          'Failed to get pod ENI config',
          'No ENIConfig could be found',
          'eniconfig is not available',
        ],
        pattern:
          /Failed to get pod ENI config|No ENIConfig could be found|eniconfig is not available/,
      },
    ],
    withdrawnBy: [],
    blocksAbove: false,
  },
  {
    id: 'calico-not-ready',
    stage: 'networked',
    title: 'a calico-node whose readiness probe keeps failing',
    signs: [
      {
        in: ['event', 'calico-node', 'kubelet'],
        anchors: ['calico/node is not ready', 'BGP peering established = 0'],
        pattern:
          /\(x(?:[2-9]\d|\d{3,}) over [^)]{0,40}\).{0,200}probe failed:.{0,400}(?:calico\/node is not ready|BGP peering established = 0)/,
      },
    ],
    withdrawnBy: [],
    blocksAbove: false,
  },
] as const satisfies readonly Symptom[];
