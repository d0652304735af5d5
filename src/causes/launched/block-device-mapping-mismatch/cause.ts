import { clear, defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { machineOf } from '../../../domain/planned/machine.ts';
import type { NodeGroup } from '../../../evidence/aws/groups.ts';

const LAUNCHERS = [
  'aws-message',
  'terraform',
  'client-output',
  'karpenter',
  'node-claim',
  'object',
  'event',
] as const;

/** The disks that the launch asks for do not fit those of the machine image. */
const cause = defineCause({
  id: 'block-device-mapping-mismatch',
  stage: 'launched',
  title: 'the block device mapping does not fit the machine image',
  scope: 'group',
  signs: {
    usedTwice: definite(
      LAUNCHERS,
      /The device '(?<twice>[^']+)' is used in more than one block-device mapping/,
    ),
    refused: definite(LAUNCHERS, /\bInvalidBlockDeviceMapping\b/),
    smallerThanSnapshot: definite(
      LAUNCHERS,
      /Volume of size (?<size>\d+ ?GB) is smaller than snapshot '(?<snapshot>snap-[0-9a-f]+)', expect size ?>= ?(?<expected>\d+ ?GB)/,
    ),
    rootSmallerThanSnapshot: definite(
      LAUNCHERS,
      /root volume size \((?<sizeGb>\d+)\) must be greater than or equal to snapshot size \((?<expectedGb>\d+)\)/,
    ),
    deviceName: definite(
      LAUNCHERS,
      /Invalid device name (?<device>\S+?)\.? Launching EC2 instance failed/,
      { anchors: ['Invalid device name'] },
    ),
    virtualName: definite(
      LAUNCHERS,
      /Value \((?<device>[^)]{1,60})\) for parameter virtualName is invalid/,
    ),
    storeBacked: definite(
      LAUNCHERS,
      /EBS block device mappings not supported for instance-store AMIs/,
    ),
  },
  needs: ['aws/auto-scaling-group'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ size, expected, sizeGb, expectedGb, device, twice }) =>
    sizeGb === undefined
      ? `The launch asks for ${wishOf(size, expected, device, twice)}, so EC2 refuses it.`
      : `The launch asks for ${wishOf(`${sizeGb} GB`, `${expectedGb} GB`, device, twice)}, so it is refused.`,
  remedy: () => [
    step(
      'Read the device names and sizes of the image.',
      'aws ec2 describe-images --image-ids <ami> --query "Images[].[RootDeviceName,BlockDeviceMappings[].[DeviceName,Ebs.VolumeSize]]"',
    ),
    step(
      'Use the same names and at least those sizes in the template or in spec.blockDeviceMappings (Bottlerocket: /dev/xvda and /dev/xvdb; Amazon Linux: /dev/xvda; Windows: /dev/sda1).',
      'kubectl edit ec2nodeclass <node-class>',
    ),
  ],
  decide: step(
    'Compare the image’s devices with those of the template.',
    "aws ec2 describe-images --image-ids <ami> --query Images[].BlockDeviceMappings; aws ec2 describe-launch-template-versions --launch-template-id <template> --versions '$Default' --query LaunchTemplateVersions[].LaunchTemplateData.BlockDeviceMappings",
  ),
  page: {
    why: 'A mapping overrides the image’s disks by device name and cannot make one smaller than its snapshot. Changing the image family (Amazon Linux, Bottlerocket, Windows, GPU images with larger roots) changes names and sizes.',
    prevent:
      'Keep mapping and image family in the same template, and leave sizes out where the image’s are enough.',
    notThis:
      'An image that cannot be seen is ami-missing-or-not-shared. A disk that is accepted and fills up is root-volume-full-at-boot. Encryption is kms-key-access-missing.',
    alsoKnownAs: ['InvalidBlockDeviceMapping: Volume of size is smaller than snapshot'],
    refs: [
      'https://karpenter.sh/docs/troubleshooting/',
      'https://github.com/aws/karpenter-provider-aws/issues/7928',
    ],
  },
});

const judged = matched(cause, (view) =>
  clearWhenFilled(view, [
    'usedTwice',
    'refused',
    'smallerThanSnapshot',
    'rootSmallerThanSnapshot',
    'deviceName',
  ]),
);

function wishOf(
  size: string | undefined,
  expected: string | undefined,
  device: string | undefined,
  twice: string | undefined,
): string {
  if (twice !== undefined) return `two disks under the name ${twice}`;
  if (size !== undefined) return `a disk of ${size} where the image needs ${expected ?? 'more'}`;
  return device === undefined
    ? 'a disk that the image does not have'
    : `a disk ${device} that the image does not have`;
}

/** GiB of the disk that images of EKS are made of, by the device of the root volume. */
const ROOTS = {
  al2: ['/dev/xvda', 20],
  al2023: ['/dev/xvda', 20],
  windows: ['/dev/sda1', 50],
} as const;

export default foreseen(
  judged,
  (plan, group) => {
    const { family, image, isOwnImage } = machineOf(plan, group);
    const isPublished =
      image === null ? !isOwnImage : /^amazon-eks-|EKS_Optimized/.test(image.value.Name ?? '');
    if (family === null || family === 'bottlerocket' || !isPublished) return NOT_SHOWN;
    const [device, expected] = ROOTS[family];
    const mappings = group.template?.value.LaunchTemplateData?.BlockDeviceMappings ?? [];
    const root = mappings.find(({ DeviceName: name }) => name === device);
    const diskSize = group.kind === 'NodeGroup' ? (group.fact.value as NodeGroup).diskSize : null;
    const size = root?.Ebs?.VolumeSize ?? diskSize ?? null;
    const isNew = [group.fact, group.template].some((one) => one?.change === 'create');
    if (size === null || size === 0 || !isNew) return NOT_SHOWN;
    if (size >= expected) return clear;
    return found(
      { sizeGb: String(size), expectedGb: String(expected) },
      [
        plan.quote(
          root === undefined ? group.fact : (group.template ?? group.fact),
          `root volume of ${size} GiB`,
        ),
        plan.quote(group.fact, `${group.name} launches images of ${family}`),
      ],
      'likely',
    );
  },
  {
    remedy: ({ expectedGb }) => [
      step(`Set volume_size (or disk_size) to ${expectedGb ?? '20'} or more.`),
    ],
  },
);
