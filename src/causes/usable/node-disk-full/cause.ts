import { defineCause } from '../../../diagnosis/cause.ts';

/** A node that joined has no room left on the disk of the kubelet or of images. */
export default defineCause({
  id: 'node-disk-full',
  stage: 'usable',
  title: 'the node’s disk is full',
  scope: 'machine',
  signs: {
    condition: {
      in: ['node-status'],
      anchors: ['condition DiskPressure=True', 'condition OutOfDisk=True'],
      pattern: /^Node (?<node>\S+) condition (?:DiskPressure|OutOfDisk)=True/,
      weight: 'definite',
      strict: true,
    },
    pressure: {
      in: ['event', 'kubelet'],
      anchors: ['NodeHasDiskPressure', 'NodeOutOfDisk'],
      pattern:
        /Node (?<node>[\w.-]+) status is now: (?:NodeHasDiskPressure|NodeOutOfDisk)|NodeHasDiskPressure/,
      weight: 'definite',
    },
    reclaiming: {
      in: ['kubelet', 'event'],
      anchors: [
        'ttempting to reclaim',
        'FreeDiskSpaceFailed',
        'garbage collect required amount of images',
      ],
      // Kubelets before 1.11 name the file system (nodefs, imagefs) and not the resource.
      pattern:
        /[Ee]viction manager: attempting to reclaim"? (?:resourceName=)?"?(?:ephemeral-storage|(?:node|image)fs)|Attempting to reclaim (?:ephemeral-storage|(?:node|image)fs)|FreeDiskSpaceFailed|[Ff]ailed to garbage collect required amount of images/,
      weight: 'likely',
    },
    evicted: {
      in: ['event', 'pod-status'],
      anchors: ['The node was low on resource: '],
      pattern: /The node was low on resource: (?:ephemeral-storage|(?:node|image)fs)/,
      weight: 'likely',
      atLeast: 2,
    },
    noSpaceForImage: {
      in: ['event'],
      anchors: ['o space left on device'],
      pattern: /Failed to pull image "?(?<image>[^"\s]+)(?=["\s]).*[Nn]o space left on device/,
      weight: 'likely',
    },
    tableFull: {
      in: ['host-file', 'client-output'],
      anchors: ['/dev/nvme', '/dev/xvda', '/dev/root'],
      pattern:
        /^\/dev\/\S+\s+(?:(?:ext[234]|xfs|btrfs)\s+)?\S+\s+\S+\s+\S+\s+(?:9[7-9]|100)%\s+\/(?:var(?:\/lib(?:\/(?:containerd|docker|kubelet))?)?)?\s*$/,
      weight: 'likely',
    },
    relieved: {
      in: ['event', 'kubelet', 'node-status'],
      anchors: ['NodeHasNoDiskPressure', 'condition DiskPressure=False'],
      pattern: /status is now: NodeHasNoDiskPressure|condition DiskPressure=False/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, instance, machine, image }) =>
    `${node ?? instance ?? machine ?? 'The node'} has no disk space left${image === undefined ? '' : ` for ${image}`}, so pods there are evicted or do not start.`,
  remedy: () => [
    {
      text: 'See what fills it, inodes too.',
      command: 'df -h; df -i; sudo du -xh -d2 /var | sort -h | tail -n 20',
    },
    {
      text: 'Remove images that no container uses.',
      command: 'sudo crictl rmi --prune',
    },
    {
      text: 'Give new nodes a larger volume in the launch template or EC2NodeClass, and replace this one.',
      command: 'kubectl drain <node> --ignore-daemonsets --delete-emptydir-data',
    },
  ],
  decide: { text: 'Read the condition and the disk.', command: 'kubectl describe node <node>' },
  page: {
    why: 'Images, container logs and emptyDir volumes share the root volume, which is 20 GB by default. The kubelet removes images at 85 % and evicts pods at 10 % free.',
    prevent: 'Size volumes for images and logs, limit emptyDir and log sizes, watch inodes.',
    notThis:
      'A disk that is full before the node joined is root-volume-full-at-boot. invalid capacity 0 on image filesystem once at the start is ordinary. A pod that exceeds its own limit of ephemeral storage is no problem of the node.',
    alsoKnownAs: [
      'DiskPressure',
      'The node was low on resource: ephemeral-storage',
      'no space left on device',
    ],
    refs: [
      'https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/',
      'https://github.com/kubernetes/kubernetes/issues/47526',
    ],
  },
});
