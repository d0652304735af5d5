import { addressShortage, SHORTAGE_KINDS } from '../../../capacity/address-shortage.ts';
import { arithmeticLine } from '../../../capacity/eni.ts';
import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';
import { waitingWords } from '../../../domain/pods/pods-seen.ts';

/** EC2 refuses a further interface: the instance has as many as its type may have. */
const cause = defineCause({
  id: 'eni-limit-reached',
  stage: 'networked',
  title: 'the instance has as many network interfaces as its type allows',
  scope: 'machine',
  signs: {
    attachRefused: context(
      ['ipamd', 'aws-node', 'event'],
      /AttachmentLimitExceeded(?:: Interface count (?<count>\d+) exceeds the limit for (?<type>[a-z0-9-]+\.[a-z0-9-]+))?/,
    ),
    // Of an excerpt nobody can say which interface is one too many; a log has more exact causes.
    attachRefusedAlone: likely(
      ['ipamd', 'aws-node'],
      /AttachmentLimitExceeded: Interface count (?<count>\d+) exceeds the limit for (?<type>[a-z0-9-]+\.[a-z0-9-]+)/,
      { anchors: ['AttachmentLimitExceeded'], atLeast: 1_000, enoughOnce: 'end' },
    ),
    noDevice: likely(['ipamd', 'aws-node'], /no available device number/),
    limitExceeded: context(
      ['ipamd', 'aws-node'],
      /[Ee]xceeded instance (?:eni|ENI) attachment limit/,
    ),
    foreignInterface: context(
      ['ipamd', 'aws-node'],
      /Skipping ENI (?<foreign>eni-[0-9a-f]+): since it is unmanaged/,
    ),
    saturated: context(
      ['ipamd'],
      /Skipping .{0,60}(?:max ENI limit (?:of \d+ )?is already reached|max ENI already attached)/,
      { anchors: ['as the max ENI limit', 'due to max ENI already attached'] },
    ),
    attached: withdraws(
      ['ipamd'],
      /Successfully created and attached a new ENI|[Ss]uccessfully increased IP/,
    ),
    noneLeft: context(['cilium'], /Instance is out of interfaces/),
  },
  needs: SHORTAGE_KINDS,
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ type, machine, foreign }) =>
    sentence`EC2 attaches no further network interface to ${machine ?? 'the instance'}${phrase` (${type})`}${phrase`, where ${foreign} is not the CNI’s own`}, so it gets no more pod addresses.`,
  remedy: () => [
    step(
      'See who owns the interfaces: those without the CNI’s tag count too.',
      "aws ec2 describe-network-interfaces --filters Name=attachment.instance-id,Values=<instance> --query 'NetworkInterfaces[].[NetworkInterfaceId,Description,Attachment.DeviceIndex]' --output text",
    ),
    step(
      'Get more addresses out of each interface.',
      'kubectl -n kube-system set env daemonset/aws-node ENABLE_PREFIX_DELEGATION=true WARM_PREFIX_TARGET=1',
    ),
    step('Or use a larger type, with max-pods set for it.'),
  ],
  decide: step(
    'Read what EC2 said to the last attempt.',
    "sudo grep -E 'AttachmentLimitExceeded|device number|max ENI limit' /var/log/aws-routed-eni/ipamd.log | tail -n 5",
  ),
  page: {
    why: 'Each type has a number of interfaces. Others than the CNI take some of them: a second interface from the launch template, Multus, a trunk interface for security groups of pods.',
    prevent:
      'Reserve foreign interfaces in max-pods, mark them node.k8s.amazonaws.com/no_manage, or use prefix delegation.',
    notThis:
      '“Skipping ENI allocation as the max ENI limit is already reached” is normal at saturation; AttachmentLimitExceeded counts only beside an interface that is not the CNI’s own. With pods that find no address it is max-pods-above-address-capacity. When ipamd’s own count reaches EC2’s limit and it tries on, it is wrong-eni-limit-in-cni.',
    alsoKnownAs: ['AttachmentLimitExceeded: Interface count exceeds the limit'],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/36',
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/547',
    ],
  },
});

export default matched(cause, matchLimit);

type Own = ViewOf<typeof cause>;

/** EC2's refusal has several reasons; a foreign interface on the instance makes it this one. */
function matchLimit(view: Own): Match | null {
  const refused = view.sign('attachRefused') ?? view.sign('limitExceeded');
  const foreign = view.sign('foreignInterface');
  if (refused === null || foreign === null) return matchAttached(view);
  const details = { ...refused.last.captures, ...foreign.last.captures };
  return found(details, [refused.last, foreign.last], 'likely');
}

/** Every interface that the type may have is attached, and one of them is not the CNI's own. */
function matchAttached(view: Own): Match | null {
  const shortage = addressShortage(view);
  if (shortage === null || shortage.isFull !== true || shortage.budget === null) return null;
  const { attached, typeName, budget, waiting, instance } = shortage;
  const [foreign] = attached.foreign;
  const [first] = waiting;
  if (foreign === undefined || first === undefined) return null;
  return found({ type: typeName, foreign }, [
    view.quote(instance, `${typeName}: ${arithmeticLine(budget)}; ${attached.enis} attached`),
    view.quote(instance, `NetworkInterface ${foreign} is not the CNI's own`),
    view.quote(first, `${waitingWords(first)} (${waiting.length} pods)`),
  ]);
}
