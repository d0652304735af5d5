import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** A node that joined has no room left on the disk of the kubelet or of images. */
const cause = defineCause({
  id: 'node-disk-full',
  stage: 'usable',
  title: 'the node’s disk is full',
  scope: 'machine',
  signs: {
    condition: definite(
      ['node-status'],
      /^Node (?<node>\S+) condition (?:DiskPressure|OutOfDisk)=True/,
      { strict: true },
    ),
    pressure: definite(
      ['event', 'kubelet'],
      /Node (?<node>[\w.-]+) status is now: (?:NodeHasDiskPressure|NodeOutOfDisk)|NodeHasDiskPressure/,
    ),
    // Kubelets before 1.11 name the file system (nodefs, imagefs) and not the resource.
    reclaiming: likely(
      ['kubelet', 'event'],
      /[Ee]viction manager: attempting to reclaim"? (?:resourceName=)?"?(?:ephemeral-storage|(?:node|image)fs)|Attempting to reclaim (?:ephemeral-storage|(?:node|image)fs)|FreeDiskSpaceFailed|[Ff]ailed to garbage collect required amount of images/,
    ),
    evicted: likely(
      ['event', 'pod-status'],
      /The node was low on resource: (?:ephemeral-storage|(?:node|image)fs)|The node had condition: \[[\w, ]{0,60}DiskPressure/,
      { atLeast: 2, enoughOnce: 'alone' },
    ),
    noSpaceForImage: likely(
      ['event'],
      /Failed to pull image "?(?<image>[^"\s]+)(?=["\s]).*[Nn]o space left on device/,
    ),
    tableFull: likely(
      ['host-file', 'client-output'],
      /^\s{0,8}\/dev\/\S{1,120}\s{1,40}(?:(?:ext[234]|xfs|btrfs)\s{1,20})?\S{1,20}\s{1,20}\S{1,20}\s{1,20}\S{1,20}\s{1,20}(?:9[7-9]|100)%\s{1,8}\/(?:(?:var(?:\/lib)?)?|(?:[\w.-]{1,60}\/){0,5}(?:containerd|docker|kubelet|kubernetes|containers|crio|rancher)(?:\/(?:overlay2?|data|docker|containerd|kubelet|k3s|rke2))?)\s*$/,
      { anchors: ['/dev/nvme', '/dev/xvd', '/dev/sd', '/dev/root', '/dev/mapper/', '/dev/md'] },
    ),
    relieved: withdraws(
      ['event', 'kubelet', 'node-status', 'client-output', 'unknown'],
      /status is now: NodeHasNoDiskPressure|condition DiskPressure=False|^\s{0,8}DiskPressure\s+False\s.{0,200}KubeletHasNoDiskPressure/,
    ),
    noRoom: context(
      ['kubelet', 'ipamd'],
      /Image garbage collection failed multiple times in a row|Failed to update backing store: .{0,120}no space left on device/,
      { anchors: ['Image garbage collection failed multiple', 'update backing store'] },
    ),
    listed: likely(
      ['client-output', 'unknown'],
      /^\s*(?<node>[a-z0-9][\w.-]{1,252}):? {0,4}\s?DiskPressure[:=] ?True\b/,
    ),
    // A row of `kubectl describe` without the rest of its table.
    conditionRow: likely(
      ['client-output', 'unknown', 'node-status'],
      /^\s*DiskPressure\s+True\s.*KubeletHasDiskPressure/,
    ),
    writeRefused: likely(
      ['containerd', 'kubelet', 'event'],
      /(?:write|mkdir|create|open) \/var\/lib\/(?:containerd|docker|kubelet)\/[^\s:"]{1,300}: no space left on device/,
    ),
    toldPressure: likely(
      ['client-output', 'unknown'],
      /\b(?:reports?|reported|reporting|shows?|showed|says?|said|with|because of|due to|under) [Dd]isk ?[Pp]ressure\b.{0,40}\bevict(?:s|ed|ing|ions?)?\b|\bevict(?:s|ed|ing|ions?)\b.{0,60}\b(?:because of|due to|with|for) [Dd]isk ?[Pp]ressure\b|\b[Nn]odes?\b.{0,40}\b(?:reports?|reported|shows?|have|has) DiskPressure ?[=:] ?True\b/,
      { isTold: true, anchors: ['ressure'] },
    ),
    toldFull: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:[Rr]oot|[Nn]ode'?s?|[Ee]BS|EBS|[Dd]ata|\/var\S{0,20}) (?:root )?(?:volume|disk|filesystem|partition)s?\b.{0,20}\b(?:(?:was|is|were|are)|got|ran|runs|filled|fills)\b(?: \w+){0,2}? (?:100 ?% full|9\d ?% full|full|out of (?:disk )?space|up)\b|\b(?:[Nn]odes?|[Ii]nstances?|[Mm]achines?|[Ww]orkers?) (?:ran|run|runs|are|is|was|were|running) (?:out of|low on) (?:disk )?(?:space|disk)\b|\bdf\b.{0,20}\b(?:show|say|report|said)\w{0,3}\b.{0,30}\b100 ?%/,
      {
        isTold: true,
        anchors: [
          'volume',
          ' 100%',
          ' 100 %',
          'partition',
          'filesystem',
          'disk was',
          'disk is ',
          'disk got',
          'disks are',
          'disks were',
          'disk space',
          ' out of space',
          ' of disk',
          ' on disk',
        ],
      },
    ),
    // The scheduler passes over nodes with the taint that the condition brings.
    passedOver: context(
      ['event', 'pod-status', 'client-output'],
      /nodes are available: .{0,600}(?:untolerated taint|had taints?) \{node\.kubernetes\.io\/disk-pressure/,
      { anchors: ['node.kubernetes.io/disk-pressure'] },
    ),
    evictedForDisk: context(
      ['event', 'pod-status', 'client-output', 'unknown'],
      /The node was low on resource: (?:ephemeral-storage|(?:node|image)fs)|The node had condition: \[[\w, ]{0,60}DiskPressure/,
    ),
    rowsEvicted: context(
      ['client-output', 'unknown', 'pod-status'],
      /^\s*[a-z0-9][\w.-]{0,252}(?:\s+[a-z0-9][\w.-]{0,252})?\s+\d{1,3}\/\d{1,3}\s+Evicted\s/,
      { anchors: ['Evicted '], atLeast: 2 },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, instance, machine, image }) =>
    sentence`${node ?? instance ?? machine ?? 'The node'} has no disk space left${phrase` for ${image}`}, so pods there are evicted or do not start.`,
  remedy: () => [
    step(
      'See what fills it, inodes too.',
      'df -h; df -i; sudo du -xh -d2 /var | sort -h | tail -n 20',
    ),
    step('Remove images that no container uses.', 'sudo crictl rmi --prune'),
    step(
      'Give new nodes a larger volume in the launch template or EC2NodeClass, and replace this one.',
      'kubectl drain <node> --ignore-daemonsets --delete-emptydir-data',
    ),
  ],
  decide: step('Read the condition and the disk.', 'kubectl describe node <node>'),
  page: {
    why: 'Images, container logs and emptyDir volumes share the root volume, which is 20 GB by default. The kubelet removes images at 85 % and evicts pods at 10 % free.',
    prevent: 'Size volumes for images and logs, limit emptyDir and log sizes, watch inodes.',
    notThis:
      'A disk that is full before the node joined is root-volume-full-at-boot. invalid capacity 0 on image filesystem once at the start is ordinary. A pod that exceeds its own limit of ephemeral storage is not a problem of the node.',
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

/** Pods of a table are evicted, and the reason of one of them stands beside it. */
export default matched(cause, (view) => {
  const [reason, rows] = [view.sign('evictedForDisk'), view.sign('rowsEvicted')];
  return reason === null || rows === null ? null : found({}, [reason.first, rows.first], 'likely');
});
