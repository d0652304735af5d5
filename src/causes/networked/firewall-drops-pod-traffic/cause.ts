import { defineCause } from '../../../diagnosis/cause.ts';

/** Something on the host other than Kubernetes drops or rejects forwarded packets. */
export default defineCause({
  id: 'firewall-drops-pod-traffic',
  stage: 'networked',
  title: 'the host’s own firewall drops pod traffic',
  scope: 'machine',
  signs: {
    policyDrops: {
      in: ['host-file'],
      anchors: [':FORWARD DROP', 'FORWARD (policy DROP'],
      pattern:
        /^\s*:FORWARD DROP \[[1-9]\d*:\d+\]|^\s*Chain FORWARD \(policy DROP [1-9]\d*[KMG]? packets/,
      weight: 'likely',
    },
    rejectRule: {
      in: ['event', 'node-status'],
      anchors: ['UnexpectedRejectRule'],
      pattern: /\bUnexpectedRejectRule\b(?:.*reject rule: "(?<rule>[^"]+)")?/,
      weight: 'likely',
    },
    portTaken: {
      in: ['event', 'node-status'],
      anchors: ['rule conflict on port'],
      pattern: /\bPortConflict\b.*iptables rule conflict on port (?<port>\d+)/,
      weight: 'likely',
    },
    forwardingOff: {
      in: ['host-file'],
      anchors: ['net.ipv4.ip_forward'],
      pattern: /^\s*net\.ipv4\.ip_forward ?= ?0\s*$/,
      // The kernel's own default, until the network plugin has started.
      weight: 'context',
    },
    monitored: {
      in: ['event', 'node-status'],
      anchors: ['NetworkSysctl'],
      pattern: /\bNetworkSysctl\b.*sysctl/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ rule, port, machine }) =>
    `${machine === undefined || machine === 'cluster' ? 'The host' : machine} drops forwarded packets by its own rules${rule === undefined ? '' : ` (${rule})`}${port === undefined ? '' : ` (port ${port})`}, so pods on it do not reach others or are not reached.`,
  remedy: () => [
    {
      text: 'Let forwarded packets through again.',
      command: 'sudo iptables -P FORWARD ACCEPT; sudo sysctl -w net.ipv4.ip_forward=1',
    },
    {
      text: 'Find what changes it (security agent, firewalld, docker) and exempt the VPC and pod ranges there.',
      command:
        'systemctl list-units --type=service --state=running | grep -iE "firewalld|ufw|nftables|falcon|docker"',
    },
  ],
  decide: {
    text: 'See whether the policy’s counters grow, and who rejects.',
    command:
      'sudo iptables -S FORWARD; sudo iptables -L FORWARD -v -n | head -3; sudo iptables-save | grep -E "REJECT|DROP" | grep -v KUBE',
  },
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
