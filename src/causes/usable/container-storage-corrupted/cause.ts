import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, withdraws } from '../../../diagnosis/sign.ts';

const RUNTIME = [
  'containerd',
  'kubelet',
  'event',
  'pod-status',
  'journal',
  'client-output',
] as const;

/** What the runtime wrote down of its images and layers does not fit what is on the disk. */
export default defineCause({
  id: 'container-storage-corrupted',
  stage: 'usable',
  title: 'the runtime’s image or layer storage is inconsistent',
  scope: 'machine',
  signs: {
    parentMissing: definite(
      RUNTIME,
      /(?:pod\/(?<pod>[\w.-]{1,253})\s.{0,450})?(?:missing parent "(?<layer>[^"\s]{1,200})" bucket: not found|parent snapshot (?<layer2>\S{1,200}) does not exist: not found|failed to stat parent: stat (?<layer3>\/\S{1,200}): no such file or directory)/,
    ),
    contentMissing: definite(
      RUNTIME,
      /(?:pod\/(?<pod>[\w.-]{1,253})\s.{0,450})?failed to get reader from content store: content digest (?<layer>sha256:[0-9a-f]{8,64}): not found/,
    ),
    layerOfCrio: definite(
      [...RUNTIME, 'kernel'],
      /can't stat lower layer (?<layer>\S{0,300}).{0,20}because it does not exist|(?:read-write layer|creating container|locating (?:item named|image)|reading image|getting image|mounting).{0,300}(?:layer not known|identifier is not a layer)/,
    ),
    metadataBroken: definite(
      RUNTIME,
      /(?:meta\.db|metadata\.db|io\.containerd\.).{0,120}(?:invalid database|checksum error|structure needs cleaning|file size too small|version mismatch)/,
    ),
    linkBroken: definite(
      RUNTIME,
      /readlink (?:(?<layer>\/var\/lib\/docker\/overlay2(?:\/\S{1,200})?)|‹\w+›): invalid argument/,
    ),
    started: withdraws(['event'], /\bStarted\s+pod\/(?<pod>[\w.-]{1,253})\s+Started container/),
    imageNotKnown: context(RUNTIME, /(?:image not known|unexpected commit digest)/),
  },
  needs: [],
  symptoms: ['sandbox-not-created', 'image-not-pulled'],
  per: ['pod'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['hanging-container-runtime'],
  summary: ({ node, machine, layer, layer2, layer3 }) =>
    `The image storage of the runtime on ${node ?? machine ?? 'the node'} is inconsistent (${layer ?? layer2 ?? layer3 ?? 'a layer'} is missing), so containers of the images concerned do not start there.`,
  remedy: () => [
    step(
      'A cloud machine is cheaper to replace: drain it and let its group make another.',
      'kubectl drain <node> --ignore-daemonsets --delete-emptydir-data',
    ),
    step(
      'To keep it, remove the image concerned, so that it is pulled whole.',
      'sudo crictl rmi <image>',
    ),
    step(
      'If that does not help, empty the storage while kubelet and runtime are stopped.',
      'sudo systemctl stop kubelet containerd && sudo mv /var/lib/containerd /var/lib/containerd.broken && sudo systemctl start containerd kubelet',
    ),
    step(
      'With CRI-O, wipe its storage (after a drain).',
      'sudo systemctl stop kubelet crio && sudo crio wipe -f && sudo systemctl start crio kubelet',
    ),
  ],
  decide: step(
    'Read what the runtime says when it makes a container or unpacks an image.',
    'journalctl -u containerd -u crio --no-pager | grep -E "not found|does not exist|not known" | tail -n 20',
  ),
  page: {
    why: 'The runtime keeps a database of images and layers beside their files. A machine that lost power, a full disk, files removed by hand, or an image baked while the runtime ran leaves entries without files. The runtime believes its database and does not pull again.',
    prevent:
      'Stop the runtime before an image is baked from a machine, keep disks from filling up, and never remove files below /var/lib/containerd or /var/lib/containers by hand.',
    notThis:
      'A pause image that was garbage-collected is pause-image-garbage-collected. “unexpected commit digest” is a download that a proxy or network damaged. A full disk is node-disk-full; a disk that fails is hardware-or-kernel-fault.',
    alsoKnownAs: [
      "can't stat lower layer because it does not exist",
      'failed to create snapshot: missing parent bucket: not found',
      'failed to get reader from content store: content digest not found',
    ],
    refs: [
      'https://docs.openshift.com/container-platform/latest/support/troubleshooting/troubleshooting-crio-issues.html',
      'https://github.com/containerd/containerd/issues/3369',
      'https://github.com/containerd/containerd/issues/7674',
    ],
  },
});
