import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';
import { textAt, type Json } from '../../../evidence/json.ts';

/** Interfaces that the CNI made stay behind unattached and hold addresses of the subnet. */
export default defineCause({
  id: 'leaked-network-interfaces',
  stage: 'networked',
  title: 'network interfaces left behind by instances eat the subnet',
  scope: 'cluster',
  signs: {
    notRemoved: {
      in: ['ipamd', 'aws-node'],
      anchors: ['Failed to clean up leaked ENI', 'Unable to get leaked ENIs'],
      pattern: /Failed to clean up leaked ENI (?<eni>eni-[0-9a-f]+)|Unable to get leaked ENIs/,
      weight: 'context',
    },
    notDetached: {
      in: ['ipamd', 'aws-node'],
      anchors: ['unable to detach ENI from EC2 instance, giving up'],
      pattern: /unable to detach ENI from EC2 instance, giving up/,
      weight: 'context',
    },
  },
  needs: ['aws/network-interface'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['subnet-out-of-pod-addresses', 'network-interface-quota-reached'],
  match: (view) => matchLeaks(view),
  summary: ({ count, owner }) =>
    `${count ?? 'Several'} unattached interfaces of the CNI (of ${owner ?? 'instances that are gone'} and others) hold addresses that no pod can use.`,
  remedy: ({ owner }) => [
    {
      text: 'List them with the instance that made them, and see that it is gone.',
      command:
        "aws ec2 describe-network-interfaces --filters Name=status,Values=available Name=tag-key,Values=node.k8s.amazonaws.com/instance_id --query 'NetworkInterfaces[].[NetworkInterfaceId,SubnetId,Description]' --output text",
    },
    {
      text: 'Delete those whose instance no longer exists.',
      command: `aws ec2 describe-network-interfaces --filters Name=status,Values=available 'Name=description,Values=aws-K8S-${owner ?? '<instance-that-is-gone>'}' --query 'NetworkInterfaces[].NetworkInterfaceId' --output text | xargs -n1 aws ec2 delete-network-interface --network-interface-id`,
    },
    {
      text: 'Update the CNI, whose later releases clean up by themselves, and drain nodes before terminating them.',
      command: null,
    },
  ],
  decide: {
    text: 'Count unattached interfaces that the CNI made.',
    command:
      "aws ec2 describe-network-interfaces --filters Name=status,Values=available 'Name=description,Values=aws-K8S-*' --query 'length(NetworkInterfaces)'",
  },
  page: {
    why: 'An instance that is terminated between creating and attaching an interface, or while it detaches one, leaves it behind in state available.',
    prevent:
      'A current CNI (its cleanup needs ec2:DescribeNetworkInterfaces and ec2:DeleteNetworkInterface) and draining before termination.',
    notThis:
      'One unattached interface of a living instance is being attached. “Found n leaked ENIs” in the log is the cleanup doing its work.',
    alsoKnownAs: ['leaked ENIs', 'aws-K8S-i- available'],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/69',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/awsutils/awsutils.go',
    ],
  },
});

const LEAKED_MIN = 5;

/** ipamd attaches one interface at a time, so two unattached ones of an instance are left over. */
function matchLeaks(
  view: View<'aws/network-interface', 'notRemoved' | 'notDetached'>,
): Match | null {
  const left = view.list('aws/network-interface').filter((entry) => ownerOf(entry.value) !== null);
  const owners = left.map((entry) => ownerOf(entry.value) ?? '');
  const twice = owners.find((owner, index) => owners.indexOf(owner) !== index);
  const [first] = left;
  if (first === undefined || (twice === undefined && left.length < LEAKED_MIN)) return null;
  const quotes = left
    .slice(0, 4)
    .map((entry, index) =>
      view.quote(
        entry,
        `NetworkInterface ${textAt(entry.value, 'NetworkInterfaceId') ?? ''} available, aws-K8S-${owners[index] ?? ''}`,
      ),
    );
  return found({ count: String(left.length), owner: twice ?? owners[0] ?? '' }, quotes, 'likely');
}

function ownerOf(item: Json): string | null {
  if (textAt(item, 'Status') !== 'available') return null;
  return /^aws-K8S-(i-[0-9a-f]+)$/.exec(textAt(item, 'Description') ?? '')?.[1] ?? null;
}
