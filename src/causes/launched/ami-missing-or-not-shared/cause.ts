import type { LaunchConfiguration } from '../../../evidence/aws/groups.ts';
import type { LaunchTemplateVersion } from '../../../evidence/aws/instance.ts';
import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';
import type { Seen } from '../../../evidence/fact.ts';
import { type ShortGroup, shortGroups } from '../../../domain/instances/launch.ts';

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
  'imageNotFound',
  'imageDoesNotExist',
  'noneFound',
  'notAuthorized',
  'reason',
  'selectorMatchesNone',
  'noneGiven',
] as const;

/** The machine image is gone, was never in this region, or is not shared with this account. */
const cause = defineCause({
  id: 'ami-missing-or-not-shared',
  stage: 'launched',
  title: 'the machine image does not exist or is not shared with the account',
  scope: 'group',
  signs: {
    imageNotFound: definite(
      LAUNCHERS,
      /\bInvalidAMIID\.(?:NotFound|Malformed|Unavailable)\b(?:.*?(?<image>ami-[0-9a-f]{8,17}))?/,
    ),
    imageDoesNotExist: definite(
      LAUNCHERS,
      /The (?:image id|AMI ID) '?\[?(?<image>ami-[0-9a-f]+)\]?'? does not exist/,
      { anchors: ['The image id ', 'The AMI ID '] },
    ),
    noneFound: definite(
      [...LAUNCHERS, 'nodeup'],
      /unable to resolve image: "(?<named>[^"\s]{1,200})": (?:could not find Image for|not found)|no images returned when looking up ID "(?<image>ami-[0-9a-f]+)"/,
    ),
    // Cluster API's provider looks its published images up by name.
    noneOfName: likely(
      [...LAUNCHERS, 'controller-manager', 'pod-app'],
      /found no AMIs with the name:? \\?"?(?<named>[^"\s\\]{1,200})/,
    ),
    // EKS, Canonical and Windows publish their images as SSM parameters, one for each version.
    parameterUnknown: definite(
      LAUNCHERS,
      /getting AMI from SSM Parameter Store: .{0,200}ParameterNotFound|reading SSM Parameter \((?<named>\/aws\/service\/(?:eks|bottlerocket|canonical|ami-windows-latest)\/[^)\s]{1,200})\): couldn't find resource|Unable to fetch parameters \[(?<named2>\/aws\/service\/(?:eks|bottlerocket|canonical|ami-windows-latest)\/[^\]\s]{1,200})\] from parameter store/,
      {
        anchors: [
          'getting AMI from SSM Parameter Store',
          'reading SSM Parameter (/aws/service/',
          'Unable to fetch parameters [/aws/service/',
        ],
      },
    ),
    noneListed: definite(
      LAUNCHERS,
      /unable to find AMI (?<image>ami-[0-9a-f]{8,17})|unable to determine AMI for region [\w-]{1,30}, version (?<named>[\d.]{1,10})/,
      { anchors: ['unable to find AMI ami-', 'unable to determine AMI for region'] },
    ),
    // EKS makes a group only from a release that goes with the cluster's version.
    noSuchRelease: definite(
      LAUNCHERS,
      /Requested (?:Node ?[Gg]roup )?release version (?<named>[\w.+-]{1,60}) is (?:invalid|not valid for kubernetes version)/,
      { anchors: ['release version '] },
    ),
    aliasUnknown: likely(
      LAUNCHERS,
      /failed to discover any AMIs for alias(?:\W{1,12}alias\W{1,12}| \\?"?)?(?<named>[\w.-]{1,40}@v?[\w.-]{1,30})?/,
    ),
    notAuthorized: definite(LAUNCHERS, /Not authorized for images: \[?(?<image>ami-[0-9a-f]+)?/),
    reason: definite(
      LAUNCHERS,
      /\b(?:AmiIdNotFound|AMIAuthorizationFailure|condition (?:Launched|NodeRegistrationHealthy)=\w+ InvalidAMIID)\b/,
      { anchors: ['AmiIdNotFound', 'AMIAuthorizationFailure', 'InvalidAMIID '] },
    ),
    selectorMatchesNone: definite(
      LAUNCHERS,
      /\bcondition (?:AMIsReady|Launched|NodeRegistrationHealthy)=\w+ (?:AMINotFound|UnsupportedAlias)\b|no amis exist given constraints|condition Ready=False NodeClassNotReady Failed to resolve AMIs/,
      {
        anchors: [
          'AMINotFound',
          'no amis exist given constraints',
          'UnsupportedAlias',
          'Failed to resolve AMIs',
        ],
      },
    ),
    noneGiven: definite(
      LAUNCHERS,
      /(?<parameter>Parameter 'amiIdList' cannot be empty|must contain the parameter ImageId)/,
      { anchors: ['amiIdList', 'must contain the parameter ImageId'] },
    ),
    amisFound: withdraws(['node-claim'], /condition AMIsReady=True/),
  },
  needs: [
    'aws/auto-scaling-group',
    'aws/launch-template-version',
    'aws/launch-configuration',
    'aws/image',
  ],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'karpenter-nodeclass-not-ready',
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'launch-template-deleted-or-edited',
    'node-creation-failure-verdict',
  ],
  summary: ({ image, named, parameter, group, template, size }) =>
    group !== undefined
      ? `The launch ${template?.startsWith('lt-') === false ? 'configuration' : 'template'} ${template ?? ''} of the Auto Scaling group ${group} names the image ${image ?? ''}, which does not exist in this region or is not shared with this account; the group stays at ${size ?? 'fewer instances than it wants'}.`
      : parameter === undefined
        ? `The machine image ${image ?? named ?? 'that the group asks for'} does not exist in this region or is not shared with this account, so nothing is launched.`
        : 'The launch template names no machine image and the caller adds none, so nothing is launched.',
  remedy: ({ image, parameter }) => [
    parameter === undefined
      ? step(
          'See whether the account can see the image, whose it is and in which state.',
          `aws ec2 describe-images --image-ids ${image ?? '<ami>'} --query Images[].[ImageId,OwnerId,State,Public,DeprecationTime]`,
        )
      : step(
          'See which image the template names.',
          'aws ec2 describe-launch-template-versions --launch-template-id <template> --versions $Default --query LaunchTemplateVersions[].LaunchTemplateData.ImageId',
        ),
    step(
      'Own image: let this account launch it (from the account that owns it).',
      `aws ec2 modify-image-attribute --image-id ${image ?? '<ami>'} --launch-permission 'Add=[{UserId=<account>}]'`,
    ),
    step(
      'EKS image: take the present id from SSM and put it into the launch template or EC2NodeClass.',
      'aws ssm get-parameter --name /aws/service/eks/optimized-ami/<version>/amazon-linux-2023/x86_64/standard/recommended/image_id --query Parameter.Value --output text',
    ),
  ],
  decide: step(
    'Ask EC2 for the image as the launching account.',
    'aws ec2 describe-images --image-ids <ami>',
  ),
  page: {
    why: 'Image ids belong to one region, and images are deregistered or made private by their owner. EKS Windows images become private about four months after their release; cleaned-up custom AMIs break the groups that still name them.',
    prevent:
      'Name images by SSM parameter or Karpenter alias, and delete custom AMIs only when no launch template names them.',
    notThis:
      'An image that exists but does not fit the type is unsupported-instance-type-or-architecture; one whose disks do not fit is block-device-mapping-mismatch. UnauthorizedOperation without an image id is launch-permission-denied.',
    alsoKnownAs: [
      'InvalidAMIID.NotFound',
      'Not authorized for images',
      'no amis exist given constraints',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://github.com/aws/karpenter-provider-aws/blob/HEAD/pkg/controllers/nodeclass/ami.go',
    ],
  },
});

