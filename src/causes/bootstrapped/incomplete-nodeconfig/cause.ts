import { defineCause } from '../../../diagnosis/cause.ts';

/** The NodeConfig parses but does not name everything that nodeadm must know of the cluster. */
export default defineCause({
  id: 'incomplete-nodeconfig',
  stage: 'bootstrapped',
  title: 'the NodeConfig lacks a mandatory cluster field',
  scope: 'machine',
  signs: {
    fieldMissing: {
      in: ['nodeadm', 'cloud-init', 'console'],
      anchors: ['is missing in cluster configuration'],
      pattern:
        /(?<field>Name|Apiserver endpoint|Certificate authority|CIDR) is missing in cluster configuration/i,
      weight: 'definite',
    },
    outpostId: {
      in: ['nodeadm', 'cloud-init', 'console'],
      anchors: ['cluster ID must be provided for outposts'],
      pattern: /(?<field>cluster ID) must be provided for outposts/i,
      weight: 'definite',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, field }) =>
    `The NodeConfig of ${machine ?? 'the machine'} does not give the cluster’s ${field ?? 'name, endpoint, certificate authority or CIDR'}; nodeadm refuses it and the kubelet is never configured.`,
  remedy: () => [
    {
      text: 'Read the values.',
      command:
        "aws eks describe-cluster --name <cluster> --query 'cluster.{name:name,apiServerEndpoint:endpoint,certificateAuthority:certificateAuthority.data,cidr:kubernetesNetworkConfig.serviceIpv4Cidr}'",
    },
    {
      text: 'Write all four under spec.cluster of the NodeConfig in the launch template and replace the machines.',
      command: 'nodeadm config check -c file://nodeconfig.yaml',
    },
  ],
  decide: {
    text: 'Read what nodeadm says about its configuration.',
    command: 'journalctl -u nodeadm-config --no-pager | tail -n 20',
  },
  page: {
    why: 'bootstrap.sh of Amazon Linux 2 filled in endpoint, certificate authority and service CIDR from DescribeCluster. nodeadm does not call EKS, so every field has to be in user data; a Terraform output that is empty at plan time is enough to lose one.',
    prevent:
      'Let one module render the whole spec.cluster block from the cluster it creates, and fail the plan when a value is empty.',
    notThis:
      'No NodeConfig at all is nodeconfig-missing. A value that is there but wrong passes this check and fails later, for example as untrusted-api-certificate or api-name-unresolvable.',
    alsoKnownAs: [
      'CIDR is missing in cluster configuration',
      'Apiserver endpoint is missing in cluster configuration',
    ],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/nodeadm/internal/api/validation.go',
    ],
  },
});
