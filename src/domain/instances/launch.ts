import type { Fact, Seen } from '../../evidence/fact.ts';
import type { AutoScalingGroup } from '../../evidence/aws/groups.ts';
import type { FactTypes } from '../../evidence/kinds.ts';
import type { UserData } from '../../evidence/user-data.ts';
import type { Image, LaunchTemplateVersion, Instance } from '../../evidence/aws/instance.ts';

export type ImageFamily = 'al2' | 'al2023' | 'bottlerocket' | 'windows';

/** What an instance was launched with, as far as EC2's answers show it. */
export interface Launch {
  readonly id: string;
  readonly instance: Seen<Instance>;
  readonly image: Seen<Image>;
  readonly imageName: string;
  /** null for images of which the name does not tell. */
  readonly family: ImageFamily | null;
  /** True for an image that EKS publishes, so that nothing in it was changed. */
  readonly isPublished: boolean;
  readonly given: Seen<UserData>;
}

type LaunchKind = 'aws/instance' | 'aws/image' | 'aws/user-data';

/** What a cause's view gives of a machine. */
export interface LaunchFacts {
  readonly instanceId: string | null;
  read(kind: 'aws/user-data'): Fact<FactTypes['aws/user-data']>;
  list<N extends LaunchKind>(kind: N): readonly Seen<FactTypes[N]>[];
}

/** The family of a machine image by the name and description that its makers give it. */
export function familyOf(image: Image): ImageFamily | null {
  const words = `${image.Name ?? ''} ${image.Description ?? ''}`;
  if (/bottlerocket/i.test(words)) return 'bottlerocket';
  if (/\bwindows/i.test(words)) return 'windows';
  if (/al2023|amazon ?linux ?2023/i.test(words)) return 'al2023';
  return /amazon-eks-(?:gpu-|arm64-)?node-1\.\d+|amazon ?linux ?2\b|\bamzn2\b/i.test(words)
    ? 'al2'
    : null;
}

/** The machine's own instance, its image and its user data; null where one of them is not known. */
export function launchOf(facts: LaunchFacts): Launch | null {
  const id = facts.instanceId;
  const given = facts.read('aws/user-data');
  if (id === null || given.state !== 'seen') return null;
  const instance = facts.list('aws/instance').find(({ value }) => value.InstanceId === id);
  const imageId = instance?.value.ImageId ?? null;
  const image = facts
    .list('aws/image')
    .find(({ value }) => imageId !== null && value.ImageId === imageId);
  if (instance === undefined || image === undefined) return null;
  const imageName = image.value.Name ?? '';
  const isPublished = /^(?:amazon-eks-|bottlerocket-aws-)/.test(imageName);
  return { id, instance, image, imageName, family: familyOf(image.value), isPublished, given };
}

/** The Auto Scaling group that launched an instance, by the tag that EC2 Auto Scaling puts on it. */
export function groupOfInstance(instance: Instance): string | null {
  const tag = (instance.Tags ?? []).find((entry) => entry.Key === 'aws:autoscaling:groupName');
  return tag === undefined ? null : (tag.Value ?? null);
}

export interface GroupSize {
  readonly name: string;
  readonly desired: number;
  readonly inService: number;
}

/**
 * What the instances of a group in these states count against its desired capacity: one each, or
 * their weights in a mixed instances policy. Null where the group counts vCPUs or memory.
 */
export function capacityOf(group: AutoScalingGroup, states: RegExp): number | null {
  if ((group.DesiredCapacityType ?? 'units') !== 'units') return null;
  return (group.Instances ?? [])
    .filter((entry) => states.test(entry.LifecycleState ?? ''))
    .map((entry) => Number(entry.WeightedCapacity ?? 1))
    .reduce((sum, weight) => sum + weight, 0);
}

/** How many instances an Auto Scaling group wants and has in service; null when it does not say. */
export function sizeOf(group: AutoScalingGroup): GroupSize | null {
  const { AutoScalingGroupName: name, DesiredCapacity: desired } = group;
  const inService = capacityOf(group, /^InService$/);
  if (name === undefined || typeof desired !== 'number' || inService === null) return null;
  return { name, desired, inService };
}

/** Names of the groups that have all the instances they want. */
export function filledGroups(groups: readonly Seen<AutoScalingGroup>[]): ReadonlySet<string> {
  const sizes = groups.map(({ value }) => sizeOf(value)).filter((size) => size !== null);
  return new Set(
    sizes.filter(({ desired, inService }) => inService >= desired).map(({ name }) => name),
  );
}

export interface TemplateUse {
  readonly id: string;
  /** Empty where the group does not say. */
  readonly name: string;
  /** A number, `$Latest` or `$Default`. */
  readonly version: string;
}

/** The launch template version that an Auto Scaling group launches with, null without one. */
export function templateUse(group: AutoScalingGroup): TemplateUse | null {
  const mixed = group.MixedInstancesPolicy?.LaunchTemplate?.LaunchTemplateSpecification;
  const given = group.LaunchTemplate ?? mixed;
  const id = given?.LaunchTemplateId ?? null;
  if (id === null) return null;
  return { id, name: given?.LaunchTemplateName ?? '', version: given?.Version ?? '$Default' };
}

/** A group that lacks instances, and what it would launch them with. */
export interface ShortGroup {
  readonly group: Seen<AutoScalingGroup>;
  readonly size: GroupSize;
  /** null where the template version in use was not read. */
  readonly template: Seen<LaunchTemplateVersion> | null;
}

/** Groups that want more instances than they have in service. */
export function shortGroups(
  groups: readonly Seen<AutoScalingGroup>[],
  versions: readonly Seen<LaunchTemplateVersion>[],
): readonly ShortGroup[] {
  return groups.flatMap((group): readonly ShortGroup[] => {
    const size = sizeOf(group.value);
    if (size === null || size.inService >= size.desired) return [];
    return [{ group, size, template: versionInUse(group.value, versions) }];
  });
}

function versionInUse(
  group: AutoScalingGroup,
  versions: readonly Seen<LaunchTemplateVersion>[],
): Seen<LaunchTemplateVersion> | null {
  const use = templateUse(group);
  const own = versions.filter(({ value }) => value.LaunchTemplateId === use?.id);
  if (use?.version === '$Default')
    return own.find(({ value }) => value.DefaultVersion === true) ?? null;
  const numberOf = ({ value }: Seen<LaunchTemplateVersion>): number => value.VersionNumber ?? 0;
  if (use?.version === '$Latest')
    return own.toSorted((a, b) => numberOf(b) - numberOf(a))[0] ?? null;
  return own.find((one) => String(numberOf(one)) === use?.version) ?? null;
}

/** Types of instances that a group with a mixed instances policy may launch, as it names them. */
export function spotTypes(group: AutoScalingGroup): readonly string[] {
  const overrides = group.MixedInstancesPolicy?.LaunchTemplate?.Overrides ?? [];
  const named = [...overrides, ...(group.Instances ?? [])].map((entry) => entry.InstanceType);
  return [...new Set(named)].filter((type) => typeof type === 'string');
}
