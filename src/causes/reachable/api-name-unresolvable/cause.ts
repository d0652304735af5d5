import { clear, defineCause } from '../../../diagnosis/cause.ts';
import { textAt } from '../../../evidence/json.ts';

const ON_NODE = [
  'kubelet',
  'kubeadm',
  'cloud-init',
  'nodeup',
  'bottlerocket',
  'nodeadm',
  'host-file',
] as const;

/** The machine's resolver does not know the name of the API server. */
export default defineCause({
  id: 'api-name-unresolvable',
  stage: 'reachable',
  title: 'the API server’s name does not resolve on the machine',
  scope: 'machine',
  signs: {
    // kubectl and Terraform on a laptop, and pods that ask the cluster's own DNS, say nothing of nodes.
    eksNameUnknown: {
      in: ON_NODE,
      anchors: ['no such host'],
      pattern:
        /^(?!.*(?:Unable to connect to the server|current server API group|cluster unreachable|configmaps\/aws-auth|on (?:172\.20|10\.100|10\.96)\.0\.10:53)).*lookup (?<name>[\w-]+\.[\w-]+\.[a-z0-9-]+\.eks\.amazonaws\.com(?:\.cn)?)\s{0,4}(?:on (?<resolver>[\d.:a-f[\]]+))?: no such host/,
      weight: 'likely',
    },
    apiNameUnknown: {
      in: ON_NODE,
      anchors: ['no such host', 'server misbehaving'],
      pattern:
        /^(?!.*(?:cannot get nodes for|error listing nodes|Unable to connect to the server|current server API group|cluster unreachable|configmaps\/aws-auth)).*https:\/\/(?<name>[\w.-]+)(?::\d+)?\/apis?\/[^\s"]*"?: dial tcp: lookup [\w.-]+ on (?!(?:172\.20|10\.100|10\.96)\.0\.10:53)(?<resolver>[\d.:a-f[\]]+): (?:no such host|server misbehaving)/,
      weight: 'likely',
    },
    resolverSilent: {
      in: ON_NODE,
      anchors: ['dial tcp: lookup '],
      pattern:
        /Unable to register node.*dial tcp: lookup (?<name>[\w.-]+)(?: on (?<resolver>[\d.:a-f[\]]+))?: (?:read udp [^\s"]+: i\/o timeout|i\/o timeout)/,
      weight: 'likely',
      atLeast: 3,
    },
    curl: {
      in: ['host-file', 'cloud-init'],
      anchors: ['Could not resolve host'],
      pattern: /Could not resolve host: (?<name>[\w-]+\.[\w-]+\.[a-z0-9-]+\.eks\.amazonaws\.com)/,
      weight: 'likely',
    },
  },
  needs: ['aws/cluster'],
  symptoms: [],
  withdrawnBy: ['api-answered', 'joined', 'node-registered', 'node-ready'],
  explains: ['failed-user-script', 'wrong-cluster-name-in-user-data', 'cluster-info-unreadable'],
  match(view) {
    const name = (view.sign('eksNameUnknown') ?? view.sign('curl'))?.last.captures['name'];
    const clusters = view.list('aws/cluster').map((entry) => textAt(entry.value, 'endpoint') ?? '');
    if (name === undefined || clusters.length === 0) return null;
    // A name that none of the clusters has is an old one: another cause says so.
    return clusters.some((endpoint) => endpoint.toLowerCase().includes(name.toLowerCase()))
      ? null
      : clear;
  },
  summary: ({ name, resolver, machine }) =>
    `${machine ?? 'The machine'} cannot resolve ${name ?? 'the API server’s name'}${resolver === undefined ? '' : ` at ${resolver}`}, so its kubelet reaches no API server.`,
  remedy: ({ name }) => [
    {
      text: 'Compare the name with the cluster’s endpoint of today; another one means old user data.',
      command:
        'aws eks describe-cluster --name <cluster> --query cluster.[endpoint,resourcesVpcConfig.endpointPrivateAccess,resourcesVpcConfig.endpointPublicAccess]',
    },
    {
      text: 'Let the VPC answer names: both DNS attributes on; an own DNS server has to forward eks.amazonaws.com to the VPC’s resolver (169.254.169.253).',
      command:
        'aws ec2 modify-vpc-attribute --vpc-id <vpc> --enable-dns-support; aws ec2 modify-vpc-attribute --vpc-id <vpc> --enable-dns-hostnames',
    },
    {
      text: 'With a private endpoint the VPC must have the hosted zone of that name; switching private access off and on makes it anew.',
      command: `aws route53 list-hosted-zones-by-vpc --vpc-id <vpc> --vpc-region <region> --query "HostedZoneSummaries[?contains('${name?.replaceAll("'", '') ?? '<endpoint-name>'}',Name)]"`,
    },
  ],
  decide: {
    text: 'Resolve the endpoint’s name on the machine, at its own resolver and at the VPC’s.',
    command:
      'grep nameserver /etc/resolv.conf; dig +short <endpoint-name>; dig +short @169.254.169.253 <endpoint-name>',
  },
  page: {
    why: 'A private endpoint’s name lives in a hosted zone that EKS ties to the VPC. DNS support or hostnames switched off, a zone that is not associated, or an own DNS server in the DHCP options that does not forward, and the name is unknown.',
    prevent:
      'Keep AmazonProvidedDNS in the DHCP options, or forward eks.amazonaws.com; test the name from every new VPC.',
    notThis:
      'A name that is not the cluster’s present one is stale-cluster-endpoint (the cluster was made anew). A name that resolves and does not answer is api-port-blocked, public-endpoint-cidr-restricted or control-plane-down. kops-controller.internal is kops-controller-name-unresolved, under .k8s.local gossip-dns-without-protokube. kubectl on a laptop outside the VPC fails the same way and says nothing of nodes.',
    alsoKnownAs: ['dial tcp: lookup eks.amazonaws.com: no such host'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html',
    ],
  },
});
