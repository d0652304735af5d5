import { clear, defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';
import { isAfter } from '../../../evidence/time.ts';

/** A disk was mounted over the runtime's data after the runtime had started. */
export default defineCause({
  id: 'late-mount-over-runtime-data',
  stage: 'bootstrapped',
  title: 'a volume was mounted over the container runtime’s data after it had started',
  scope: 'machine',
  signs: {
    snapshotGone: {
      in: ['containerd', 'kubelet', 'event'],
      anchors: ['/var/lib/containerd/', '/var/lib/docker/'],
      pattern:
        /(?:failed to (?:create|stat|get|open|prepare|mount)|lstat|open|stat|mkdir)\b.{0,200}?(?<path>\/var\/lib\/(?:containerd|docker)\/[\w./-]+): no such file or directory/,
      weight: 'context',
    },
    recoverFailed: {
      in: ['containerd', 'kubelet', 'event'],
      anchors: ['failed to prepare extraction snapshot', 'failed to recover state'],
      pattern: /failed to (?:prepare extraction snapshot|recover state).*no such file or directory/,
      weight: 'context',
    },
    mounted: {
      in: ['cloud-init', 'user-data', 'console'],
      anchors: ['/var/lib/containerd', '/var/lib/docker', '/var/lib/kubelet'],
      pattern:
        /\bmount\b .{0,120}?\s(?<mountpoint>\/var\/lib\/(?:containerd|docker|kubelet))\/?(?=\s|$)/,
      weight: 'context',
    },
    restarted: {
      in: ['cloud-init', 'user-data'],
      anchors: [
        'systemctl restart containerd',
        'systemctl stop containerd',
        'systemctl restart kubelet containerd',
        'systemctl stop kubelet containerd',
      ],
      pattern: /systemctl (?:restart|stop) (?:kubelet )?containerd/,
      weight: 'context',
    },
    worked: {
      in: ['kubelet', 'event', 'node-status'],
      anchors: ['as it just became ready', 'status is now: NodeReady', 'condition Ready=True'],
      pattern: /as it just became ready|status is now: NodeReady|condition Ready=True/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: [],
  // A success takes back the loss, not the mount; the kubelet registers in spite of both.
  withdrawnBy: [],
  match: (view) => matchMountAndLoss(view),
  summary: ({ machine, mountpoint, path }) =>
    `The user data of ${machine ?? 'the machine'} mounts a volume over ${mountpoint ?? '/var/lib/containerd'} after containerd has started; the runtime no longer finds its data${path === undefined ? '' : ` (${path})`}, so pods do not start.`,
  remedy: () => [
    {
      text: 'Let nodeadm prepare the instance stores before the services start (NodeConfig).',
      command: "printf 'spec:\\n  instance:\\n    localStorage:\\n      strategy: RAID0\\n'",
    },
    {
      text: 'Or stop both services around the mount, in a boothook; on this machine start them again.',
      command:
        'sudo systemctl stop kubelet containerd && sudo mount -a && sudo systemctl start containerd kubelet',
    },
  ],
  decide: {
    text: 'Compare the time of the mount with containerd’s start.',
    command:
      'findmnt /var/lib/containerd; systemctl show containerd -p ActiveEnterTimestamp; sudo dmesg -T | grep -i mounted',
  },
  page: {
    why: 'containerd keeps images and snapshots below /var/lib/containerd and the paths in memory. A user-data script that formats a local disk and mounts it there hides what was already written, the pause image first.',
    prevent:
      'Prepare disks with the NodeConfig’s localStorage or in the image build, never in a late script.',
    notThis:
      '“invalid capacity 0 on image filesystem” once at the kubelet’s start is harmless. Without a disk script it is container-runtime-down or pause-image-pull-failed.',
    refs: ['https://github.com/awslabs/amazon-eks-ami/issues/2611'],
  },
});

type Signs = 'snapshotGone' | 'recoverFailed' | 'mounted' | 'restarted' | 'worked';

function matchMountAndLoss(view: View<never, Signs>): Match | null {
  const gone = view.sign('snapshotGone') ?? view.sign('recoverFailed');
  const mounted = view.sign('mounted');
  const worked = view.sign('worked');
  if (gone === null || mounted === null || view.sign('restarted') !== null) return null;
  if (worked !== null && !isAfter(gone.last.moment, worked.last.moment)) return clear;
  return found(
    { ...gone.first.captures, ...mounted.first.captures },
    [gone.first, mounted.first],
    'likely',
  );
}
