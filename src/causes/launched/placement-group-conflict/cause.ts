import { defineCause, step, matched } from '../../../diagnosis/cause.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';

const LAUNCHERS = [
  'aws-message',
  'terraform',
  'client-output',
  'karpenter',
  'node-claim',
  'object',
  'event',
] as const;

/** The launch asks for a placement group that is gone, full, or not for such instances. */
const cause = defineCause({
  id: 'placement-group-conflict',
  stage: 'launched',
  title: 'the launch does not fit its placement group',
  scope: 'group',
  signs: {
    typeNotAllowed: definite(
      LAUNCHERS,
      /placement groups may not be used with instances of type '?(?<type>[a-z0-9-]+\.[a-z0-9-]+)/i,
      { anchors: ['lacement groups may not be used with instances of type'] },
    ),
    unknownGroup: definite(
      LAUNCHERS,
      /\bInvalidPlacementGroup(?:Id)?\.(?:Unknown|NotFound|Malformed)\b(?:.*?placement group '?(?<placement>[\w.-]{1,255})'?)?|\bplacement group '?(?<placement2>[\w.-]{1,255})'? (?:is unknown|does not exist)/i,
      { anchors: ['InvalidPlacementGroup.', 'InvalidPlacementGroupId.', 'lacement Group '] },
    ),
    doesNotFit: likely(
      LAUNCHERS,
      /(?:\bspread placement group|\bplacement group)s?\b.{0,160}?(?<reason>(?:multiple|more than one|different|several|another) Availability Zones?|reached (?:its|the) (?:limit|maximum)|maximum (?:of|number)|(?:is|are) not supported|cannot be used|not (?:valid|allowed|compatible))/i,
      { anchors: ['lacement group', 'PlacementGroup'] },
    ),
    launchedAfter: withdraws(
      ['karpenter', 'event'],
      /\blaunched (?:nodeclaim|machine)\b|Type: Launched, Status: \w+ -> True/,
    ),
    activitySucceeded: withdraws(
      ['aws-message'],
      /\bSuccessful\b.{0,20}\bLaunching a new EC2 instance: i-/,
    ),
    boundToZone: definite(
      LAUNCHERS,
      /Instances in the (?<placement>\S{1,255}) Placement Group (?<reason>must be launched in the [a-z0-9-]+ Availability Zone)/i,
      { anchors: ['lacement Group must be launched', 'lacement group must be launched'] },
    ),
  },
  needs: ['aws/auto-scaling-group'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'insufficient-instance-capacity',
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ type, placement, placement2, reason }) =>
    type === undefined
      ? `The launch does not fit its placement group${(placement ?? placement2) === undefined ? '' : ` ${placement ?? placement2 ?? ''}`} (${reason ?? 'EC2 does not know the group here'}), so EC2 refuses it.`
      : `Instances of type ${type} may not be in the launch’s placement group, so EC2 refuses them.`,
  remedy: ({ placement, placement2 }) => [
    step(
      'See the placement groups of the region, their strategy and state.',
      "aws ec2 describe-placement-groups --query 'PlacementGroups[].[GroupName,Strategy,State,PartitionCount]' --output table",
    ),
    step(
      'See which instances are in it; a spread group takes seven of each zone.',
      `aws ec2 describe-instances --filters Name=placement-group-name,Values=${placement ?? placement2 ?? '<placement-group>'} Name=instance-state-name,Values=pending,running --query 'Reservations[].Instances[].[InstanceId,InstanceType,Placement.AvailabilityZone]'`,
    ),
    step(
      'Use a type that the strategy allows, one zone for a cluster strategy, or a template without a placement group.',
    ),
  ],
  decide: step(
    'Compare the template’s placement with the placement groups that exist.',
    "aws ec2 describe-launch-template-versions --launch-template-id <template> --versions '$Default' --query 'LaunchTemplateVersions[].LaunchTemplateData.[InstanceType,Placement]'",
  ),
  page: {
    why: 'A cluster placement group holds instances of one zone and of current types only, a spread group seven of each zone, and a group exists in one region. Templates copied between regions and groups over several zones break these rules.',
    prevent: 'Give each zone its own node group when it uses a cluster placement group.',
    notThis:
      'A zone without capacity is insufficient-instance-capacity, even when a placement group narrows the choice. A Karpenter node class whose selector finds no placement group is karpenter-nodeclass-not-ready.',
    alsoKnownAs: [
      'Placement groups may not be used with instances of type',
      'InvalidPlacementGroup.Unknown',
    ],
    refs: [
      'https://docs.aws.amazon.com/autoscaling/ec2/userguide/ts-as-instancelaunchfailure.html',
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-groups.html',
    ],
  },
});

export default matched(cause, (view) =>
  clearWhenFilled(view, ['typeNotAllowed', 'unknownGroup', 'doesNotFit']),
);
