import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { type ShortGroup, shortGroups } from '../../../domain/instances/launch.ts';
import type { Image, DescribedType } from '../../../evidence/aws/instance.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { launchedBy, machineOf } from '../../../domain/planned/machine.ts';
import { knownType } from '../../../capacity/known-type.ts';
import type { Planned } from '../../../evidence/planned.ts';

const LAUNCHERS = [
  'aws-message',
  'terraform',
  'client-output',
  'karpenter',
  'node-claim',
  'object',
  'event',
] as const;

const FAILURES = [
  'notInZone',
  'architecture',
  'noSuchType',
  'refusedByEks',
  'notInRegion',
  'networkDriver',
  'configuration',
] as const;

/** The zone does not have the type, or the type cannot run the image. */
const cause = defineCause({
  id: 'unsupported-instance-type-or-architecture',
  stage: 'launched',
  title: 'the instance type is not offered in the zone or does not fit the machine image',
  scope: 'group',
  signs: {
    notInZone: definite(
      LAUNCHERS,
      /requested instance type \((?<type>[^)\s]+)\) is not supported in your requested Availability Zone(?: \((?<zone>[^)\s]+)\))?/,
    ),
    architecture: definite(
      LAUNCHERS,
      /architecture '(?<typeArchitecture>\w+)' of the specified instance type does not match the architecture '(?<imageArchitecture>\w+)'/,
    ),
    noSuchType: definite(
      LAUNCHERS,
      /\bEc2InstanceTypeDoesNotExist\b|\bFreeTierIneligible\b|instance type is not eligible for Free Tier/,
    ),
    refusedByEks: definite(
      ['aws-message', 'terraform', 'client-output'],
      /supplied instance types do not exist: \[(?<type>[\w.,\s-]+)\]|\[(?<type2>[\w.,\s-]+)\] (?:is|are) not a valid instance type for requested amiType \w+/,
      {
        anchors: [
          'supplied instance types do not exist',
          'is not a valid instance type for requested amiType',
        ],
      },
    ),
    notInRegion: definite(
      [...LAUNCHERS, 'nodeup'],
      /instance type "(?<type>[a-z0-9-]+\.[a-z0-9-]+)" not found in region "(?<zone>[a-z0-9-]+)"|invalid instance type specified: (?<type2>[a-z0-9-]+\.[a-z0-9-]+)|could not find a suitable supported instance type for the instance group/,
      {
        anchors: [
          'instance type ',
          'invalid instance type specified: ',
          'could not find a suitable supported instance type',
        ],
      },
    ),
    virtualization: definite(
      LAUNCHERS,
      /virtualization type of '(?:hvm|paravirtual)' are (?:currently )?not supported for this instance type/,
    ),
    networkDriver: definite(
      LAUNCHERS,
      /Elastic Network Adapter \(ENA\) is required for the '(?<type>[^']+)' instance type/,
    ),
    configuration: likely(LAUNCHERS, /requested configuration is currently not supported/),
    launchedAfter: withdraws(
      ['karpenter', 'event'],
      /\blaunched (?:nodeclaim|machine)\b|Type: Launched, Status: \w+ -> True/,
    ),
    imageFitsNoType: definite(LAUNCHERS, /no instance types satisfy requirements of amis/),
    poolAllowsNone: context(LAUNCHERS, /filtered out all compatible available instance types/),
    notAType: definite(LAUNCHERS, /Invalid value '(?<type>[\w.-]{3,40})' for [iI]nstanceType\b/, {
      anchors: ["' for InstanceType", "' for instanceType"],
    }),
    notEbsOptimized: definite(
      LAUNCHERS,
      /EBS-optimized instances are not supported for your requested configuration/,
    ),
  },
  needs: [
    'aws/auto-scaling-group',
    'aws/launch-template-version',
    'aws/image',
    'aws/instance-type',
  ],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ type, type2, zone, typeArchitecture, imageArchitecture, image, group }) =>
    imageArchitecture === undefined
      ? `EC2 does not launch ${type ?? type2 ?? 'the requested type'}${zone === undefined ? ' in this configuration' : ` in ${zone}`}; the group keeps failing there.`
      : sentence`The image${phrase` ${image}`}${phrase` of the Auto Scaling group ${group}`} is for ${imageArchitecture} and the type${phrase` ${type}`} for ${typeArchitecture ?? 'another architecture'}, so EC2 refuses the launch.`,
  remedy: ({ type }) => [
    step(
      'List the zones that offer the type, and keep the group’s subnets to those.',
      `aws ec2 describe-instance-type-offerings --location-type availability-zone --filters Name=instance-type,Values=${type ?? '<type>'} --query InstanceTypeOfferings[].Location`,
    ),
    step(
      'Compare what the type needs with what the image is.',
      `aws ec2 describe-instance-types --instance-types ${type ?? '<type>'} --query InstanceTypes[].[ProcessorInfo.SupportedArchitectures,SupportedBootModes,NetworkInfo.EnaSupport]; aws ec2 describe-images --image-ids <ami> --query Images[].[Architecture,BootMode,EnaSupport]`,
    ),
  ],
  decide: step(
    'Ask in which zones the type is offered.',
    'aws ec2 describe-instance-type-offerings --location-type availability-zone --filters Name=instance-type,Values=<type> --query InstanceTypeOfferings[].Location',
  ),
  page: {
    why: 'Not every zone has every type: old zones lack new families and the other way round. An arm64 type needs an arm64 image, and current types need ENA drivers and often UEFI boot.',
    prevent:
      'Check offerings before choosing subnets; name images by an SSM parameter of the right architecture.',
    notThis:
      'A zone that offers the type but has none left just now is insufficient-instance-capacity. An image that cannot be seen is ami-missing-or-not-shared. Karpenter meets this in passing and takes another type.',
    alsoKnownAs: [
      'Your requested instance type is not supported in your requested Availability Zone',
      'The requested configuration is currently not supported',
    ],
    refs: [
      'https://github.com/eksctl-io/eksctl/issues/6461',
      'https://github.com/dspace-group/dspace-reference-architecture-aws/issues/85',
    ],
  },
});

