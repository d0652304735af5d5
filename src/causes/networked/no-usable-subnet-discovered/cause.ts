import { defineCause } from '../../../diagnosis/cause.ts';

/** Subnet discovery is on, and tags exclude every subnet it could use. */
export default defineCause({
  id: 'no-usable-subnet-discovered',
  stage: 'networked',
  title: 'the VPC CNI’s subnet discovery finds no subnet it may use',
  scope: 'group',
  signs: {
    noneValid: {
      in: ['ipamd', 'aws-node'],
      anchors: [
        'no valid subnets available for ENI creation',
        'subnet is tagged with kubernetes.io/role/cni',
      ],
      pattern:
        /no valid subnets available for ENI creation|primary subnet is tagged with kubernetes\.io\/role\/cni=0/,
      weight: 'definite',
    },
    created: {
      in: ['ipamd'],
      anchors: ['Created a new ENI: eni-', 'Successfully created and attached a new ENI'],
      pattern: /Created a new ENI: eni-|Successfully created and attached a new ENI/,
      weight: 'withdraws',
    },
  },
  needs: [],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ machine }) =>
    `Tags exclude every subnet in the zone of ${machine ?? 'the node'} from the CNI’s subnet discovery, so it creates no interface for pods.`,
  remedy: () => [
    {
      text: 'Tag a subnet of the node’s zone for the CNI.',
      command: 'aws ec2 create-tags --resources <subnet> --tags Key=kubernetes.io/role/cni,Value=1',
    },
    {
      text: 'Or turn discovery off; the node’s own subnet is used then.',
      command: 'kubectl -n kube-system set env daemonset/aws-node ENABLE_SUBNET_DISCOVERY=false',
    },
  ],
  decide: {
    text: 'See which subnets carry the tag, and with which value.',
    command:
      'aws ec2 describe-subnets --filters Name=tag-key,Values=kubernetes.io/role/cni --query "Subnets[].[SubnetId,AvailabilityZone,AvailableIpAddressCount,Tags[?Key==\'kubernetes.io/role/cni\'].Value|[0]]" --output text',
  },
  page: {
    why: 'With ENABLE_SUBNET_DISCOVERY the CNI uses subnets tagged kubernetes.io/role/cni=1 and, since the value 0 excludes, not even the node’s own subnet when that is tagged 0.',
    prevent: 'Tag pod subnets in every zone where nodes run before excluding the node subnets.',
    notThis: 'A tagged subnet that is full is subnet-out-of-pod-addresses.',
    alsoKnownAs: ['no valid subnets available for ENI creation'],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/awsutils/awsutils.go',
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/2908',
    ],
  },
});
