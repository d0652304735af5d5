import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context } from '../../../diagnosis/sign.ts';
import type { Sighting } from '../../../evidence/sighting.ts';
import { isAfter } from '../../../evidence/time.ts';

/** A disk was mounted over the runtime's data after the runtime had started. */
const cause = defineCause({
  id: 'late-mount-over-runtime-data',
  stage: 'bootstrapped',
  title: 'a volume was mounted over the container runtime’s data after it had started',
  scope: 'machine',
  signs: {
    snapshotGone: context(
      ['containerd', 'kubelet', 'event'],
      /(?:failed to (?:create|stat|get|open|prepare|mount)|lstat|open|stat|mkdir)\b.{0,200}?(?<path>\/var\/lib\/(?:containerd|docker)\/[\w./-]+): no such file or directory/,
      { anchors: ['/var/lib/containerd/', '/var/lib/docker/'] },
    ),
    recoverFailed: context(
      ['containerd', 'kubelet', 'event'],
      /failed to (?:prepare extraction snapshot|recover state).*no such file or directory/,
      { anchors: ['failed to prepare extraction snapshot', 'failed to recover state'] },
    ),
    mounted: context(
      ['cloud-init', 'user-data', 'console'],
      /\bmount\b .{0,120}?\s(?<mountpoint>\/var\/lib\/(?:containerd|docker|kubelet))\/?(?=\s|$)/,
    ),
    toldMount: context(
      ['client-output', 'unknown'],
      /\b(?:mounts?|mounted|mounting)\b.{0,60}\b(?:on|at|to|as|over|under)\b.{0,10}(?<mountpoint>\/var\/lib\/(?:containerd|docker))\b(?!\/)/i,
      { isTold: true, isBackground: true, anchors: ['/var/lib/containerd', '/var/lib/docker'] },
    ),
    // EKS bakes it into its images and keeps it from collection; a mount hides it.
    bakedImageGone: context(
      ['event', 'kubelet', 'containerd', 'pod-status', 'client-output', 'unknown'],
      /failed to get sandbox image "(?<image>localhost\/kubernetes\/pause[^"\s]{0,40})"/,
      { isBackground: true },
    ),
    // A row of findmnt, df or /proc/mounts.
    mountShown: context(
      ['client-output', 'unknown', 'host-file'],
      /^(?<mountpoint>\/var\/lib\/(?:containerd|docker))\s{1,40}\/dev\/\S|^\/dev\/\S{1,60}\s.{0,120}\s(?<mountpoint2>\/var\/lib\/(?:containerd|docker))(?:\s|$)/,
      { anchors: ['/var/lib/containerd', '/var/lib/docker'], isBackground: true },
    ),
    collected: context(
      ['kubelet', 'containerd', 'journal'],
      /Removing image to free bytes|ImageDelete|ImageGCFailed/,
      {
        isBackground: true,
      },
    ),
    // The database of images is of before, and what it names is under the mount.
    parentGone: context(
      ['containerd', 'kubelet', 'event', 'unknown', 'client-output'],
      /missing parent ".{1,200}?" bucket: not found/,
    ),
    restarted: context(
      ['cloud-init', 'user-data'],
      /systemctl (?:restart|stop) (?:kubelet )?containerd/,
      {
        anchors: [
          'systemctl restart containerd',
          'systemctl stop containerd',
          'systemctl restart kubelet containerd',
          'systemctl stop kubelet containerd',
        ],
      },
    ),
    worked: context(
      ['kubelet', 'event', 'node-status'],
      /as it just became ready|status is now: NodeReady|condition Ready=True/,
    ),
    imageWithRuntimeData: context(
      ['user-data', 'cloud-init', 'unknown'],
      /application\/node\.eks\.aws|\bnode\.eks\.aws\/v1/,
    ),
    carriedOver: context(
      ['user-data', 'cloud-init', 'unknown'],
      /\b(?:rsync|cp -[a-zA-Z]+|mv) .{0,80}\/var\/lib\/containerd|\bctr\b.{0,60}\bimages? import\b/,
      { anchors: ['/var/lib/containerd', 'image import', 'images import'] },
    ),
    notReadyTold: context(
      ['client-output', 'unknown'],
      /\b(?:can't|cannot|can not|never|doesn't|does not|unable to) join\b|\b(?:not ready|NotReady)\b/,
      {
        isTold: true,
        anchors: ['t join', 'NotReady', 'not ready', 'never join', 'unable to join'],
      },
    ),
  },
  needs: [],
  explains: [
    'container-storage-corrupted',
    'pause-image-garbage-collected',
    'pause-image-pull-failed',
  ],
  symptoms: [],
  // A success takes back the loss, not the mount; the kubelet registers in spite of both.
  withdrawnBy: [],
  summary: ({ machine, mountpoint, path }) =>
    path === undefined
      ? sentence`A volume is mounted over ${mountpoint ?? '/var/lib/containerd'} of ${machine ?? 'the machine'}, which hides what the image brought there, the pause image included, so pods do not start.`
      : sentence`The user data of ${machine ?? 'the machine'} mounts a volume over ${mountpoint ?? '/var/lib/containerd'} after containerd has started; the runtime no longer finds its data${phrase` (${path})`}, so pods do not start.`,
  remedy: () => [
    step(
      'Let nodeadm prepare the instance stores before the services start (NodeConfig).',
      "printf 'spec:\\n  instance:\\n    localStorage:\\n      strategy: RAID0\\n'",
    ),
    step(
      'Or stop both services around the mount, in a boothook; on this machine start them again.',
      'sudo systemctl stop kubelet containerd && sudo mount -a && sudo systemctl start containerd kubelet',
    ),
  ],
  decide: step(
    'Compare the time of the mount with containerd’s start.',
    'findmnt /var/lib/containerd; systemctl show containerd -p ActiveEnterTimestamp; sudo dmesg -T | grep -i mounted',
  ),
  page: {
    why: 'containerd keeps images and snapshots below /var/lib/containerd and the paths in memory. A user-data script that formats a local disk and mounts it there hides what was already written, the pause image first.',
    prevent:
      'Prepare disks with the NodeConfig’s localStorage or in the image build, never in a late script.',
    notThis:
      '“invalid capacity 0 on image filesystem” once at the kubelet’s start is harmless. A pause image that the kubelet itself removed is pause-image-garbage-collected. Without a disk script it is container-runtime-down or pause-image-pull-failed.',
    refs: ['https://github.com/awslabs/amazon-eks-ami/issues/2611'],
  },
});

