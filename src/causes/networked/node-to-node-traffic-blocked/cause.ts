import { defineCause } from '../../../diagnosis/cause.ts';

/** Nodes do not let each other’s packets in: Typha, overlay, DNS across nodes. */
export default defineCause({
  id: 'node-to-node-traffic-blocked',
  stage: 'networked',
  title: 'security groups block traffic between nodes',
  scope: 'group',
  signs: {
    typhaSilent: {
      in: ['calico-node'],
      anchors: ['typha endpoint', 'Typha endpoint', 'connection to typhas'],
      pattern:
        /(?:[Ff]ailed to connect to [Tt]ypha endpoint (?<address>\d+\.\d+\.\d+\.\d+):5473.*(?:i\/o timeout|connection timed out))|connection to typhas \(\[.*:5473.*\]\) failed/,
      weight: 'likely',
      atLeast: 2,
    },
    typhaByName: {
      in: ['calico-node'],
      anchors: ['Failed to connect to Typha'],
      pattern: /Failed to connect to Typha.*dial tcp [\d.]+:5473: i\/o timeout/,
      weight: 'context',
    },
    connected: {
      in: ['calico-node'],
      anchors: ['Connected to Typha', 'Connected to typha', 'Successfully connected to'],
      pattern: /Connected to [Tt]ypha|Successfully connected to [Tt]ypha/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['calico-dataplane-not-ready'],
  summary: ({ address, machine }) =>
    `${machine ?? 'The node'} does not reach ${address ?? 'Typha on other nodes'} although it runs there; security groups or network ACLs between the nodes drop the packets.`,
  remedy: () => [
    {
      text: 'Give all node groups the cluster’s shared security group, or let the groups in which nodes are reach each other.',
      command:
        'aws ec2 authorize-security-group-ingress --protocol all --group-id <node-security-group> --source-group <other-node-security-group>',
    },
    {
      text: 'For Calico at least TCP 179 and 5473 and IP protocol 4 or UDP 4789; for DNS UDP and TCP 53.',
      command: null,
    },
  ],
  decide: {
    text: 'Compare the security groups of a node that works and one that does not.',
    command:
      "aws ec2 describe-instances --instance-ids <instance> --query 'Reservations[].Instances[].SecurityGroups'",
  },
  page: {
    why: 'A new node group with a security group of its own, or a hardened group that only allows what the control plane needs, cuts off what nodes say to each other.',
    prevent: 'One shared group for all nodes that admits itself.',
    notThis:
      'A time-out to a service address is no proof of this: see service-ip-unreachable-for-cni and kube-proxy-not-working. Time-outs of CoreDNS to the VPC’s resolver are of another path.',
    alsoKnownAs: [
      'Failed to connect to Typha i/o timeout',
      'pods on other node unreachable EKS security group',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html',
      'https://github.com/tigera/operator/issues/2137',
    ],
  },
});
