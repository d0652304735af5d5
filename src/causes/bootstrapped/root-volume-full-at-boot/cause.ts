import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** The root volume is full before the node is set up. */
export default defineCause({
  id: 'root-volume-full-at-boot',
  stage: 'bootstrapped',
  title: 'the root volume is full during the setup',
  scope: 'machine',
  signs: {
    setupFull: {
      in: ['cloud-init', 'nodeadm', 'nodeup', 'kubeadm'],
      anchors: ['o space left on device'],
      pattern: /(?<path>(?<![\w./-])\/[\w./-]+)?['"]?:? ?[Nn]o space left on device/,
      weight: 'likely',
      strict: true,
    },
    packagesTooLarge: {
      in: ['cloud-init', 'nodeup', 'kubeadm'],
      anchors: ['more space needed on the', 'enough free space in /var/cache/apt'],
      pattern:
        /At least \d+[MG]B more space needed on the (?<path>\/\S*) filesystem|E: You don't have enough free space in (?<archives>\/var\/cache\/apt\S*[^\s.])/,
      weight: 'likely',
    },
    kubeletEnds: {
      in: ['kubelet'],
      anchors: ['o space left on device'],
      pattern:
        /"command failed" err="[^"]*?(?:(?:write|mkdir|open) (?<path>\/[\w./-]+): )?[Nn]o space left on device/,
      weight: 'likely',
    },
    runtimeFull: {
      in: ['containerd', 'kubelet'],
      anchors: ['o space left on device'],
      pattern: /[Nn]o space left on device/,
      weight: 'context',
      strict: true,
    },
    registeredBefore: {
      in: ['kubelet', 'event'],
      anchors: [
        'Successfully registered node',
        'was previously registered',
        'status is now: NodeReady',
      ],
      pattern: /Successfully registered node|was previously registered|status is now: NodeReady/,
      weight: 'clears',
      strict: true,
    },
  },
  needs: [],
  symptoms: ['user-data-script-failed'],
  explains: ['failed-user-script', 'container-runtime-down', 'kubeadm-preflight-failed'],
  match: (view) => matchKubeletEnds(view),
  summary: ({ machine, path }) =>
    `The root volume of ${machine ?? 'the machine'} is full during the setup${path === undefined ? '' : ` (writing ${path})`}, so the node is not set up.`,
  remedy: () => [
    {
      text: 'See what fills it.',
      command:
        'df -h / /var/lib/containerd /var/lib/kubelet; df -i /; sudo du -xh --max-depth=2 / | sort -h | tail -n 15',
    },
    {
      text: 'Give new machines a larger root volume in the launch template or node class.',
      command:
        'aws ec2 create-launch-template-version --launch-template-id <launch-template> --source-version \'$Latest\' --launch-template-data \'{"BlockDeviceMappings":[{"DeviceName":"/dev/xvda","Ebs":{"VolumeSize":80,"VolumeType":"gp3"}}]}\'',
    },
  ],
  decide: {
    text: 'See how full disks and inodes are.',
    command: 'df -h; df -i',
  },
  page: {
    why: 'Images with many packages or cached container images leave little room on the small default volume, and user data that installs more uses up the rest before containerd and kubelet have started.',
    prevent:
      'Set the volume size explicitly, with room for images and logs; use NodeConfig localStorage for instance stores.',
    notThis:
      'A node that had registered and fills up while its kubelet runs is node-disk-full. “invalid capacity 0 on image filesystem” once at the kubelet’s start is harmless.',
    alsoKnownAs: ['No space left on device'],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/log-collector-script/linux/eks-log-collector.sh',
    ],
  },
});

/** A kubelet that cannot start is no node that fills up, even where it had registered once. */
function matchKubeletEnds(view: View<never, 'kubeletEnds'>): Match | null {
  const ends = view.sign('kubeletEnds');
  return ends === null ? null : found(ends.last.captures, [ends.last], 'likely');
}
