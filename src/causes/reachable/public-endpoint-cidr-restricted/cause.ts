import { clear, defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';
import { at, listAt, textAt } from '../../../evidence/json.ts';

/** The endpoint is public only, and its list of allowed networks lacks the nodes' way out. */
export default defineCause({
  id: 'public-endpoint-cidr-restricted',
  stage: 'reachable',
  title: 'the public endpoint lets only some networks in, and the private one is off',
  scope: 'machine',
  signs: {
    timedOut: {
      in: ['kubelet', 'cloud-init', 'bottlerocket'],
      anchors: ['i/o timeout'],
      pattern:
        /(?:Unable to register node|[Ff]ailed to (?:list|watch) \*v1|[Ff]ailed to ensure lease).*dial tcp (?<address>(?!10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)\d[\d.]+):443: i\/o timeout/,
      weight: 'context',
      atLeast: 2,
    },
    canceled: {
      in: ['kubelet', 'cloud-init', 'bottlerocket'],
      anchors: ['Client.Timeout exceeded', 'context deadline exceeded'],
      pattern:
        /Unable to register node.*eks\.amazonaws\.com.*(?:Client\.Timeout exceeded|context deadline exceeded)/,
      weight: 'context',
      atLeast: 2,
    },
  },
  needs: ['aws/cluster', 'aws/instance'],
  symptoms: ['api-silent', 'boot-verdict'],
  withdrawnBy: ['api-answered', 'node-registered', 'node-ready'],
  match: (view) => matchEndpoint(view),
  summary: ({ cluster, cidrs, machine }) =>
    `The endpoint of cluster ${cluster ?? '<cluster>'} is public only and lets in ${cidrs ?? 'a few networks'}; ${machine ?? 'the machine'} comes from another address and gets no answer.`,
  remedy: ({ cluster, cidrs }) => [
    {
      text: 'Switch the private endpoint on, so that nodes need no public way.',
      command: `aws eks update-cluster-config --name ${cluster ?? '<cluster>'} --resources-vpc-config endpointPrivateAccess=true,endpointPublicAccess=true,publicAccessCidrs=${cidrs?.replaceAll("'", '').replaceAll(', ', ',') ?? '<cidrs>'}`,
    },
    {
      text: 'Or add the address of the nodes’ NAT gateway to the list.',
      command:
        'aws ec2 describe-nat-gateways --query NatGateways[].[VpcId,NatGatewayAddresses[].PublicIp]',
    },
  ],
  decide: {
    text: 'Compare the list with the address that the machine comes from.',
    command:
      'aws eks describe-cluster --name <cluster> --query cluster.resourcesVpcConfig.[endpointPrivateAccess,publicAccessCidrs]; curl -s https://checkip.amazonaws.com',
  },
  page: {
    why: 'Without the private endpoint nodes take the public way like everybody: out through NAT, in at the endpoint. A list made for administrators shuts them out, while kubectl at the office works.',
    prevent: 'Switch the private endpoint on whenever the public one is restricted.',
    notThis:
      'A private address in the time-out means that the private endpoint is used: api-port-blocked. No way out at all is no-nat-or-vpc-endpoints or public-subnet-without-public-ip.',
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/blob/HEAD/docs/faq.md',
    ],
  },
});

function matchEndpoint(
  view: View<'aws/cluster' | 'aws/instance', 'timedOut' | 'canceled'>,
): Match | null {
  const [cluster] = view.list('aws/cluster');
  if (cluster === undefined) return null;
  const cidrs = listAt(cluster.value, 'resourcesVpcConfig.publicAccessCidrs').map(String);
  const isPrivate = at(cluster.value, 'resourcesVpcConfig.endpointPrivateAccess');
  if (isPrivate === true || cidrs.length === 0 || cidrs.includes('0.0.0.0/0')) return clear;
  const instance = view
    .list('aws/instance')
    .find((entry) => textAt(entry.value, 'InstanceId') === view.instanceId);
  const own = instance === undefined ? null : textAt(instance.value, 'PublicIpAddress');
  if (own !== null && cidrs.some((cidr) => cidr === `${own}/32`)) return clear;
  const timedOut = view.sign('timedOut') ?? view.sign('canceled');
  if (timedOut === null || isPrivate !== false) return null;
  const name = textAt(cluster.value, 'name') ?? '';
  return found(
    { cluster: name, cidrs: cidrs.join(', ') },
    [
      timedOut.first,
      view.quote(
        cluster,
        `cluster ${name} endpointPrivateAccess false publicAccessCidrs ${cidrs.join(', ')}`,
      ),
    ],
    'likely',
  );
}
