import { defineCause } from '../../../diagnosis/cause.ts';

/** A shell part of the user data ended with an error, and with it the node's setup. */
export default defineCause({
  id: 'failed-user-script',
  stage: 'bootstrapped',
  title: 'the user-data script failed before the node was set up',
  scope: 'machine',
  signs: {
    scriptFailed: {
      in: ['cloud-init', 'console'],
      anchors: ['Failed running /var/lib/cloud/instance/scripts/'],
      pattern:
        /Failed running (?<script>\/var\/lib\/cloud\/instance\/scripts\/[^\s[]+) \[(?<code>-?\d+)\]/,
      weight: 'likely',
    },
    moduleFailed: {
      in: ['cloud-init', 'console'],
      anchors: ['Failed to run module scripts-user', 'Failed to run module scripts_user'],
      pattern: /Failed to run module scripts[-_]user/,
      weight: 'likely',
    },
    optionExecuted: {
      in: ['cloud-init', 'console'],
      anchors: ['command not found'],
      pattern:
        /(?<script>\/instance\/scripts\/\S+): line \d+: (?<option>--[a-z][a-z0-9-]*[a-z0-9]): command not found/,
      weight: 'likely',
    },
    bootstrapDone: {
      in: ['cloud-init', 'console', 'kubeadm'],
      anchors: ['[eks-bootstrap] INFO: complete', 'This node has joined the cluster'],
      pattern: /\[eks-bootstrap\] INFO: complete|This node has joined the cluster/,
      weight: 'clears',
    },
    joinRefused: {
      in: ['kubeadm', 'cloud-init', 'console'],
      anchors: ['error execution phase', 'validate the identity of the API'],
      pattern: /error execution phase|couldn't validate the identity of the API Server/,
      weight: 'clears',
    },
    kubeletRuns: {
      in: ['kubelet', 'event'],
      anchors: [
        'Starting kubelet main sync loop',
        'Observed pod startup duration',
        'status is now: NodeReady',
      ],
      pattern:
        /Starting kubelet main sync loop|Observed pod startup duration|status is now: NodeReady/,
      weight: 'clears',
      strict: true,
    },
  },
  needs: [],
  symptoms: ['boot-verdict'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, script, code, option }) =>
    `The user-data script ${script ?? ''} of ${machine ?? 'the machine'} ${option === undefined ? `ended with ${code === undefined ? 'an error' : `exit code ${code}`}` : `ran the option ${option} as a command (a line continuation is lost)`}, so the node was not set up by it.`.replace(
      '  ',
      ' ',
    ),
  remedy: () => [
    {
      text: 'Read what the script said last; the first error stands above cloud-init’s own warning.',
      command: 'sudo tail -n 80 /var/log/cloud-init-output.log',
    },
    {
      text: 'Give downloads and package installs a timeout and retries, or bake them into the image; then publish a new launch template version and replace the machine.',
      command: null,
    },
  ],
  decide: {
    text: 'Read the end of cloud-init’s output and its verdict.',
    command: 'sudo tail -n 80 /var/log/cloud-init-output.log; cloud-init status --long',
  },
  page: {
    why: 'On Amazon Linux 2 the user-data script itself calls bootstrap.sh, mostly under set -e: whatever fails before that call keeps the kubelet from being configured. On AL2023 nodeadm-run starts only after cloud-init has ended, so a script that hangs holds the node up as well.',
    prevent:
      'Put nothing into user data that needs the internet; test the script on the very image; end it with the bootstrap call.',
    notThis:
      'cloud-init prints the same warning whatever the script did: where the script’s own words name the reason (describe-cluster-failed, wrong-cluster-name-in-user-data, root-volume-full-at-boot, kubeadm-preflight-failed), that is the cause. A script that fails after bootstrap.sh said “complete!” does not keep the node away.',
    alsoKnownAs: [
      'Failed to run module scripts-user',
      'util.py[WARNING]: Failed running /var/lib/cloud/instance/scripts/part-001 [1]',
    ],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/tree/HEAD/templates/al2023/runtime/rootfs/etc/systemd/system',
      'https://github.com/awslabs/amazon-eks-ami/issues/2123',
    ],
  },
});
