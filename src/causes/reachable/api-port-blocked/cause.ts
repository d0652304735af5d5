import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';
import { at, type Json, listAt, textAt } from '../../../evidence/json.ts';

/** A security group lets nothing through between the machine and the API server. */
export default defineCause({
  id: 'api-port-blocked',
  stage: 'reachable',
  title: 'a security group, network ACL or route blocks the API server’s port',
  scope: 'machine',
  signs: {
    timedOut: {
      in: ['kubelet', 'kubeadm', 'cloud-init', 'bottlerocket', 'nodeup'],
      anchors: [
        'i/o timeout',
        'no route to host',
        'Client.Timeout exceeded',
        'context deadline exceeded',
      ],
      pattern:
        /(?:Unable to register node|[Ff]ailed to (?:list|watch) \*v1|[Ff]ailed to ensure lease|configmaps\/cluster-info).*(?:dial tcp (?<address>[\d.]+):(?:443|6443): (?:i\/o timeout|connect: no route to host|connect: connection timed out)|Client\.Timeout exceeded|context deadline exceeded)/,
      weight: 'context',
      atLeast: 2,
    },
  },
  needs: ['aws/instance', 'aws/security-group', 'aws/cluster'],
  symptoms: ['api-silent', 'boot-verdict'],
  withdrawnBy: ['api-answered', 'joined', 'node-registered', 'node-ready'],
  match: (view) => matchGroups(view),
  summary: ({ groups, direction, machine, address }) =>
    `The security groups ${groups ?? 'of the machine'} let no traffic ${direction ?? 'through'} on port 443, so ${machine ?? 'the machine'} gets no answer from the API server${address === undefined ? '' : ` at ${address}`}.`,
  remedy: ({ groups, direction }) =>
    direction === 'out of the machine'
      ? [
          {
            text: 'Let the machine’s group send.',
            command: `aws ec2 authorize-security-group-egress --group-id ${groups?.replaceAll("'", '').split(/[ ,]/)[0] ?? '<node-security-group>'} --protocol tcp --port 443 --cidr 0.0.0.0/0`,
          },
        ]
      : [
          {
            text: 'Let the nodes’ group in at the cluster’s group.',
            command: `aws ec2 authorize-security-group-ingress --group-id ${groups?.replaceAll("'", '').split(/[ ,]/)[0] ?? '<cluster-security-group>'} --protocol tcp --port 443 --source-group <node-security-group>`,
          },
        ],
  decide: {
    text: 'Try the port from the machine; a time-out means dropped packets, 401 or 403 that the path is fine.',
    command:
      'curl -sk -m 10 -o /dev/null -w "%{http_code} %{remote_ip}\\n" https://<endpoint-name>/healthz',
  },
  page: {
    why: 'A private endpoint is reached through the cluster’s interfaces, whose security groups have to let the nodes in on 443. Own node groups with a security group of their own, edited cluster groups and network ACLs without ephemeral ports drop the packets silently.',
    prevent:
      'Attach the EKS cluster security group to all nodes, or reference the nodes’ group in its rules by code.',
    notThis:
      'A time-out alone does not tell this from public-endpoint-cidr-restricted (the name resolves to public addresses), node-in-another-vpc or no-nat-or-vpc-endpoints; the security groups do. Connection refused is control-plane-down. Port 10250 in the other direction is node-ports-closed-to-control-plane.',
    alsoKnownAs: ['dial tcp 443: i/o timeout', 'Client.Timeout exceeded while awaiting headers'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/blob/HEAD/docs/faq.md',
    ],
  },
});

type Kinds = 'aws/instance' | 'aws/security-group' | 'aws/cluster';

function matchGroups(view: View<Kinds, 'timedOut'>): Match | null {
  const timedOut = view.sign('timedOut');
  const instance = view
    .list('aws/instance')
    .find((entry) => textAt(entry.value, 'InstanceId') === view.instanceId);
  if (timedOut === null || instance === undefined) return null;
  const nodeGroups = listAt(instance.value, 'SecurityGroups').map(
    (group) => textAt(group, 'GroupId') ?? '',
  );
  const groups = view.list('aws/security-group');
  const byId = (id: string): Json | undefined =>
    groups.find((group) => textAt(group.value, 'GroupId') === id)?.value;
  const own = nodeGroups.map(byId).filter((group) => group !== undefined);
  const address = timedOut.last.captures['address'];
  const proven = (blocking: readonly string[], direction: string): Match => {
    const quotes = groups
      .filter((group) => blocking.includes(textAt(group.value, 'GroupId') ?? ''))
      .map((group) =>
        view.quote(
          group,
          `SecurityGroup ${textAt(group.value, 'GroupId') ?? ''} has no rule for tcp 443 ${direction}`,
        ),
      );
    return found(
      { groups: blocking.join(', '), direction, ...(address === undefined ? {} : { address }) },
      [timedOut.first, ...quotes],
    );
  };
  if (
    own.length > 0 &&
    own.length === nodeGroups.length &&
    !own.some((group) => listAt(group, 'IpPermissionsEgress').some(opensApi))
  ) {
    return proven(nodeGroups, 'out of the machine');
  }
  const cluster = view.read('aws/cluster');
  if (
    cluster.state !== 'seen' ||
    at(cluster.value, 'resourcesVpcConfig.endpointPrivateAccess') !== true
  )
    return null;
  const ids = [
    textAt(cluster.value, 'resourcesVpcConfig.clusterSecurityGroupId') ?? '',
    ...listAt(cluster.value, 'resourcesVpcConfig.securityGroupIds').map(String),
  ].filter((id) => id !== '');
  const described = ids.map(byId).filter((group) => group !== undefined);
  if (described.length === 0 || described.length !== ids.length) return null;
  const letsIn = described.some((group) =>
    listAt(group, 'IpPermissions').some((rule) => opensApi(rule) && mayBeFrom(rule, nodeGroups)),
  );
  return letsIn ? null : proven(ids, 'in from the machine');
}

function opensApi(rule: Json): boolean {
  const protocol = textAt(rule, 'IpProtocol');
  const from = Number(textAt(rule, 'FromPort') ?? '0');
  const to = Number(textAt(rule, 'ToPort') ?? '65535');
  return protocol === '-1' || (protocol === 'tcp' && from <= 443 && to >= 443);
}

/** Address ranges and prefix lists are taken to contain the machine: only a clear lack counts. */
function mayBeFrom(rule: Json, nodeGroups: readonly string[]): boolean {
  const open = ['IpRanges', 'Ipv6Ranges', 'PrefixListIds'].some(
    (list) => listAt(rule, list).length > 0,
  );
  return (
    open ||
    listAt(rule, 'UserIdGroupPairs').some((pair) =>
      nodeGroups.includes(textAt(pair, 'GroupId') ?? ''),
    )
  );
}
