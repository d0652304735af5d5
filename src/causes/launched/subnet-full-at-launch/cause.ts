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
import { foreseen, plannedDetails } from '../../../diagnosis/foresight.ts';
import type { PlanView } from '../../../diagnosis/plan-view.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';
import type { PlannedGroup } from '../../../domain/planned/groups.ts';
import { plannedRoom } from '../../../domain/planned/room.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { filledGroups } from '../../../domain/instances/launch.ts';
import type { Subnet } from '../../../evidence/aws/network.ts';

const LAUNCHERS = [
  'aws-message',
  'terraform',
  'client-output',
  'karpenter',
  'node-claim',
  'object',
  'event',
] as const;

/** The subnet has no address for the first interface of a new instance. */
const cause = defineCause({
  id: 'subnet-full-at-launch',
  stage: 'launched',
  title: 'the subnet has no free address for a new instance',
  scope: 'group',
  signs: {
    healthCode: definite(
      ['aws-message', 'terraform', 'client-output'],
      /\bInsufficientFreeAddresses\b/,
    ),
    activity: definite(
      LAUNCHERS,
      /not enough free addresses in subnet '?(?<subnet>subnet-[0-9a-f]+)/,
    ),
    healthSentence: definite(
      LAUNCHERS,
      /unable to launch instances because there are not enough free addresses in the subnet|not enough free IP addresses to launch a network interface/,
    ),
    fleet: definite(
      LAUNCHERS,
      /(?:fleet error|[Ll]aunching (?:nodeclaim|machine|instance|EC2)|creating (?:EC2 )?instance|[Cc]ould not launch|condition (?:Launched|NodeRegistrationHealthy)=).*\bInsufficientFreeAddressesInSubnet\b/,
    ),
    activityCode: definite(
      LAUNCHERS,
      /\bInsufficientFreeAddressesInSubnet\b.*Launching EC2 instance failed/,
    ),
    launchedAfter: withdraws(
      ['karpenter', 'event'],
      /\blaunched (?:nodeclaim|machine)\b|Type: Launched, Status: \w+ -> True/,
    ),
  },
  needs: ['aws/auto-scaling-group', 'aws/subnet'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'subnet-out-of-pod-addresses',
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ subnet, block, free, planned, wanted }) =>
    planned !== undefined
      ? sentence`The subnets of ${planned} (${block}) have ${free} addresses for the ${wanted} machines that it starts with, so the others will not be launched.`
      : `The subnet ${subnet ?? 'of the group'}${block === undefined ? '' : ` (${block}, ${free ?? '0'} addresses free)`} has no free address, so a new instance cannot get its first interface and is not launched.`,
  remedy: ({ subnet, planned }) =>
    planned !== undefined
      ? [
          step('Give the subnets a larger cidr_block, or the group more subnets.'),
          step('Or start with fewer machines.'),
        ]
      : [
          step(
            'See how many addresses each subnet has left.',
            `aws ec2 describe-subnets --subnet-ids ${subnet ?? '<subnet>'} --query Subnets[].[SubnetId,CidrBlock,AvailableIpAddressCount]`,
          ),
          step(
            'Delete interfaces that belong to no instance any more.',
            `aws ec2 describe-network-interfaces --filters Name=status,Values=available Name=subnet-id,Values=${subnet ?? '<subnet>'} --query NetworkInterfaces[].[NetworkInterfaceId,Description]`,
          ),
          step(
            'Add a larger subnet (a second CIDR if the VPC is full) to the group.',
            'aws autoscaling update-auto-scaling-group --auto-scaling-group-name <group> --vpc-zone-identifier <subnet>,<larger-subnet>',
          ),
        ],
  decide: step(
    'Count the free addresses of the group’s subnets.',
    'aws ec2 describe-subnets --subnet-ids <subnet> --query Subnets[].[SubnetId,AvailableIpAddressCount]',
  ),
  page: {
    why: 'Instances and pods share the subnet’s addresses when the VPC CNI gives pods VPC addresses. Warm pools on every node, small subnets and forgotten interfaces leave nothing for the next instance.',
    prevent: 'Give pods subnets of their own, and forecast with `rollcall capacity`.',
    notThis:
      'subnet-out-of-pod-addresses has the same error code, but from ipamd on a node that runs: pods wait there, machines here. Many interfaces in state available are leaked-network-interfaces. A lack of machines is insufficient-instance-capacity.',
    alsoKnownAs: [
      'InsufficientFreeAddressesInSubnet',
      'not enough free addresses in the subnet associated with your AutoScaling group',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://karpenter.sh/docs/troubleshooting/',
    ],
  },
});

export default foreseen(matched(cause, matchSubnets), foresee);

type Own = ViewOf<typeof cause>;

const FAILURES = ['healthCode', 'activity', 'healthSentence', 'fleet', 'activityCode'] as const;

/** The refusal as it was seen, with the subnet it means where its free addresses are known. */
function matchSubnets(view: Own): Match | null {
  const settled = clearWhenFilled(view, FAILURES);
  if (settled !== null) return settled;
  const failure = FAILURES.map((name) => view.sign(name)).find((seen) => seen !== null) ?? null;
  const full = failure === null ? null : fullSubnet(view, failure.last.captures['subnet'] ?? null);
  if (failure === null || full === null) return null;
  const subnet = full.value.SubnetId ?? '';
  const block = full.value.CidrBlock ?? '';
  const free = full.value.AvailableIpAddressCount ?? '0';
  const words = `subnet ${subnet} ${block} AvailableIpAddressCount ${free}`;
  return found({ ...failure.last.captures, subnet, block, free: String(free) }, [
    failure.first,
    view.quote(full, words),
  ]);
}

/** The subnet that the message names, or the only full one of the groups that lack instances. */
function fullSubnet(view: Own, named: string | null): Seen<Subnet> | null {
  const full = view.list('aws/subnet').filter(({ value }) => value.AvailableIpAddressCount === 0);
  const groups = view.list('aws/auto-scaling-group');
  const filled = filledGroups(groups);
  const subnets = groups
    .filter(({ value }) => !filled.has(value.AutoScalingGroupName ?? ''))
    .flatMap(({ value }) => (value.VPCZoneIdentifier ?? '').split(','));
  const ids = named === null ? subnets : [named];
  const own = full.filter(({ value }) => ids.includes(value.SubnetId ?? ''));
  return own.length === 1 ? (own[0] ?? null) : null;
}

/** Each machine takes an address at least, whatever its pods take besides. */
function foresee(plan: PlanView, group: PlannedGroup): Match | null {
  const room = plannedRoom(plan, group);
  if (room === null) return null;
  if (room.kind === 'unknown') return cannotSay(room.why);
  if (room.kind === 'enough') return clear;
  const block = room.subnets.map(({ value }) => value.CidrBlock ?? '').join(', ');
  const [free, wanted] = [String(room.free), String(room.wanted)];
  const { planned: name = '' } = plannedDetails(group);
  return found({ planned: name, block, free, wanted }, [
    plan.quote(group.fact, `starts with ${wanted} machines`),
    ...room.subnets.map((subnet) =>
      plan.quote(subnet, `cidr_block ${subnet.value.CidrBlock ?? ''}`),
    ),
  ]);
}
