import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context } from '../../../diagnosis/sign.ts';

/** ipamd counts every interface the instance has and still believes one more would fit. */
const cause = defineCause({
  id: 'wrong-eni-limit-in-cni',
  stage: 'networked',
  title: 'the VPC CNI allows more network interfaces than EC2 for this type',
  scope: 'machine',
  signs: {
    attachRefused: context(
      ['ipamd', 'aws-node'],
      /AttachmentLimitExceeded: Interface count (?<count>\d+) exceeds the limit for (?<type>[a-z0-9-]+\.[a-z0-9-]+)/,
    ),
    counted: context(
      ['ipamd'],
      /(?:Total number of interfaces found: |DescribeAllENIs success: ENIs: )(?<known>\d+)/,
    ),
    poolFull: context(
      ['ipamd'],
      /IP (?:Address )?[Pp]ool stats: [Tt]otal(?: IPs\/Prefixes)?[ =:]+(?<total>\d+).{1,80}(?:maxIPsPerENI|maxAddrsPerENI) = (?<perEni>\d+)/,
    ),
    beyondSlots: context(
      ['ipamd', 'aws-node'],
      /The Device Index \d+ of the attached ENI eni-[0-9a-f]+ > instance max slot/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['eni-limit-reached', 'max-pods-above-address-capacity'],
  summary: ({ type, known, machine }) =>
    `ipamd counts ${known ?? 'all'} interfaces on ${machine ?? 'the instance'} and asks EC2 for one more than ${type ?? 'the type'} may have; its table is wrong for the type, so the last pods get no address.`,
  remedy: ({ type }) => [
    step(
      'Update the CNI; later releases correct the table.',
      'aws eks update-addon --cluster-name <cluster> --addon-name vpc-cni --resolve-conflicts PRESERVE',
    ),
    step(
      'Meanwhile set max-pods to what EC2 really allows.',
      `aws ec2 describe-instance-types --instance-types ${type ?? '<type>'} --query 'InstanceTypes[].NetworkInfo.[MaximumNetworkInterfaces,Ipv4AddressesPerInterface]'`,
    ),
  ],
  decide: step(
    'Compare EC2’s limit with the number of interfaces ipamd has.',
    "aws ec2 describe-instance-types --instance-types <type> --query 'InstanceTypes[].NetworkInfo.MaximumNetworkInterfaces'; curl -s http://localhost:61679/v1/enis",
  ),
  page: {
    why: 'The limits of types are compiled into the CNI; for some new types the table was wrong at first.',
    prevent: 'Keep the CNI current and derive max-pods from EC2’s own figures.',
    notThis:
      'When ipamd knows fewer interfaces than EC2 counts it lost some (ipamd-state-out-of-sync) or others own them (eni-limit-reached).',
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/2309',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/vpc/vpc_ip_resource_limit.go',
    ],
  },
});

export default matched(cause, matchCounts);

type Own = ViewOf<typeof cause>;

/** EC2's count includes the refused interface, so its limit is one less. */
function matchCounts(view: Own): Match | null {
  const refused = view.sign('attachRefused')?.last;
  const counted = view.sign('counted')?.last;
  const pool = view.sign('poolFull')?.last;
  if (refused === undefined) return null;
  const limit = Number(refused.captures['count']) - 1;
  const { total, perEni } = pool?.captures ?? {};
  const inPool = total === undefined ? 0 : Math.ceil(Number(total) / Math.max(Number(perEni), 1));
  const proof =
    inPool === limit ? pool : Number(counted?.captures['known']) === limit ? counted : undefined;
  if (proof === undefined) return null;
  return found({ known: String(limit), ...refused.captures }, [refused, proof], 'likely');
}
