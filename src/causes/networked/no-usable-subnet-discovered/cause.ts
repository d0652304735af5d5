import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** Subnet discovery is on, and tags exclude every subnet it could use. */
export default defineCause({
  id: 'no-usable-subnet-discovered',
  stage: 'networked',
  title: 'the VPC CNI’s subnet discovery finds no subnet it may use',
  scope: 'group',
  signs: {
    noneValid: definite(
      ['ipamd', 'aws-node'],
      /no valid subnets available for ENI creation|primary subnet is tagged with kubernetes\.io\/role\/cni=0/,
    ),
    noneMatches: likely(
      ['cilium'],
      /No matching subnet available for interface creation(?: \((?<wanted>[^)]{1,200})\))?/,
    ),
    created: withdraws(
      ['ipamd'],
      /Created a new ENI: eni-|Successfully created and attached a new ENI/,
    ),
    excluded: context(
      ['ipamd', 'aws-node'],
      /Failed to check if primary subnet is excluded|No usable subnet, ENI creation skipped|checking to exclude configured subnet/,
    ),
  },
  needs: [],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ machine, wanted }) =>
    wanted !== undefined
      ? `Cilium knows no subnet for another interface of ${machine ?? 'the node'} (${wanted}), so pods there get no addresses.`
      : `Tags exclude every subnet in the zone of ${machine ?? 'the node'} from the CNI’s subnet discovery, so it creates no interface for pods.`,
  remedy: () => [
    step(
      'Tag a subnet of the node’s zone for the CNI.',
      'aws ec2 create-tags --resources <subnet> --tags Key=kubernetes.io/role/cni,Value=1',
    ),
    step(
      'Or turn discovery off; the node’s own subnet is used then.',
      'kubectl -n kube-system set env daemonset/aws-node ENABLE_SUBNET_DISCOVERY=false',
    ),
  ],
  decide: step(
    'See which subnets carry the tag, and with which value.',
    'aws ec2 describe-subnets --filters Name=tag-key,Values=kubernetes.io/role/cni --query "Subnets[].[SubnetId,AvailabilityZone,AvailableIpAddressCount,Tags[?Key==\'kubernetes.io/role/cni\'].Value|[0]]" --output text',
  ),
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
