import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** Packets are dropped because a table or an allowance of the instance is used up. */
const cause = defineCause({
  id: 'network-allowance-exceeded',
  stage: 'usable',
  title: 'the connection table or a network allowance of the machine is used up',
  scope: 'machine',
  signs: {
    tableFull: definite(
      ['kernel', 'journal', 'console'],
      /nf_conntrack: (?:nf_conntrack: )?(?<what>table full), dropping packet/,
    ),
    // Small counts of bandwidth and packet allowances are ordinary bursts; these two are not.
    counted: likely(
      ['host-file', 'client-output', 'journal'],
      /\b(?<what>conntrack|linklocal)_allowance_exceeded: [1-9]\d{2,}/,
    ),
    monitored: likely(
      ['event'],
      /\b(?<what>ConntrackExceededKernel|ConntrackExceeded|LinkLocalExceeded|BandwidthInExceeded|BandwidthOutExceeded|PPSExceeded)\b/,
    ),
    // The VPC's resolver answers 1024 packets a second of one interface.
    resolverSilent: context(
      ['coredns', 'pod-app'],
      /plugin\/errors: 2 .*(?<resolver>\b\d{1,3}\.\d{1,3}\.\d{1,3}\.2|\b169\.254\.169\.253):53: i\/o timeout/,
      { anchors: [':53: i/o timeout'] },
    ),
    underLoad: context(
      ['client-output', 'unknown'],
      /\b(?:under|during|increased|high|heavy|peak|more)\b.{0,20}\btraffic\b|\b(?:under|increased|high|heavy|peak) load\b|\bload tests?\b/,
      {
        isTold: true,
        anchors: [
          'traffic',
          'load test',
          'under load',
          'increased load',
          'high load',
          'heavy load',
          'peak load',
        ],
      },
    ),
    mapFull: likely(
      ['cilium', 'client-output'],
      /\bCT: (?<what>Map insertion failed)|\b(?<what2>CT [Mm]ap insertion failed)/,
    ),
    tableToldOf: likely(
      ['client-output', 'unknown'],
      /\bconnection[ -]tracking (?:table|limits?|allowance)\b.{0,60}\b(?:hypervisor|AWS instances?|EC2 instances?|instance type)/,
      { isTold: true, anchors: ['connection tracking', 'connection-tracking'] },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ node, instance, machine, what }) =>
    `${node ?? instance ?? machine ?? 'The machine'} drops packets (${what ?? 'an allowance is exceeded'}), so connections and DNS questions of its pods time out under load.`,
  remedy: ({ what }) => [
    what === 'linklocal' || what === 'LinkLocalExceeded'
      ? step(
          'Ask less often: metadata, DNS and time share 1024 packets a second and interface. Use node-local DNS.',
          'kubectl -n kube-system get daemonset node-local-dns',
        )
      : step(
          'Raise the kernel’s table (kube-proxy’s conntrack.maxPerCore sets it).',
          'sysctl net.netfilter.nf_conntrack_max net.netfilter.nf_conntrack_count',
        ),
    step(
      'Take a larger instance type; allowances grow with the size.',
      'aws ec2 describe-instance-types --instance-types <type> --query InstanceTypes[].NetworkInfo',
    ),
  ],
  decide: step(
    'Read the counters twice under load.',
    'ethtool -S eth0 | grep allowance; sudo dmesg -T | grep conntrack | tail',
  ),
  page: {
    why: 'Every connection takes a place in the kernel’s table and in the instance’s allowance; DNS, metadata and time share 1024 packets a second of each interface. What exceeds them is dropped silently.',
    prevent:
      'Node-local DNS, keep-alive connections, and instance sizes that fit the number of connections.',
    notThis:
      'Time-outs of DNS without these counters are cluster-dns-unreachable. Counters only ever rise: a small number may be months old.',
    alsoKnownAs: ['nf_conntrack: table full, dropping packet', 'linklocal_allowance_exceeded'],
    refs: [
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-network-performance-ena.html',
      'https://github.com/aws/eks-node-monitoring-agent/blob/HEAD/monitors/networking/monitor.go',
    ],
  },
});

/** A resolver that is silent at times, when there is much to ask. */
export default matched(cause, (view) => {
  const [silent, load] = [view.sign('resolverSilent'), view.sign('underLoad')];
  if (silent === null || load === null || view.anySign('tableFull', 'counted', 'monitored'))
    return null;
  return found({ what: 'linklocal_allowance_exceeded' }, [silent.first, load.first], 'likely');
});
