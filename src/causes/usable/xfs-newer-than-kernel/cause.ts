import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';

/** The driver's mkfs.xfs is newer than the node's kernel and turned features on that it lacks. */
export default defineCause({
  id: 'xfs-newer-than-kernel',
  stage: 'usable',
  title: 'a volume is formatted with XFS features that the node’s kernel does not know',
  scope: 'machine',
  signs: {
    unknownFeatures: definite(
      ['kernel', 'journal', 'console', 'client-output'],
      /XFS \((?<device>[\w-]+)\): (?:Superblock has unknown (?<kind>read-only compatible|incompatible|compatible) features \((?<bits>0x[0-9a-f]+)\) enabled|Filesystem cannot be safely mounted by this kernel)/,
    ),
    readOnlyOnly: definite(
      ['kernel', 'journal', 'console', 'client-output'],
      /XFS \((?<device>[\w-]+)\): (?:Attempted to mount read-only compatible filesystem read-write|Filesystem can only be safely mounted read only)/,
    ),
    mountRefused: likely(
      ['event', 'csi-driver', 'kubelet', 'pod-status', 'client-output'],
      /-t xfs .*wrong fs type, bad option, bad superblock on (?<device>\/dev\/[\w./-]+)/,
    ),
    mountRefusedLine: context(
      ['event', 'csi-driver', 'kubelet', 'pod-status', 'client-output'],
      /wrong fs type, bad option, bad superblock on (?<device>\/dev\/[\w./-]+)/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, machine, device, kind, bits }) =>
    sentence`The kernel of ${node ?? machine ?? 'the node'} is too old for the XFS volume ${device}${phrase` (${kind} features ${bits})`}, so pods that use it do not start there.`,
  remedy: () => [
    step(
      'Use nodes with a kernel of 5.10 or later; AL2023 has 6.1 or later.',
      'kubectl get nodes -o wide',
    ),
    step(
      'For old kernels, let the EBS CSI driver format in the old way (node.legacyXFS of its chart and add-on). It holds for new volumes only.',
      'aws eks update-addon --cluster-name <cluster> --addon-name aws-ebs-csi-driver --resolve-conflicts PRESERVE --configuration-values \'{"node":{"legacyXFS":true}}\'',
    ),
    step(
      'Copy what stands on such a volume from a node with a newer kernel.',
      'uname -r; sudo xfs_db -r -c version <device>',
    ),
  ],
  decide: step(
    'Read what the kernel said when the volume was mounted.',
    'sudo dmesg -T | grep XFS | tail -n 20; kubectl get nodes -o wide',
  ),
  page: {
    why: 'The CSI driver brings its own mkfs.xfs, whose defaults grow with each release: reflink, bigtime, inobtcount, nrext64. A kernel that is older than a feature refuses to mount the volume, or only lets it be read.',
    prevent:
      'Update the nodes before the driver, and let one file system type not be shared by nodes of very different kernels.',
    notThis:
      'Corruption detected, or a file system that was shut down, is hardware-or-kernel-fault. “Filesystem has duplicate UUID” is a clone of a mounted volume. The same words of mount with -t ext4 mean damage or another type.',
    alsoKnownAs: [
      'XFS: Superblock has unknown read-only compatible features (0x4) enabled',
      'wrong fs type, bad option, bad superblock on /dev/nvme1n1',
    ],
    refs: [
      'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/2110',
      'https://github.com/ceph/ceph-csi/issues/966',
      'https://github.com/metal-stack/csi-driver-lvm/issues/111',
    ],
  },
});
