import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** Something on the host other than Kubernetes drops or rejects forwarded packets. */
const cause = defineCause({
  id: 'firewall-drops-pod-traffic',
  stage: 'networked',
  title: 'the host’s own firewall drops pod traffic',
  scope: 'machine',
  signs: {
    policyDrops: likely(
      ['host-file'],
      /^\s*:FORWARD DROP \[[1-9]\d*:\d+\]|^\s*Chain FORWARD \(policy DROP [1-9]\d*[KMG]? packets/,
    ),
    rejectRule: likely(
      ['event', 'node-status'],
      /\bUnexpectedRejectRule\b(?:.*reject rule: "(?<rule>[^"]+)")?/,
    ),
    portTaken: likely(
      ['event', 'node-status'],
      /\bPortConflict\b.*iptables rule conflict on port (?<port>\d+)/,
    ),
    // The kernel's own default, until the network plugin has started.
    forwardingOff: context(['host-file'], /^\s*net\.ipv4\.ip_forward ?= ?0\s*$/),
    monitored: context(['event', 'node-status'], /\bNetworkSysctl\b.*sysctl/),
    rulesNotWritten: context(
      ['ipamd', 'kubeadm', 'cloud-init'],
      /unable to update host iptables rules for VPC CIDRs|\[WARNING Firewalld\]/,
    ),
    policySet: likely(
      ['user-data', 'host-file', 'cloud-init', 'client-output'],
      /^\s*(?:sudo )?iptables (?:-w )?(?:-t filter )?(?:-P|--policy) (?<rule>FORWARD DROP)\b/,
    ),
    toldCured: context(
      ['client-output', 'unknown'],
      /\b(?:works?|worked|helps|helped|fixe[sd]|solve[sd]|(?:is|goes|went|was) (?:fine|gone|away))\b.{0,40}\b(?:(?:stop|disabl|turn|switch|flush)\w{0,4}|systemctl (?:stop|disable)(?: --now)?) (?:off |the )?(?<firewall>firewalld|ufw|nftables|iptables|firewall)\b|\b(?:(?:[Ss]top|[Dd]isabl|[Tt]urn|[Ff]lush)\w{0,4}|systemctl (?:stop|disable)(?: --now)?) (?:off )?(?:the )?(?<firewall2>firewalld|ufw|nftables|iptables|firewall)\b.{0,60}\b(?:works?|worked|helps|helped|fixe[sd]|solve[sd]|(?:is|goes|went|was) (?:fine|gone|away))\b/,
      {
        isTold: true,
        anchors: [
          'firewall',
          'nftables',
          'iptables',
          'e ufw',
          'p ufw',
          'd ufw',
          'g ufw',
          'f ufw',
          'w ufw',
        ],
      },
    ),
    toldDrops: context(
      ['client-output', 'unknown'],
      /\b(?:default|[Hh]ardening|CIS|iptables|firewall|nftables)\b.{0,40}\bDROP (?:rule|policy|target)s?\b|\b(?<firewall>iptables|firewall|nftables) rules?\b.{0,80}\b(?:breaks?|broke|blocks?|blocked|drops?|dropped)\b/,
      {
        isTold: true,
        anchors: [
          'DROP rule',
          'DROP polic',
          'DROP target',
          'iptables rule',
          'firewall rule',
          'nftables rule',
        ],
      },
    ),
    podsCutOff: context(
      ['pod-app', 'client-output', 'unknown', 'coredns', 'event', 'calico-node', 'aws-node'],
      /\bdial (?:tcp|udp) (?:10\.96|10\.43|100\.64|172\.20|10\.100)\.0\.\d{1,2}:\d{1,5}: (?:getsockopt: |connect: |i\/o )(?:no route to host|timeout|connection timed out)|[Tt]imeout on endpoint URL: "http:\/\/169\.254\.170\.23\b|\b[Pp]ods?\b.{0,60}\b(?:cannot|can't|can not|do not|don't) (?:reach|resolve|talk|connect|ping)\b/,
      {
        anchors: [
          'imeout on endpoint URL',
          'dial tcp 1',
          'dial udp 1',
          'cannot ',
          "can't ",
          'can not ',
          'do not ',
          "don't ",
        ],
      },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ rule, port, machine }) =>
    sentence`${machine === undefined || machine === 'cluster' ? 'The host' : machine} drops forwarded packets by its own rules${phrase` (${rule})`}${phrase` (port ${port})`}, so pods on it do not reach others or are not reached.`,
  remedy: () => [
    step(
      'Let forwarded packets through again.',
      'sudo iptables -P FORWARD ACCEPT; sudo sysctl -w net.ipv4.ip_forward=1',
    ),
    step(
      'Find what changes it (security agent, firewalld, docker) and exempt the VPC and pod ranges there.',
      'systemctl list-units --type=service --state=running | grep -iE "firewalld|ufw|nftables|falcon|docker"',
    ),
  ],
  decide: step(
    'See whether the policy’s counters grow, and who rejects.',
    'sudo iptables -S FORWARD; sudo iptables -L FORWARD -v -n | head -3; sudo iptables-save | grep -E "REJECT|DROP" | grep -v KUBE',
  ),
  page: {
    why: 'EKS’s kubelet unit sets the policy of FORWARD to ACCEPT when it starts; agents and firewalls that start later set it back. Hardening sets ip_forward to 0.',
    prevent: 'Order such agents before the kubelet, or exempt pod traffic in their rules.',
    notThis:
      'FORWARD DROP whose counter stays at 0 harms nobody: Calico and kube-proxy accept what is theirs before it. Security groups are node-to-node-traffic-blocked.',
    alsoKnownAs: ['Chain FORWARD (policy DROP)', 'UnexpectedRejectRule'],
    refs: [
      'https://github.com/aws/eks-node-monitoring-agent/blob/HEAD/monitors/networking/monitor.go',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/docs/troubleshooting.md',
    ],
  },
});

export default matched(cause, matchCured);

/** Packets to services arrive once the firewall is stopped, or somebody saw its rules drop them. */
function matchCured(view: ViewOf<typeof cause>): Match | null {
  const [cured, cut] = [view.sign('toldCured') ?? view.sign('toldDrops'), view.sign('podsCutOff')];
  if (cured === null || cut === null) return null;
  return found(
    { rule: cured.last.captures['firewall'] ?? cured.last.captures['firewall2'] ?? '' },
    [cut.first, cured.first],
    'likely',
  );
}
