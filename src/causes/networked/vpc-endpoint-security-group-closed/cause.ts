import { defineCause } from '../../../diagnosis/cause.ts';

/** An AWS API name resolves to an endpoint in the VPC, and the endpoint does not answer. */
export default defineCause({
  id: 'vpc-endpoint-security-group-closed',
  stage: 'networked',
  title: 'interface endpoints do not admit the nodes',
  scope: 'group',
  signs: {
    privateAddressSilent: {
      in: [
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
      anchors: ['amazonaws.com'],
      pattern:
        /\b(?<endpoint>(?:api\.ecr|\d{12}\.dkr\.ecr|sts|ec2|ssm|autoscaling|elasticloadbalancing)\.[a-z0-9-]+\.amazonaws\.com)\S* ?:? ?.*dial tcp (?<address>(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.[\d.]+):443: (?:i\/o timeout|connect: connection timed out)/,
      weight: 'likely',
    },
    answered: {
      in: ['event', 'kubelet', 'containerd'],
      anchors: ['Successfully pulled image'],
      pattern: /Successfully pulled image "\d{12}\.dkr\.ecr\./,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['image-not-pulled', 'boot-call-retried'],
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
  summary: ({ endpoint, address }) =>
    `${endpoint ?? 'An AWS API'} resolves to the endpoint ${address ?? 'in the VPC'}, which does not answer the nodes; its security group most likely does not admit them.`,
  remedy: () => [
    {
      text: 'Let the nodes in on 443.',
      command:
        'aws ec2 authorize-security-group-ingress --protocol tcp --port 443 --group-id <endpoint-security-group> --source-group <node-security-group>',
    },
  ],
  decide: {
    text: 'See the security groups of the endpoints.',
    command:
      "aws ec2 describe-vpc-endpoints --query 'VpcEndpoints[].[ServiceName,Groups[].GroupId]' --output text",
  },
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
