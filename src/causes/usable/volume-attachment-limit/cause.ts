import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** EC2 attaches no further volume to the instance, whatever pods were placed there. */
const cause = defineCause({
  id: 'volume-attachment-limit',
  stage: 'usable',
  title: 'the node has as many volumes as its instance can attach',
  scope: 'machine',
  signs: {
    stuckAttaching: likely(
      ['event', 'csi-driver', 'kubelet', 'pod-status', 'client-output'],
      /(?:pod\/(?<pod>[\w.-]{1,253})\s.{0,400})?expected device (?:to be attached but was attaching|but be attached but was attaching)/,
    ),
    refused: definite(
      ['event', 'csi-driver', 'pod-status', 'client-output', 'aws-message'],
      /(?:AttachVolume|[Aa]ttach volume|(?<volume>vol-[0-9a-f]{8,17}|pvc-[0-9a-f-]{36})).{0,600}(?:AttachmentLimitExceeded|[Aa]ttachment limit exceeded|[Tt]oo many (?:EBS )?volumes attached to node|code = ResourceExhausted|max number of volumes \(\d+\) already attached)/,
    ),
    noDeviceName: definite(
      ['event', 'csi-driver', 'pod-status', 'client-output'],
      /could not get a free device name to assign to node (?<instance>i-[0-9a-f]{8,17})?|[Tt]oo many EBS volumes attached to node (?<node2>[\w.-]+)?/,
    ),
    schedulerFull: likely(
      ['event', 'pod-status', 'scheduler', 'client-output'],
      /(?:pod\/(?<pod>[\w.-]{1,253})\s{1,200})?\b0\/\d+ nodes are available:(?!.*(?:not-ready|unreachable|uninitialized|NotReady|unschedulable|-pressure|network-unavailable)).*?node\(s\) exceed max volume count/,
    ),
    attached: withdraws(['event'], /\bSuccessfulAttachVolume\b(?:\s+pod\/(?<pod>[\w.-]{1,253}))?/),
    attachWaits: context(
      ['event', 'pod-status', 'client-output', 'kubelet'],
      /AttachVolume\.Attach failed for volume|[Tt]imeout expired waiting for volumes to attach|Unable to attach or mount volumes/,
      {
        anchors: [
          'AttachVolume.Attach',
          'waiting for volumes to attach',
          'nable to attach or mount',
        ],
      },
    ),
    toldFull: context(
      ['client-output', 'unknown'],
      /\bno (?:more|further|other|new|additional) (?:ones?|volumes?|disks?|EBS volumes?)?\s?(?:can|could) be (?:mounted|attached)\b|\b(?:can(?:not|'t)|could(?: not|n't)) (?:mount|attach) (?:any )?(?:more|further|another|other|new|additional) (?:EBS )?(?:volumes?|disks?)\b|\b(?:reached|hit|at|over|exceed(?:s|ed)?) (?:the |its |our )?(?:maximum |max )?(?:number of |limit of )?(?:EBS )?volumes?(?: attachments?)?(?: limit)?\b/,
      { isTold: true, anchors: ['volume', ' disks', 'r disk', ' be mounted', ' be attached'] },
    ),
    // Karpenter does not count such volumes, so it puts more on a node than fit.
    notCounted: context(
      ['karpenter'],
      /uses an in-tree storage plugin which is unsupported by Karpenter/,
    ),
    karpenterWorks: context(
      ['karpenter'],
      /found provisionable pod|computed new (?:nodeclaim|machine|node)|\b(?:launched|created|registered|initialized) (?:nodeclaim|machine)\b|launching machine|deprovisioning via|disrupting /,
      {
        anchors: [
          'found provisionable pod',
          'computed new ',
          'nodeclaim',
          'machine',
          'deprovisioning via',
          'disrupting ',
        ],
      },
    ),
  },
  needs: [],
  symptoms: ['pod-not-scheduled'],
  per: ['pod'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, node2, machine, instance, pod }) =>
    pod === undefined
      ? `EC2 attaches no further volume to ${node ?? node2 ?? instance ?? machine ?? 'the node'}: its volumes and interfaces have reached the limit of its instance type, so pods with further volumes do not start there.`
      : `The pod ${pod} stays Pending because the nodes have as many volumes as they can attach.`,
  remedy: () => [
    step(
      'See what limit each node’s driver reports; without one the scheduler places pods without end.',
      'kubectl get csinodes -o custom-columns="NODE:.metadata.name,DRIVERS:.spec.drivers[*].name,LIMIT:.spec.drivers[*].allocatable.count"',
    ),
    step(
      'Where interfaces share the limit of a Nitro instance, reserve their places in the EBS CSI driver.',
      'aws eks update-addon --cluster-name <cluster> --addon-name aws-ebs-csi-driver --resolve-conflicts PRESERVE --configuration-values \'{"node":{"reservedVolumeAttachments":4}}\'',
    ),
    step(
      'Move the waiting pods: spread them, or take more nodes or types of the newer generations, whose volumes have a limit of their own.',
      'kubectl get volumeattachments -o wide',
    ),
  ],
  decide: step(
    'Count the volumes and interfaces of the instance: most Nitro types attach 28 of both together.',
    'aws ec2 describe-instances --instance-ids <instance> --query "Reservations[].Instances[].[length(BlockDeviceMappings),length(NetworkInterfaces)]"',
  ),
  page: {
    why: 'An instance attaches a fixed number of volumes, on most Nitro types 28 together with its network interfaces and local disks. The scheduler knows the limit only from CSINode, which the driver fills when it starts: interfaces that the VPC CNI adds later, volumes of the old in-tree plug-in and volumes attached by hand are not counted.',
    prevent:
      'The EBS CSI driver with reservedVolumeAttachments, its start-up taint with Karpenter, and no in-tree volumes.',
    notThis:
      'AttachmentLimitExceeded in ipamd’s log is about interfaces (eni-limit-reached). A driver that is not there is csi-driver-not-ready. A volume that hangs on another instance is volume-still-attached. A device name that a detached volume still holds hangs in “attaching” too.',
    alsoKnownAs: [
      'node(s) exceed max volume count',
      'expected device to be attached but was attaching',
      'AttachmentLimitExceeded',
    ],
    refs: [
      'https://karpenter.sh/docs/troubleshooting/#pods-using-pvcs-can-hit-volume-limits-and-fail-to-scale-up',
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/volume_limits.html',
      'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/1163',
    ],
  },
});

export default matched(cause, (view) => matchTold(view) ?? matchUncounted(view));

type Own = ViewOf<typeof cause>;

/** A volume that Karpenter does not count is the answer only where its log is about nothing else. */
function matchUncounted(view: Own): Match | null {
  const uncounted = view.sign('notCounted');
  if (uncounted === null || view.sign('karpenterWorks') !== null) return null;
  if (view.anySign('stuckAttaching', 'refused', 'noDeviceName', 'schedulerFull')) return null;
  return found(uncounted.first.captures, [uncounted.first], 'likely');
}

/** An attachment does not come to pass, and somebody counted: the instance takes no more of them. */
function matchTold(view: Own): Match | null {
  const [waits, full] = [view.sign('attachWaits'), view.sign('toldFull')];
  if (waits === null || full === null) return null;
  return found(
    { ...waits.last.captures, ...full.last.captures },
    [waits.last, full.last],
    'likely',
  );
}
