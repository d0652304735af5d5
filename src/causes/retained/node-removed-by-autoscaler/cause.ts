import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';

/** Cluster Autoscaler gives an instance 15 minutes to become a Node and then terminates it. */
export default defineCause({
  id: 'node-removed-by-autoscaler',
  stage: 'retained',
  title: 'Cluster Autoscaler terminated an instance that did not become a Node in time',
  scope: 'machine',
  signs: {
    // Newer versions name each node only when they mark it, and then count them by group.
    // A placeholder stands for an instance that the group asked for and EC2 did not launch.
    removing: likely(
      ['pod-app', 'event', 'controller-manager', 'cloud-controller', 'aws-message', 'karpenter'],
      /(?:Removing|Marking) unregistered node (?!.{0,80}\bi-placeholder-)(?:for removal"? )?(?:node=)?(?:\{"name":)?"?(?:aws:\/\/\/[a-z0-9-]*\/)?(?:(?<instance>i-[0-9a-f]{8,17})|\S)/,
    ),
    leftAlone: withdraws(
      ['pod-app', 'event', 'controller-manager', 'cloud-controller', 'aws-message', 'karpenter'],
      /Failed to remove node (?:aws:\/\/\/[a-z0-9-]*\/)?(?:(?<instance>i-[0-9a-f]{8,17})|\S)|[Ss]kipping (?:unregistered node removal|removal of (?:\d+ )?unregistered nodes)|Failed to remove (?:\d+ )?unregistered nodes from node group/,
      {
        anchors: [
          'Failed to remove node',
          'Skipping unregistered node removal',
          'skipping unregistered node removal',
          'skipping removal of ',
          'unregistered nodes from node group',
        ],
      },
    ),
    removedEvent: likely(
      ['event'],
      /\bDeleteUnregistered\s.*[Rr]emoved unregistered node (?:aws:\/\/\/[a-z0-9-]*\/)?(?<instance>i-[0-9a-f]{8,17})/,
      { anchors: ['DeleteUnregistered'] },
    ),
    awaited: context(
      ['pod-app', 'event', 'karpenter', 'controller-manager', 'cloud-controller'],
      /Scale-up timed out for node group|\bScaleUpTimedOut\b|unregistered nodes present/,
    ),
    toldRemoves: likely(
      ['client-output', 'unknown'],
      /\b[Aa]utoscaler\b.{0,60}\b(?:tries to |tried to )?(?:removes?|removed|deletes?|deleted|terminates?|terminated|kills?|killed)\b.{0,40}\bunregistered["'`]? (?:node|instance|machine)s?\b/,
      { isTold: true, anchors: ['unregistered'] },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  summary: ({ instance }) =>
    `Cluster Autoscaler terminated ${instance ?? 'the instance'} because no Node came of it within --max-node-provision-time (15 minutes); the evidence on the machine went with it.`,
  remedy: ({ instance }) => [
    step(
      'Read the console while EC2 still keeps it (about an hour after the termination); it tells why the machine did not join.',
      `aws ec2 get-console-output --latest --output text --instance-id ${instance ?? '<instance>'}`,
    ),
    step(
      'Give the next one more time while you look.',
      'kubectl -n kube-system set env deployment/cluster-autoscaler --list; kubectl -n kube-system edit deployment cluster-autoscaler',
    ),
  ],
  decide: step(
    'Read what the autoscaler counts as unregistered.',
    "kubectl -n kube-system logs -l app.kubernetes.io/name=aws-cluster-autoscaler --tail=5000 | grep 'unregistered node'",
  ),
  page: {
    why: 'An instance of a group that has no Node with its providerID after the provisioning time is `unregistered`, and the autoscaler replaces it. That hides the real reason: something below kept it from joining.',
    prevent:
      'Collect console output at boot (a lifecycle hook or `rollcall` in the group’s failure path).',
    notThis:
      'This is who removed the machine, not why it did not join; a cause of a lower stage explains it. `ScaleDown` of an idle Node is the autoscaler’s ordinary work. A registered Node counted as unregistered has a wrong providerID.',
    alsoKnownAs: ['unregistered nodes present', 'LongUnregistered'],
    refs: [
      'https://github.com/kubernetes/autoscaler/issues/803',
      'https://github.com/kubernetes/autoscaler/blob/HEAD/cluster-autoscaler/FAQ.md',
    ],
  },
});
