import type { Fact, Seen } from '../../evidence/fact.ts';
import { at, type Json, listAt, textAt } from '../../evidence/json.ts';
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
  const instance = facts
    .list('aws/instance')
    .find(({ value }) => (value.InstanceId ?? null) === id);
  const imageId = instance?.value?.ImageId ?? null;
  const image = facts
    .list('aws/image')
    .find(({ value }) => imageId !== null && (value.ImageId ?? null) === imageId);
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
export function capacityOf(group: Json, states: RegExp): number | null {
  if (!/^(?:units)?$/.test(textAt(group, 'DesiredCapacityType') ?? '')) return null;
  return listAt(group, 'Instances')
    .filter((entry) => states.test(textAt(entry, 'LifecycleState') ?? ''))
    .map((entry) => Number(textAt(entry, 'WeightedCapacity') ?? 1))
    .reduce((sum, weight) => sum + weight, 0);
}

/** How many instances an Auto Scaling group wants and has in service; null when it does not say. */
export function sizeOf(group: Json): GroupSize | null {
  const desired = Number(textAt(group, 'DesiredCapacity') ?? Number.NaN);
  const name = textAt(group, 'AutoScalingGroupName');
  const inService = capacityOf(group, /^InService$/);
  if (name === null || !Number.isFinite(desired) || inService === null) return null;
  return { name, desired, inService };
}

/** Names of the groups that have all the instances they want. */
export function filledGroups(groups: readonly Seen<Json>[]): ReadonlySet<string> {
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
export function templateUse(group: Json): TemplateUse | null {
  const own = at(group, 'LaunchTemplate');
  const mixed = at(group, 'MixedInstancesPolicy.LaunchTemplate.LaunchTemplateSpecification');
  const given = own ?? mixed;
  const id = textAt(given, 'LaunchTemplateId');
  if (id === null) return null;
  const name = textAt(given, 'LaunchTemplateName') ?? '';
  return { id, name, version: textAt(given, 'Version') ?? '$Default' };
}

/** A group that lacks instances, and what it would launch them with. */
export interface ShortGroup {
  readonly group: Seen<Json>;
  readonly size: GroupSize;
  /** null where the template version in use was not read. */
  readonly template: Seen<LaunchTemplateVersion> | null;
}

/** Groups that want more instances than they have in service. */
export function shortGroups(
  groups: readonly Seen<Json>[],
  versions: readonly Seen<LaunchTemplateVersion>[],
): readonly ShortGroup[] {
  return groups.flatMap((group): readonly ShortGroup[] => {
    const size = sizeOf(group.value);
    if (size === null || size.inService >= size.desired) return [];
    return [{ group, size, template: versionInUse(group.value, versions) }];
  });
}

function versionInUse(
  group: Json,
  versions: readonly Seen<LaunchTemplateVersion>[],
): Seen<LaunchTemplateVersion> | null {
  const use = templateUse(group);
  const own = versions.filter(({ value }) => (value.LaunchTemplateId ?? null) === use?.id);
  if (use?.version === '$Default')
    return own.find(({ value }) => value.DefaultVersion === 'true') ?? null;
  const numberOf = ({ value }: Seen<LaunchTemplateVersion>): number =>
    Number(value.VersionNumber ?? 0);
  if (use?.version === '$Latest')
    return own.toSorted((a, b) => numberOf(b) - numberOf(a))[0] ?? null;
  return own.find(({ value }) => (value.VersionNumber ?? null) === use?.version) ?? null;
}

/** Types of instances that a group with a mixed instances policy may launch, as it names them. */
export function spotTypes(group: Json): readonly string[] {
  const overrides = listAt(group, 'MixedInstancesPolicy.LaunchTemplate.Overrides');
  const own = listAt(group, 'Instances').map((entry) => textAt(entry, 'InstanceType'));
  const named = [...overrides.map((entry) => textAt(entry, 'InstanceType')), ...own];
  return [...new Set(named)].filter((type) => type !== null);
}
