import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { clears, context, likely } from '../../../diagnosis/sign.ts';

/** The root volume is full before the node is set up. */
const cause = defineCause({
  id: 'root-volume-full-at-boot',
  stage: 'bootstrapped',
  title: 'the root volume is full during the setup',
  scope: 'machine',
  signs: {
    setupFull: likely(
      ['cloud-init', 'nodeadm', 'nodeup', 'kubeadm'],
      /(?<path>(?<![\w./-])\/[\w./-]+)?['"]?:? ?[Nn]o space left on device/,
      { strict: true },
    ),
    packagesTooLarge: likely(
      ['cloud-init', 'nodeup', 'kubeadm'],
      /At least \d+[MG]B more space needed on the (?<path>\/\S*) filesystem|E: You don't have enough free space in (?<archives>\/var\/cache\/apt\S*[^\s.])/,
      { anchors: ['more space needed on the', 'enough free space in /var/cache/apt'] },
    ),
    kubeletEnds: likely(
      ['kubelet'],
      /"command failed" err="[^"]*?(?:(?:write|mkdir|open) (?<path>\/[\w./-]+): )?[Nn]o space left on device/,
    ),
    runtimeFull: context(['containerd', 'kubelet'], /[Nn]o space left on device/, { strict: true }),
    registeredBefore: clears(
      ['kubelet', 'event'],
      /Successfully registered node|was previously registered|status is now: NodeReady/,
      { strict: true },
    ),
  },
  needs: [],
  symptoms: ['user-data-script-failed'],
  explains: ['failed-user-script', 'container-runtime-down', 'kubeadm-preflight-failed'],
  summary: ({ machine, path }) =>
    sentence`The root volume of ${machine ?? 'the machine'} is full during the setup${phrase` (writing ${path})`}, so the node is not set up.`,
  remedy: () => [
    step(
      'See what fills it.',
      'df -h / /var/lib/containerd /var/lib/kubelet; df -i /; sudo du -xh --max-depth=2 / | sort -h | tail -n 15',
    ),
    step(
      'Give new machines a larger root volume in the launch template or node class.',
      'aws ec2 create-launch-template-version --launch-template-id <launch-template> --source-version \'$Latest\' --launch-template-data \'{"BlockDeviceMappings":[{"DeviceName":"/dev/xvda","Ebs":{"VolumeSize":80,"VolumeType":"gp3"}}]}\'',
    ),
  ],
  decide: step('See how full disks and inodes are.', 'df -h; df -i'),
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

export default matched(cause, matchKubeletEnds);

type Own = ViewOf<typeof cause>;

/** A kubelet that cannot start is no node that fills up, even where it had registered once. */
function matchKubeletEnds(view: Own): Match | null {
  const ends = view.sign('kubeletEnds');
  return ends === null ? null : found(ends.last.captures, [ends.last], 'likely');
}
