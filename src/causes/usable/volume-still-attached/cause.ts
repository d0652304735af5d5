import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** A volume of one writer still hangs on the instance where its last pod ran. */
const cause = defineCause({
  id: 'volume-still-attached',
  stage: 'usable',
  title: 'a volume is still attached to another instance',
  scope: 'machine',
  signs: {
    multiAttach: likely(
      ['event', 'pod-status', 'controller-manager', 'client-output'],
      /Multi-Attach error for volume "(?<volume>[\w.-]{1,253})".{0,300}?Volume is already (?:exclusively attached to one node|used by (?:pod\(s\) (?<holder>[\w.-]{1,253})|\d{1,4} pod))/,
    ),
    // Pages break the event between its two sentences.
    multiAttachBroken: context(
      ['event', 'pod-status', 'client-output', 'unknown'],
      /Multi-Attach error for volume "(?<volume>[\w.-]{1,253})"\s*$/,
    ),
    heldElsewhere: context(
      ['event', 'pod-status', 'client-output', 'unknown'],
      /^\s*Volume is already (?:exclusively attached to one node|used by (?:pod\(s\) (?<holder>[\w.-]{1,253})|\d{1,4} pod))/,
    ),
    inUse: definite(
      ['event', 'csi-driver', 'pod-status', 'client-output', 'aws-message'],
      /VolumeInUse\W.*?(?<disk>vol-[0-9a-f]{8,17})? ?is already attached to an instance|(?<disk2>vol-[0-9a-f]{8,17}) is already attached to an instance/,
    ),
    attached: withdraws(
      ['event'],
      /AttachVolume\.Attach succeeded for volume "+(?<volume>[\w.-]{1,253})"/,
    ),
  },
  needs: [],
  symptoms: [],
  per: ['volume'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ volume, disk, disk2, holder }) =>
    `The volume ${volume ?? disk ?? disk2 ?? 'of the pod'} is still attached to another instance${holder === undefined ? '' : ` (used by ${holder})`}, so its pod stays in ContainerCreating on the new node.`,
  remedy: ({ volume, disk, disk2 }) => [
    step(
      'See which node Kubernetes thinks the volume is attached to, and whether a pod there still uses it.',
      `kubectl get volumeattachments -o wide | grep ${volume ?? '<volume>'}`,
    ),
    step(
      'If that machine is shut down or lost for good, say so: the taint frees its pods and volumes at once.',
      'kubectl taint nodes <old-node> node.kubernetes.io/out-of-service=nodeshutdown:NoExecute',
    ),
    step(
      'If no pod uses it any more, detach it from the old instance.',
      `aws ec2 detach-volume --volume-id ${disk ?? disk2 ?? '<volume-id>'}`,
    ),
  ],
  decide: step(
    'Ask EC2 which instance has the volume, and in which state.',
    'aws ec2 describe-volumes --volume-ids <volume-id> --query "Volumes[].Attachments[].[InstanceId,State,AttachTime]"',
  ),
  page: {
    why: 'An EBS volume with ReadWriteOnce is on one instance at a time. A node that went away without being drained, or a Deployment that starts the new pod before the old one is gone, leaves the volume where it was; Kubernetes waits six minutes before it detaches by force.',
    prevent:
      'Drain before an instance ends, strategy Recreate or a StatefulSet for pods with such volumes, and graceful node shutdown.',
    notThis:
      'Where the pod just moves, the same event comes once and AttachVolume.Attach succeeded follows. An instance that takes no further volume is volume-attachment-limit; pods that do not go away on a lost node are pods-stuck-terminating.',
    alsoKnownAs: [
      'Multi-Attach error for volume',
      "Volume is already exclusively attached to one node and can't be attached to another",
      'VolumeInUse',
    ],
    refs: [
      'https://github.com/kubernetes-sigs/aws-ebs-csi-driver/issues/542',
      'https://github.com/aws/aws-node-termination-handler/issues/1124',
      'https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown',
    ],
  },
});

export default matched(cause, (view) => {
  const [asked, held] = [view.sign('multiAttachBroken'), view.sign('heldElsewhere')];
  if (asked === null || held === null) return null;
  return found(
    { ...held.last.captures, ...asked.last.captures },
    [asked.last, held.last],
    'likely',
  );
});