const judged = matched(cause, (view) => clearWhenFilled(view, FAILURES) ?? matchArchitecture(view));

type Own = ViewOf<typeof cause>;

/** The one type that a group launches; null for a group of several. */
function typeOf({ group, template }: ShortGroup): string | null {
  const overrides = (group.value.MixedInstancesPolicy?.LaunchTemplate?.Overrides ?? [])
    .map((entry) => entry.InstanceType ?? null)
    .filter((type) => type !== null);
  if (overrides.length > 1) return null;
  return overrides[0] ?? template?.value.LaunchTemplateData?.InstanceType ?? null;
}

/** A group lacks instances, and its image is of another architecture than its only type. */
function matchArchitecture(view: Own): Match | null {
  const groups = view.list('aws/auto-scaling-group');
  for (const short of shortGroups(groups, view.list('aws/launch-template-version'))) {
    const id = short.template?.value.LaunchTemplateData?.ImageId ?? null;
    const image = view.list('aws/image').find(({ value }) => value.ImageId === id);
    const name = typeOf(short);
    const type = view.list('aws/instance-type').find(({ value }) => value.InstanceType === name);
    const match =
      image === undefined || type === undefined ? null : compare(view, short, image, type);
    if (match !== null) return match;
  }
  return null;
}

function compare(
  view: Own,
  { size }: ShortGroup,
  image: Seen<Image>,
  type: Seen<DescribedType>,
): Match | null {
  const supported = type.value.ProcessorInfo?.SupportedArchitectures ?? [];
  const imageArchitecture = image.value.Architecture ?? null;
  if (imageArchitecture === null || supported.length === 0) return null;
  if (supported.includes(imageArchitecture)) return null;
  const [name, id] = [type.value.InstanceType ?? '', image.value.ImageId ?? ''];
  const typeArchitecture = supported.join(', ');
  const details = { type: name, image: id, group: size.name, imageArchitecture, typeArchitecture };
  return found(details, [
    view.quote(image, `image ${id} Architecture ${imageArchitecture}`),
    view.quote(type, `type ${name} SupportedArchitectures ${typeArchitecture}`),
  ]);
}

const ARCHITECTURES: Readonly<Record<string, string>> = { amd64: 'x86_64', arm64: 'arm64' };

/** The architecture of the image that will be launched, by itself or by the AMI type. */
function plannedArchitecture(image: Seen<Image> | null, name: string | null): string | null {
  const own = image?.value.Architecture ?? null;
  if (own !== null || name === null) return own;
  if (/_ARM_64/.test(name)) return 'arm64';
  return /_x86_64/.test(name) ? 'x86_64' : null;
}

export default foreseen(
  judged,
  (plan, group) => {
    const { image, imageName, types } = machineOf(plan, group);
    const own = plannedArchitecture(image, imageName);
    const known = types.map((name) => ARCHITECTURES[knownType(name, [])?.arch ?? ''] ?? null);
    if (own === null || known.length === 0 || known.includes(null)) return NOT_SHOWN;
    const other = known.findIndex((one) => one !== own);
    if (other < 0) return clear;
    // Auto Scaling takes those of several types that fit.
    if (group.kind !== 'NodeGroup' && known.includes(own)) return NOT_SHOWN;
    const [type, typeArchitecture] = [types[other] ?? '', known[other] ?? ''];
    return found({ type, typeArchitecture, imageArchitecture: own, group: group.name }, [
      plan.quote(launchedBy(group), `instance type ${type} is ${typeArchitecture}`),
      plan.quote((image as Planned | null) ?? group.fact, `image ${imageName ?? ''} is ${own}`),
    ]);
  },
  {
    summary: ({ type, typeArchitecture, imageArchitecture: ofImage, planned }) =>
      `The image of ${planned ?? 'the group'} is for ${ofImage ?? ''} and the type ${type ?? ''} for ${typeArchitecture ?? ''}, so the launch is refused.`,
    remedy: ({ typeArchitecture }) => [
      step(
        `Choose an image or ami_type for ${typeArchitecture ?? 'the architecture of the type'}, or types of the image’s architecture.`,
      ),
    ],
  },
);
