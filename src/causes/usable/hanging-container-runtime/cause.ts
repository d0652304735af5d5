import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** The runtime of a node that worked no longer answers the kubelet. */
export default defineCause({
  id: 'hanging-container-runtime',
  stage: 'usable',
  title: 'the container runtime hangs',
  scope: 'machine',
  signs: {
    relistStopped: definite(
      ['kubelet', 'node-status', 'event'],
      /PLEG is not healthy: pleg was last seen active (?<since>(?:\d{1,5}h)?\d{1,2}m[\d.]*s?) ago; threshold is (?<limit>\w+)/i,
      { anchors: ['PLEG is not healthy'] },
    ),
    monitored: likely(
      ['event', 'node-status'],
      /\b(?<reason>ContainerdRepeatedRestart|ContainerRuntimeFailed)\b/,
    ),
    neverUp: context(['kubelet'], /pleg has yet to be successful/),
    versionUnread: context(
      ['kubelet', 'containerd'],
      /Get runtime version failed.{0,200}DeadlineExceeded|failed to load shim/,
      { anchors: ['Get runtime version failed', 'failed to load shim'] },
    ),
  },
  needs: [],
  symptoms: ['node-not-ready'],
  withdrawnBy: ['node-ready'],
  explains: ['pods-stuck-terminating'],
  summary: ({ node, instance, machine, since, reason }) =>
    `The container runtime of ${node ?? instance ?? machine ?? 'the node'} ${since === undefined ? `fails again and again (${reason ?? 'restarts'})` : `has not answered the kubelet for ${since}`}, so the node goes NotReady and no pod starts or ends there.`,
  remedy: () => [
    step(
      'Keep what the runtime was doing, then restart it.',
      'sudo pkill -USR1 -x containerd; sudo systemctl restart containerd kubelet',
    ),
    step(
      'See whether the root volume is throttled: gp2 without credits is the usual reason.',
      'aws cloudwatch get-metric-statistics --namespace AWS/EBS --metric-name BurstBalance --dimensions Name=VolumeId,Value=<volume> --statistics Minimum --period 300 --start-time <start> --end-time <end>',
    ),
    step(
      'Move root volumes to gp3 and replace the node.',
      'kubectl drain <node> --ignore-daemonsets --delete-emptydir-data',
    ),
  ],
  decide: step(
    'Read since when the runtime has not answered.',
    "journalctl -u kubelet --no-pager | grep 'PLEG is not healthy' | tail -n 5",
  ),
  page: {
    why: 'The kubelet lists all containers every second. When that takes longer than three minutes, the runtime or what is under it (disk, CNI plugin, a stuck mount) hangs.',
    prevent:
      'Use gp3 root volumes with enough throughput and current AMIs; bound pods and processes on each node.',
    notThis:
      '“pleg has yet to be successful”, “last seen active 2562047h47m16.8s ago” (never, counted from the year 1) and “container runtime status check may not have completed yet” belong to every start of the kubelet. A runtime that never came up is container-runtime-down.',
    alsoKnownAs: ['PLEG is not healthy: pleg was last seen active'],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/issues/195',
      'https://github.com/awslabs/amazon-eks-ami/issues/837',
      'https://github.com/aws/eks-node-monitoring-agent',
    ],
  },
});
