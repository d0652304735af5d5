import { defineCause, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** Something on the host other than Kubernetes drops or rejects forwarded packets. */
export default defineCause({
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