export default matched(cause, (view) => clearWhenFilled(view, FAILURES) ?? matchTemplate(view));

type Own = ViewOf<typeof cause>;

/** A group lacks instances, and the image of its template is none that this account can see. */
function matchTemplate(view: Own): Match | null {
  // Whose evidence it is decides: others may not have asked for this very image.
  if (!view.isLive || view.read('aws/image').state === 'unknown') return null;
  const seen = new Set(view.list('aws/image').map(({ value }) => value.ImageId ?? null));
  const versions = view.list('aws/launch-template-version');
  for (const short of shortGroups(view.list('aws/auto-scaling-group'), versions)) {
    const origin = originOf(view, short);
    const image = origin?.image ?? '';
    if (origin === null || !image.startsWith('ami-') || seen.has(image)) continue;
    const { group, size } = short;
    const standing = `${size.inService} of ${size.desired} instances`;
    const details = { image, group: size.name, template: origin.name, size: standing };
    return found(details, [
      view.quote(group, `AutoScalingGroup ${size.name} has ${standing} in service`),
      view.quote(
        origin.fact,
        `${origin.words} ${origin.name} ImageId ${image}, which describe-images does not show`,
      ),
    ]);
  }
  const images = versions
    .map(({ value }) => value.LaunchTemplateData?.ImageId ?? '')
    .filter((image) => image.startsWith('ami-'));
  const areSeen = images.length > 0 && images.every((image) => seen.has(image));
  return areSeen ? clearUnlessSeen(view, FAILURES) : null;
}

/** What a group launches its machines from, and the image that it names. */
interface Origin {
  readonly fact: Seen<LaunchTemplateVersion | LaunchConfiguration>;
  readonly words: string;
  readonly name: string;
  readonly image: string | null;
}

/** Older groups have a launch configuration in place of a template. */
function originOf(view: Own, { group, template }: ShortGroup): Origin | null {
  if (template !== null) {
    const name = template.value.LaunchTemplateId ?? '';
    const image = template.value.LaunchTemplateData?.ImageId ?? null;
    return { fact: template, words: 'launch template', name, image };
  }
  const name = group.value.LaunchConfigurationName ?? '';
  const fact = view
    .list('aws/launch-configuration')
    .find(({ value }) => value.LaunchConfigurationName === name);
  if (fact === undefined) return null;
  return { fact, words: 'launch configuration', name, image: fact.value.ImageId ?? null };
}
