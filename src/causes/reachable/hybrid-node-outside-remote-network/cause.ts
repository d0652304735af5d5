import { addressOf, cidrOf, isInside } from '../../../domain/network/cidr.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  step,
  matched,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';

/** The control plane routes to hybrid nodes by the networks that the cluster was told. */
const cause = defineCause({
  id: 'hybrid-node-outside-remote-network',
  stage: 'reachable',
  title: 'the hybrid node’s address is not within the cluster’s remote node networks',
  scope: 'machine',
  signs: {
    refused: definite(
      ['nodeadm', 'cloud-init', 'journal', 'console', 'client-output'],
      /node IP:? "?(?<address>\d{1,3}(?:\.\d{1,3}){3})?"? ?is not in any of the remote network CIDR blocks(?:: \[(?<networks>[\d./ ,]{1,200})\])?/i,
      { anchors: ['remote network CIDR blocks'] },
    ),
  },
  needs: ['aws/cluster', 'kube/Node'],
  symptoms: [],
  withdrawnBy: [],
  explains: ['api-port-blocked', 'unapproved-client-csr'],
  summary: ({ machine, node, address, networks }) =>
    `The address ${address ?? ''} of ${node ?? machine ?? 'the hybrid node'} is not within the remote node networks of the cluster${networks === undefined ? '' : ` (${networks.trim()})`}, so the control plane does not reach its kubelet.`.replace(
      'address  of',
      'address of',
    ),
  remedy: ({ cluster, networks, address }) => [
    step(
      'See the remote networks of the cluster.',
      `aws eks describe-cluster --name ${cluster ?? '<cluster>'} --query cluster.remoteNetworkConfig`,
    ),
    step(
      `Give the host an address within ${networks?.trim() ?? 'them'}, or let the kubelet announce the one it has there: in nodeConfig.yaml, spec.kubelet.flags: ["--node-ip=<address>"]. Then join again.`,
      'ip -br -4 addr; sudo nodeadm init --config-source file://nodeConfig.yaml',
    ),
    step(
      'Or add the host’s network to the cluster, and to routes and security groups of the VPC (the command replaces the list: name all of them).',
      `aws eks update-cluster-config --name ${cluster ?? '<cluster>'} --remote-network-config '{"remoteNodeNetworks":[{"cidrs":[${cidrsOf(networks)}"<network-of-${address ?? 'the-host'}>"]}]}'`,
    ),
  ],
  decide: step(
    'Compare the nodes’ addresses with the cluster’s remote node networks.',
    "kubectl get nodes -l eks.amazonaws.com/compute-type=hybrid -o wide; aws eks describe-cluster --name <cluster> --query 'cluster.remoteNetworkConfig.remoteNodeNetworks'",
  ),
  page: {
    why: 'EKS learns at creation which networks hybrid nodes are in, and reaches kubelets only there. A host with several interfaces announces the wrong one, or a new site was not added.',
    prevent:
      'Set --node-ip on hosts with several interfaces, and add each site’s network before its first host.',
    notThis:
      'An address that is inside and a port 10250 that does not answer is node-ports-closed-to-control-plane. A machine of EC2 in another VPC is node-in-another-vpc.',
    alsoKnownAs: ['is not in any of the remote network CIDR blocks'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-networking.html',
      'https://github.com/aws/eks-hybrid/blob/HEAD/internal/node/hybrid/ip_validator.go',
    ],
  },
});

export default matched(cause, (view) => matchAddresses(view));

type Own = ViewOf<typeof cause>;

/** Known networks as a JSON list goes on, for a command that replaces the whole list. */
function cidrsOf(networks: string | undefined): string {
  const known = (networks ?? '').split(/[ ,]+/).filter((one) => cidrOf(one) !== null);
  return known.map((one) => `"${one}",`).join('');
}

/** The addresses that hybrid Nodes announce, compared with the networks of the cluster. */
function matchAddresses(view: Own): Match | null {
  const cluster = view.list('aws/cluster')[0];
  const config = cluster?.value.remoteNetworkConfig?.remoteNodeNetworks ?? [];
  const texts = config.flatMap(({ cidrs }) => cidrs ?? []);
  const blocks = texts.map(cidrOf).filter((block) => block !== null);
  if (cluster === undefined || blocks.length === 0 || blocks.length < texts.length) return null;
  const nodes = view
    .list('kube/Node')
    .filter(({ value }) => value.labels['eks.amazonaws.com/compute-type'] === 'hybrid');
  for (const node of nodes) {
    const address = addressOf(node.value.internalIp ?? '');
    if (address === null || blocks.some((block) => isInside(address, block))) continue;
    const { name, internalIp } = node.value;
    const networks = texts.join(', ');
    const details = {
      node: name,
      address: internalIp ?? '',
      networks,
      cluster: cluster.value.name ?? '',
    };
    return found(details, [
      view.quote(node, `Node ${name} InternalIP ${internalIp ?? ''}, compute-type hybrid`),
      view.quote(cluster, `cluster ${details.cluster} remoteNodeNetworks ${networks}`),
    ]);
  }
  return nodes.length > 0 && view.sign('refused') === null ? clear : null;
}