export default matched(cause, matchMountAndLoss);

type Own = ViewOf<typeof cause>;

/** Images for nodeadm hold the pause image under /var/lib/containerd, and it cannot be pulled anew. */
function matchUserData(view: Own, mounted: Sighting): Match | null {
  const told = view.sign('notReadyTold');
  if (told === null || mounted.first.captures['mountpoint'] !== '/var/lib/containerd') return null;
  if (view.sign('imageWithRuntimeData') === null) return null;
  if (view.anySign('restarted', 'carriedOver', 'worked')) return null;
  return found(mounted.first.captures, [mounted.first, told.first], 'likely');
}

/** The image that every machine of EKS brings along is gone, and another disk lies over it. */
function matchHiddenImage(view: Own): Match | null {
  const gone = view.sign('bakedImageGone')?.first;
  const over = (view.sign('mounted') ?? view.sign('mountShown') ?? view.sign('toldMount'))?.first;
  if (gone === undefined || over === undefined || view.isLive) return null;
  if (view.anySign('collected')) return clear;
  if (view.anySign('carriedOver', 'restarted')) return null;
  return found(
    { mountpoint: over.captures['mountpoint'] ?? '/var/lib/containerd' },
    [gone, over],
    'likely',
  );
}

function matchMountAndLoss(view: Own): Match | null {
  const gone = view.sign('snapshotGone') ?? view.sign('recoverFailed');
  const mounted = view.sign('mounted');
  if (gone === null && mounted !== null) return matchUserData(view, mounted);
  const lost = gone ?? view.sign('parentGone');
  const told = view.sign('toldMount');
  if (mounted === null && lost !== null && told !== null && !view.anySign('restarted', 'worked'))
    return found(told.first.captures, [lost.first, told.first], 'likely');
  const hidden = matchHiddenImage(view);
  if (hidden !== null) return hidden;
  const worked = view.sign('worked');
  if (gone === null || mounted === null || view.sign('restarted') !== null) return null;
  if (worked !== null && !isAfter(gone.last.moment, worked.last.moment)) return clear;
  return found(
    { ...gone.first.captures, ...mounted.first.captures },
    [gone.first, mounted.first],
    'likely',
  );
}
