import type { Symptom } from './symptom.ts';

/** What is plainly wrong before the Node exists: from the launch to its names. */
export const SYMPTOMS_OF_BOOT = [
  {
    id: 'no-answer-from-metadata',
    stage: 'bootstrapped',
    title: 'a boot program without AWS credentials or instance metadata',
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
      {
        // Hybrid nodes run a helper where EC2 asks metadata.
        in: ['nodeadm', 'kubelet', 'journal', 'cloud-init'],
        anchors: ['error in credential_process'],
        pattern: /process provider error: error in credential_process/,
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
    // Never printed: `seen-groups.ts` sees it in the sizes of groups.
    id: 'group-cannot-launch',
    stage: 'launched',
    title: 'a group with fewer machines than desired',
    signs: [],
    withdrawnBy: [],
    blocksAbove: false,
  },
  {
    id: 'launch-timed-out',
    stage: 'launched',
    title: 'a NodeClaim whose instance was not launched in time',
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
    title: 'a node group whose instances did not join in time',
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
        // Each such line is half a minute of silence; refusals come within milliseconds of a start.
        in: ['kubelet'],
        anchors: ['Unable to register node'],
        pattern:
          /Unable to register node.*\/api\/v1\/nodes.*(?:i\/o timeout|Client\.Timeout exceeded|TLS handshake timeout)/,
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
          /^(?!.*(?:[Pp]ull(?:ing)? (?:image|and unpack|from host)|sandbox image|manifests|\.dkr\.ecr\.)).*(?:register node|[Ff]ailed to (?:(?:list|watch) \*v1|ensure|contact)|CSINode publishing|lease|kubelet\[\d+\]|kubelet\.go|reflector\.go).*\bUnauthorized\b(?! Exception)/,
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
    title: 'a cloud provider that finds no instance with that name',
    signs: [
      {
        in: ['kubelet', 'cloud-controller', 'controller-manager', 'kubeadm'],
        anchors: ['instance not found'],
        pattern:
          /error syncing '(?<node2>[a-z0-9][a-z0-9.-]*)': failed .*instance not found|cloud ?provider.*instance not found|(?<=node ')(?<node>[a-z0-9][a-z0-9.-]*)'.*instance not found/,
      },
    ],
    withdrawnBy: ['node-registered', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'node-forbidden',
    stage: 'identified',
    title: 'a kubelet that authenticates under a different name',
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
    id: 'kubelet-credentials-missing',
    stage: 'bootstrapped',
    title: 'a kubelet that exits without a usable kubeconfig or bootstrap kubeconfig',
    signs: [
      {
        in: ['kubelet'],
        anchors: ['unable to load bootstrap kubeconfig'],
        pattern: /unable to load bootstrap kubeconfig: stat \S+: no such file or directory/,
      },
    ],
    withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'cluster-not-described',
    stage: 'bootstrapped',
    title: 'a bootstrap.sh whose DescribeCluster calls fail',
    signs: [
      {
        in: ['cloud-init', 'console'],
        anchors: ['Exhausted retries while describing cluster'],
        pattern: /Exhausted retries while describing cluster/,
      },
    ],
    withdrawnBy: ['joined', 'node-registered', 'node-ready'],
    blocksAbove: false,
  },
  {
    id: 'nodeadm-not-executed',
    stage: 'bootstrapped',
    title: 'a nodeadm unit that systemd may not execute',
    signs: [
      {
        in: ['journal', 'console', 'nodeadm'],
        anchors: ['status=203/EXEC', 'bin/nodeadm: Permission denied'],
        pattern:
          /nodeadm-[\w-]+\.service: Main process exited, code=exited, status=203\/EXEC|\/nodeadm: Permission denied/,
      },
    ],
    withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
    blocksAbove: false,
  },
] as const satisfies readonly Symptom[];
