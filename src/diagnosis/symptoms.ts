import type { Stage } from '../evidence/stage.ts';
import type { MilestoneId, MilestoneSign } from './milestones.ts';

/** Something that is plainly wrong but that several causes share; never a headline. */
export interface Symptom {
  readonly id: string;
  readonly stage: Stage;
  /** Completes "The evidence shows …". */
  readonly title: string;
  readonly signs: readonly (MilestoneSign & { readonly atLeast?: number })[];
  readonly withdrawnBy: readonly MilestoneId[];
  /** True when nothing above this stage can work, so that what is seen above is its consequence. */
  readonly blocksAbove: boolean;
}

export const SYMPTOMS = [
  {
    id: 'no-answer-from-metadata',
    stage: 'bootstrapped',
    title: 'a boot program that gets no AWS credentials or no answer from instance metadata',
    signs: [
      {
        in: ['cloud-init', 'nodeadm', 'kubelet', 'journal', 'bottlerocket', 'console', 'nodeup'],
        anchors: [
          'Unable to locate credentials',
          'NoCredentialProviders',
          'request to EC2 IMDS failed',
        ],
        pattern: /Unable to locate credentials|NoCredentialProviders|request to EC2 IMDS failed/,
        strict: true,
      },
    ],
    withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'boot-call-retried',
    stage: 'bootstrapped',
    title: 'a boot program that repeats its first AWS call',
    signs: [
      {
        in: ['nodeadm', 'cloud-init', 'journal', 'bottlerocket'],
        anchors: [
          'retrying request EC2/DescribeInstances',
          'Timed out retrieving private DNS name',
        ],
        pattern: /retrying request EC2\/DescribeInstances|Timed out retrieving private DNS name/,
      },
    ],
    withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'user-data-script-failed',
    stage: 'bootstrapped',
    title: 'a user-data script that ended with an error',
    signs: [
      {
        in: ['cloud-init', 'console', 'journal'],
        anchors: [
          'Failed to run module scripts-user',
          'Failed to run module scripts_user',
          'Failed running /var/lib/cloud',
        ],
        pattern:
          /Failed to run module scripts[-_]user|Failed running \/var\/lib\/cloud\/instance\/scripts\/\S+ \[\d+\]/,
      },
    ],
    withdrawnBy: ['joined', 'node-registered', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'launch-timed-out',
    stage: 'launched',
    title: 'a NodeClaim that was given up because no instance was launched in time',
    signs: [
      {
        in: ['karpenter', 'node-claim', 'event'],
        anchors: ['launch_timeout', 'launch timeout', 'LaunchTimeout'],
        pattern: /launch[_ ]timeout|LaunchTimeout/,
      },
    ],
    withdrawnBy: ['node-registered', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'boot-verdict',
    stage: 'bootstrapped',
    title: 'a node group whose instances did not become nodes in time',
    signs: [
      {
        in: ['aws-message', 'terraform', 'client-output', 'event'],
        anchors: ['NodeCreationFailure', 'Instances failed to join the kubernetes cluster'],
        pattern: /NodeCreationFailure|Instances failed to join the kubernetes cluster/,
      },
    ],
    withdrawnBy: ['node-ready'],
    blocksAbove: false,
  },
  {
    id: 'api-silent',
    stage: 'reachable',
    title: 'an API server that does not answer this machine',
    signs: [
      {
        in: ['kubelet', 'kubeadm', 'nodeup', 'cloud-init', 'bottlerocket'],
        anchors: [
          'context deadline exceeded',
          'Client.Timeout exceeded',
          'i/o timeout',
          'connection refused',
          'TLS handshake timeout',
        ],
        pattern:
          /(?:Unable to register node|Failed to (?:list|watch) \*v1|Failed to ensure lease|couldn't validate the identity of the API Server|failed to get node config from server|failed to request cluster-info|Failed to contact API server).*(?:context deadline exceeded|Client\.Timeout exceeded|i\/o timeout|connection refused|TLS handshake timeout)/,
        atLeast: 3,
      },
      {
        in: ['nodeup', 'kubeadm', 'cloud-init'],
        anchors: [
          'failed to get node config from server',
          'failed to request cluster-info',
          'failed to request the cluster-info',
        ],
        pattern:
          /(?:failed to get node config from server|failed to request (?:the )?cluster-info).*(?:context deadline exceeded|Client\.Timeout exceeded|i\/o timeout|connection refused)/,
      },
    ],
    withdrawnBy: ['api-answered', 'joined', 'node-registered', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'kubelet-unauthorized',
    stage: 'authenticated',
    title: 'an API server that answers the kubelet with 401 Unauthorized',
    signs: [
      {
        in: ['kubelet', 'kubeadm', 'bottlerocket'],
        anchors: ['Unauthorized'],
        pattern:
          /(?:register node|[Ff]ailed to (?:(?:list|watch) \*v1|ensure|contact)|CSINode publishing|lease|kubelet\[\d+\]|kubelet\.go|reflector\.go).*\bUnauthorized\b(?! Exception)/,
      },
      {
        in: ['kubelet', 'kubeadm', 'client-output', 'pod-app'],
        anchors: [
          'You must be logged in to the server',
          'the server has asked for the client to provide credentials',
        ],
        pattern:
          /(?:register node|kubelet).*(?:You must be logged in to the server|the server has asked for the client to provide credentials)/,
      },
    ],
    withdrawnBy: ['node-registered', 'node-ready'],
    blocksAbove: true,
  },
  {
    id: 'instance-not-found',
    stage: 'identified',
    title: 'a cloud provider that finds no instance of the name it was given',
    signs: [
      {
        in: ['kubelet', 'cloud-controller', 'controller-manager', 'kubeadm'],
        anchors: ['instance not found'],
        pattern:
          /cloud ?provider.*instance not found|(?<=node ')(?<node>[a-z0-9][a-z0-9.-]*)'.*instance not found/,
      },
    ],
    withdrawnBy: ['node-registered', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'node-forbidden',
    stage: 'identified',
    title: 'a kubelet that the API server knows under another name',
    signs: [
      {
        in: ['kubelet', 'kubeadm'],
        anchors: ['is not allowed to modify node', 'cannot modify node'],
        pattern: /node "?[a-z0-9][a-z0-9.-]*"? (?:is not allowed to|cannot) modify node/,
      },
    ],
    withdrawnBy: ['node-registered', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'node-object-missing',
    stage: 'registered',
    title: 'a kubelet whose Node object does not come to exist',
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
    title: 'a Node that still carries the taint of a cloud provider that has not initialised it',
    signs: [
      {
        in: ['node-status', 'event'],
        anchors: ['node.cloudprovider.kubernetes.io/uninitialized'],
        pattern: /node\.cloudprovider\.kubernetes\.io\/uninitialized/,
      },
    ],
    withdrawnBy: ['node-ready'],
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
    ],
    withdrawnBy: ['node-registered', 'node-ready'],
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
    title: 'a pod network plugin that has not come up',
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
    withdrawnBy: ['networking-initialised', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'cni-daemon-silent',
    stage: 'networked',
    title: 'a VPC CNI daemon that does not come up',
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
    withdrawnBy: ['networking-initialised', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'sandbox-not-created',
    stage: 'networked',
    title: 'pods whose sandbox is not created',
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
    title: 'images that are not pulled',
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
    title: 'pods that find no node',
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
] as const satisfies readonly Symptom[];

export type SymptomId = (typeof SYMPTOMS)[number]['id'];
