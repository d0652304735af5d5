import type { Told } from '../evidence/shape.ts';
import type { LaunchTemplateVersion } from '../evidence/aws/instance.ts';
import type { AutoScalingGroup, LaunchConfiguration } from '../evidence/aws/groups.ts';
import { itemsIn } from './answered.ts';
import { templateUse } from '../domain/instances/launch.ts';
import type { Ask } from './asking.ts';
import { filters } from './aws-calls.ts';

/** Launch templates of groups that are read at most. */
const TEMPLATES_MAX = 20;
const NAMED_MAX = 100;
/** As many as one request takes (Amazon EC2 Auto Scaling API Reference). */
const CONFIGURATIONS_MAX = 50;

/** Reads what groups launch with, and the images and types that it names; template versions. */
export async function askTemplates(
  ask: Ask,
  groups: readonly AutoScalingGroup[],
): Promise<readonly LaunchTemplateVersion[]> {
  const [versions, configurations] = await Promise.all([
    askVersions(ask, groups),
    askConfigurations(ask, groups),
    askNames(ask, groups),
  ]);
  const given = [...versions.map((version) => version.LaunchTemplateData), ...configurations];
  await Promise.all([askImages(ask, given), askTypes(ask, given)]);
  return versions;
}

async function askVersions(
  ask: Ask,
  groups: readonly AutoScalingGroup[],
): Promise<readonly LaunchTemplateVersion[]> {
  const uses = groups.map((group) => templateUse(group)).filter((use) => use !== null);
  const byKey = new Map(uses.map((use) => [`${use.id} ${use.version}`, use] as const));
  const answers = await Promise.all(
    ask
      .first([...byKey.values()], TEMPLATES_MAX, 'versions of launch templates')
      .map(({ id, version }) =>
        ask({
          service: 'ec2',
          operation: 'DescribeLaunchTemplateVersions',
          input: { LaunchTemplateId: id, Versions: [version] },
          isOptional: true,
        }),
      ),
  );
  return itemsIn(answers.flat(), 'LaunchTemplateVersions', 'aws/launch-template-version');
}

/** Asked by filter, not by id: of a template that is gone the list says so, and names the others. */
async function askNames(ask: Ask, groups: readonly AutoScalingGroup[]): Promise<void> {
  const names = distinct(
    ask,
    groups.map((group) => templateUse(group)?.name ?? ''),
    'launch templates',
  );
  if (names.length === 0) return;
  const input = { Filters: filters({ 'launch-template-name': names }) };
  await ask({ service: 'ec2', operation: 'DescribeLaunchTemplates', input });
}

/** What older groups have instead of a launch template. */
async function askConfigurations(
  ask: Ask,
  groups: readonly AutoScalingGroup[],
): Promise<readonly LaunchConfiguration[]> {
  const given = groups.map((group) => group.LaunchConfigurationName ?? '');
  const names = distinct(ask, given, 'launch configurations');
  if (names.length === 0) return [];
  const answers = await ask({
    service: 'autoscaling',
    operation: 'DescribeLaunchConfigurations',
    input: {
      LaunchConfigurationNames: [...ask.first(names, CONFIGURATIONS_MAX, 'launch configurations')],
    },
  });
  return itemsIn(answers, 'LaunchConfigurations', 'aws/launch-configuration');
}

function distinct(ask: Ask, values: readonly string[], what: string): readonly string[] {
  const all = [...new Set(values)].filter((value) => value !== '');
  return ask.first(all, NAMED_MAX, what);
}

/** What a template or a configuration launches. */
type Given = Told<{ readonly ImageId: Told<string>; readonly InstanceType: Told<string> }>;

/** An image past its deprecation date can be launched, and is left out unless asked for. */
async function askImages(ask: Ask, given: readonly Given[]): Promise<void> {
  const named = given.map((one) => one?.ImageId ?? '').filter((id) => id.startsWith('ami-'));
  const images = distinct(ask, named, 'images');
  if (images.length === 0) return;
  const input = { Filters: filters({ 'image-id': images }), IncludeDeprecated: true };
  await ask({ service: 'ec2', operation: 'DescribeImages', input });
}

async function askTypes(ask: Ask, given: readonly Given[]): Promise<void> {
  const named = given.map((one) => one?.InstanceType ?? '');
  const types = distinct(ask, named, 'instance types');
  if (types.length === 0) return;
  const input = { InstanceTypes: [...types] };
  await ask({ service: 'ec2', operation: 'DescribeInstanceTypes', input, isOptional: true });
}
