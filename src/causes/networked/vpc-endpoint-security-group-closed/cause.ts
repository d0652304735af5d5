import { endpointPath, type EndpointPath } from '../../../domain/network/endpoints.ts';
import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { VpcEndpoint } from '../../../evidence/aws/network.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { isOnNode, hasSettled, podName } from '../../../domain/pods/pods.ts';
import type { Instance } from '../../../evidence/aws/instance.ts';
import type { Pod } from '../../../evidence/kube/pod.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { groupsNamed, machineOf } from '../../../domain/planned/machine.ts';

/** An AWS API name resolves to an endpoint in the VPC, and the endpoint does not answer. */
const cause = defineCause({
  id: 'vpc-endpoint-security-group-closed',
  stage: 'networked',
  title: 'interface endpoints do not admit the nodes',
  scope: 'machine',
  signs: {
    privateAddressSilent: likely(
      [
        'kubelet',
        'containerd',
        'event',
        'pod-status',
        'ipamd',
        'nodeadm',
        'cloud-init',
        'journal',
        'bottlerocket',
        'nodeup',
        'pod-app',
        'cloud-controller',
        'csi-driver',
      ],
      /\b(?<endpoint>(?:api\.ecr|\d{12}\.dkr\.ecr|sts|ec2|ssm|autoscaling|elasticloadbalancing)\.[a-z0-9-]+\.amazonaws\.com).*dial tcp (?<address>(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.[\d.]+):443: (?:i\/o timeout|connect: connection timed out)/,
      { anchors: ['amazonaws.com'] },
    ),
    toolTimesOut: context(
      ['client-output', 'cloud-init', 'journal'],
      /curl: \(28\) |Connect timeout on endpoint URL|(?:connect to \S{1,200}|Connection) timed out|i\/o timeout/,
      {
        anchors: ['curl: (28)', 'Connect timeout on endpoint', ' timed out', 'i/o timeout'],
        isBackground: true,
      },
    ),
    answered: withdraws(
      ['event', 'kubelet', 'containerd'],
      /Successfully pulled image "\d{12}\.dkr\.ecr\./,
    ),
    toldClosed: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b[Ss]ecurity [Gg]roups?\b.{0,40}\b(?:VPC|[Ii]nterface|ECR|STS|EC2) [Ee]ndpoints?\b.{0,60}\b(?:(?:did|do|does)(?: not|n't) (?:allow|permit|have|open|accept|admit)|block(?:s|ed|ing)?|ha[ds] no|had only|missing|lack(?:s|ed|ing)?)\b|\b(?:VPC|[Ii]nterface|ECR|STS|EC2) [Ee]ndpoints?(?:'s|'|s')? [Ss]ecurity [Gg]roups?\b.{0,60}\b(?:(?:did|do|does)(?: not|n't) (?:allow|permit|have|open|accept|admit)|block(?:s|ed|ing)?|ha[ds] no|missing|lack(?:s|ed|ing)?)\b/,
      { isTold: true, anchors: ['ndpoint'] },
    ),
    registryUnanswered: context(
      ['event', 'kubelet', 'containerd', 'client-output', 'pod-status', 'unknown'],
      /\.dkr\.ecr\.[\w-]{1,40}\.amazonaws\.com\/v2\/\S{0,200}: (?:net\/http: (?:request canceled while waiting for connection|TLS handshake timeout)|net\/http:\s*$|context deadline exceeded)/,
      { anchors: ['.dkr.ecr.'] },
    ),
  },
  needs: [
    'aws/vpc-endpoint',
    'aws/security-group',
    'aws/instance',
    'aws/cluster',
    'kube/Pod',
    'kube/Node',
  ],
  symptoms: ['image-not-pulled', 'boot-call-retried', 'machine-without-node'],
  withdrawnBy: [],
  explains: [
    'private-dns-name-lookup-failed',
    'sts-endpoint-unavailable',
    'describe-cluster-failed',
    'failed-user-script',
    'pause-image-pull-failed',
    'cni-image-pull-failed',
    'cni-configuration-missing',
    'ecr-api-endpoint-missing',
  ],
  summary: ({ endpoint, address, machine, groups, service, what }) =>
    groups !== undefined
      ? `The VPC endpoint ${endpoint ?? ''} for ${service ?? 'an AWS API'} has the security group ${groups}, which lets no tcp/443 in from ${machine ?? 'the machine'}; ${what ?? 'its calls get no answer'}.`
      : `${endpoint ?? 'An AWS API'} resolves to the endpoint ${address ?? 'in the VPC'}, which does not answer the nodes; its security group most likely does not admit them.`,
  remedy: ({ groups, source }) => [
    step(
      'Let the nodes in on 443.',
      `aws ec2 authorize-security-group-ingress --protocol tcp --port 443 --group-id ${groups?.split(', ')[0] ?? '<endpoint-security-group>'} --source-group ${source ?? '<node-security-group>'}`,
    ),
  ],
  decide: step(
    'See the security groups of the endpoints.',
    "aws ec2 describe-vpc-endpoints --query 'VpcEndpoints[].[ServiceName,Groups[].GroupId]' --output text",
  ),
  page: {
    why: 'With private DNS the API’s name resolves to the endpoint’s own interface. That interface has a security group, often the VPC’s default, which admits only itself.',
    prevent: 'Give endpoints a group that admits 443 from the whole VPC range.',
    notThis:
      'Names that resolve to public addresses and time out are no-nat-or-vpc-endpoints or ecr-api-endpoint-missing. The cluster’s own private endpoint (….eks.amazonaws.com) has its own causes.',
    alsoKnownAs: ['api.ecr dial tcp 10. i/o timeout', 'VPC endpoint times out from EKS nodes'],
    refs: [
      'https://github.com/kubernetes/kubernetes/issues/79535',
      'https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html',
    ],
  },
});

const judged = matched(cause, (view) => matchGroups(view) ?? matchEmptyGroup(view));

type Own = ViewOf<typeof cause>;

/** What a machine lacks while an endpoint does not let it in, with the services it asks for that. */
interface Lack {
  readonly services: readonly string[];
  readonly what: string;
  readonly fact: Seen<unknown>;
  readonly words: string;
}

function matchGroups(view: Own): Match | null {
  const instance = view
    .list('aws/instance')
    .find(({ value }) => value.InstanceId === view.instanceId);
  const lack = instance === undefined ? null : lackOf(view, instance);
  if (instance === undefined || lack === null) return null;
  const endpoints = view.list('aws/vpc-endpoint');
  if (view.read('aws/vpc-endpoint').state === 'unknown') return endpointsUnknown;
  const groups = view.list('aws/security-group');
  const paths = lack.services
    .map((service) => endpointPath(endpoints, groups, instance.value, service))
    .filter((path) => path !== null);
  const closed = paths.find(({ isOpen }) => !isOpen);
  if (closed !== undefined) return foundClosed(view, closed, lack);
  return paths.length === lack.services.length && view.sign('privateAddressSilent') === null
    ? clear
    : null;
}

const endpointsUnknown = cannotSay({
  reason: 'not-collected',
  detail: 'which VPC endpoints there are, and their security groups',
  collect: 'aws ec2 describe-vpc-endpoints',
});

/** Nodes of EKS ask EC2 for their name before they register, and ECR for the images of their CNI. */
function lackOf(view: Own, instance: Seen<Instance>): Lack | null {
  const id = view.instanceId ?? '';
  if (view.shows('machine-without-node') && isOfCluster(view, instance.value)) {
    const what = 'it cannot ask for its own name, and never registers';
    return { services: ['ec2'], what, fact: instance, words: `${id} runs and has no Node` };
  }
  const pod = view.list('kube/Pod').find((one) => waitsForEcr(view, one));
  if (pod === undefined) return null;
  const image = imagesWaiting(pod).find((name) => ECR.test(name)) ?? '';
  const what = `the image ${image} of ${podName(pod.value)} is not pulled`;
  const words = `Pod ${podName(pod.value)} waits for the image ${image}`;
  return { services: ['ecr.api', 'ecr.dkr'], what, fact: pod, words };
}

function isOfCluster(view: Own, instance: Instance): boolean {
  const [cluster, ...others] = view.list('aws/cluster');
  const vpc = cluster?.value.resourcesVpcConfig?.vpcId ?? null;
  return others.length === 0 && vpc !== null && vpc === instance.VpcId;
}

const ECR = /^\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com/;

function waitsForEcr(view: Own, pod: Seen<Pod>): boolean {
  const isHere = view.node !== null && isOnNode(pod.value, view.node);
  return isHere && imagesWaiting(pod).some((image) => ECR.test(image)) && hasSettled(pod, view);
}

/** Images for which containers of a pod have waited longer than a registry takes to answer. */
function imagesWaiting(pod: Seen<Pod>): readonly string[] {
  const { initContainerStatuses, containerStatuses } = pod.value.status ?? {};
  return [...(initContainerStatuses ?? []), ...(containerStatuses ?? [])]
    .filter(({ state }) => /^(?:ErrImagePull|ImagePullBackOff)$/.test(state?.waiting?.reason ?? ''))
    .map(({ image }) => image ?? '');
}

function foundClosed(view: Own, path: EndpointPath, lack: Lack): Match {
  const { endpointId, serviceName, groupIds, nodeGroupIds } = path;
  const groups = groupIds.join(', ');
  const [source] = nodeGroupIds;
  const from = `from ${nodeGroupIds.join(', ') || 'no security group'} of the machine`;
  return found(
    {
      endpoint: endpointId,
      service: serviceName,
      groups,
      what: lack.what,
      ...(source === undefined ? {} : { source }),
    },
    [
      view.quote(
        path.endpoint,
        `VpcEndpoint ${endpointId} ${serviceName} PrivateDnsEnabled true, security groups ${groups}`,
      ),
      ...path.groups.map((group) =>
        view.quote(
          group,
          `SecurityGroup ${group.value.GroupId ?? ''} has no rule for tcp 443 ${from}`,
        ),
      ),
      view.quote(lack.fact, lack.words),
    ],
  );
}

/** A group of an endpoint that admits nobody at all, whoever asks. */
function matchEmptyGroup(view: Own): Match | null {
  const silent = view.sign('privateAddressSilent') ?? view.sign('toolTimesOut');
  if (silent === null) return null;
  for (const group of view.everywhere('aws/security-group')) {
    const id = group.value.GroupId ?? '';
    const endpoint = view
      .everywhere('aws/vpc-endpoint')
      .find(({ value }) => isGuardedBy(value, id));
    if (endpoint === undefined || group.value.IpPermissions?.length !== 0) continue;
    const service = endpoint.value.ServiceName ?? '';
    const details = { service, groups: id, endpoint: endpoint.value.VpcEndpointId ?? '' };
    return found(
      details,
      [
        view.quote(endpoint, `VpcEndpoint for ${service} with the security group ${id}`),
        view.quote(group, `SecurityGroup ${id} has no inbound rule`),
        silent.last,
      ],
      'likely',
    );
  }
  return null;
}

/** True where this group is the only one of the endpoint. */
function isGuardedBy({ Groups: groups }: VpcEndpoint, id: string): boolean {
  return groups?.length === 1 && groups[0]?.GroupId === id;
}

export default foreseenByMatch(
  judged,
  (plan, group) => {
    const { securityGroups, vpc } = machineOf(plan, group);
    return vpc !== null && groupsNamed(plan, securityGroups) !== null ? true : null;
  },
  {
    remedy: ({ groups, source }) => [
      step(
        `Add an aws_vpc_security_group_ingress_rule to ${groups ?? 'the endpoint’s group'}: tcp 443 from ${source ?? 'the nodes’ group'} or from the CIDR block of the VPC.`,
      ),
    ],
  },
);
