import { defineCause, matched, step } from '../../../diagnosis/cause.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';

const LAUNCHERS = ['aws-message', 'terraform', 'client-output', 'karpenter', 'node-claim'] as const;

/** EC2 itself has no machine of this type left where it was asked for. */
const cause = defineCause({
  id: 'insufficient-instance-capacity',
  stage: 'launched',
  title: 'EC2 has no capacity for the instance type in that zone',
  scope: 'group',
  signs: {
    zoneExhausted: definite(
      LAUNCHERS,
      /do not have sufficient (?<type>[a-z0-9-]+\.[a-z0-9-]+) capacity in the Availability Zone you requested \((?<zone>[a-z0-9-]+)\)/,
      { anchors: ['do not have sufficient '] },
    ),
    code: definite(LAUNCHERS, /\bInsufficientInstanceCapacity\b/),
    reservation: definite(
      LAUNCHERS,
      /\bReservationCapacityExceeded\b|requested reservation does not have sufficient compatible and available capacity/,
    ),
    event: likely(
      ['event'],
      /\b(?:InsufficientCapacityError|FailedCreate)\b.*\b(?:InsufficientInstanceCapacity\b|UnfulfillableCapacity\b|all requested instance types were unavailable)/,
      { strict: true, atLeast: 2, enoughOnce: 'end' },
    ),
    noSpotCapacity: definite(
      LAUNCHERS,
      /There is no Spot capacity available that matches your request/,
    ),
    unfulfillable: likely(
      LAUNCHERS,
      /\bUnfulfillableCapacity\b|all requested instance types were unavailable during launch|no capacity offerings are currently available given the constraints/,
    ),
    launchedAfter: withdraws(
      ['karpenter', 'event'],
      /\b[Ll]aunched (?:nodeclaim|machine|(?:new )?instance)\b|Type: Launched, Status: \w+ -> True/,
      {
        anchors: [
          'launched nodeclaim',
          'launched machine',
          'aunched instance',
          'launched new instance',
          'Type: Launched, Status: ',
        ],
      },
    ),
    activitySucceeded: withdraws(
      ['aws-message'],
      /\bSuccessful\b.{0,20}\bLaunching a new EC2 instance: i-/,
    ),
  },
  needs: ['aws/auto-scaling-group'],
  symptoms: ['pod-not-scheduled', 'group-cannot-launch'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ type, zone }) =>
    `EC2 has no ${type ?? 'instance of the requested type'} left in ${zone ?? 'the requested zone'}, so the launch ended before an instance existed.`,
  remedy: ({ type }) => [
    step(
      'See in which zones the type is offered, and give the group subnets in more of them.',
      `aws ec2 describe-instance-type-offerings --location-type availability-zone --filters Name=instance-type,Values=${type ?? '<type>'} --query InstanceTypeOfferings[].Location`,
    ),
    step(
      'Let the group choose among more types; a node group that ended in CREATE_FAILED has to be made again.',
      'aws autoscaling update-auto-scaling-group --auto-scaling-group-name <group> --vpc-zone-identifier <subnet>,<subnet-of-another-zone>',
    ),
  ],
  decide: step(
    'Read why the last launches of the group failed.',
    'aws autoscaling describe-scaling-activities --auto-scaling-group-name <group> --max-items 10 --query Activities[].[StartTime,StatusCode,StatusMessage]',
  ),
  page: {
    why: 'A zone has a finite number of machines of each type. GPU, metal and very new types, spot requests, and groups tied to one zone meet the limit first. The instance never gets an id, so EC2 shows nothing to inspect.',
    prevent:
      'Spread a group over three zones and several types of like size; reserve capacity (ODCR) for types that cannot be replaced.',
    notThis:
      'A message that names a limit (VcpuLimitExceeded, MaxSpotInstanceCountExceeded) is account-quota-reached: other zones do not help there. A type that the zone never offers is unsupported-instance-type-or-architecture. No free address is subnet-full-at-launch. Karpenter prints this in passing and takes another type; only without a launch afterwards is it a failure.',
    alsoKnownAs: [
      'InsufficientInstanceCapacity',
      'We currently do not have sufficient capacity in the Availability Zone you requested',
    ],
    refs: [
      'https://github.com/aws/containers-roadmap/issues/2204',
      'https://github.com/aws/karpenter-provider-aws/issues/5578',
    ],
  },
});

export default matched(cause, (view) =>
  clearWhenFilled(view, ['zoneExhausted', 'code', 'event', 'noSpotCapacity', 'unfulfillable']),
);
