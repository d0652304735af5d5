import { at, type Json, listAt, textAt } from '../evidence/json.ts';
import { templateUse } from '../domain/instances/launch.ts';
import type { Ask } from './asking.ts';
import { filters } from './aws-calls.ts';

/** Launch templates of groups that are read at most. */
const TEMPLATES_MAX = 20;
const NAMED_MAX = 100;
/** As many as one request takes (Amazon EC2 Auto Scaling API Reference). */
const CONFIGURATIONS_MAX = 50;

/** Reads what groups launch with, and the images and types that it names; template versions. */
export async function askTemplates(ask: Ask, groups: readonly Json[]): Promise<readonly Json[]> {
  const [versions, configurations] = await Promise.all([
    askVersions(ask, groups),
    askConfigurations(ask, groups),
    askNames(ask, groups),
  ]);
  const given = [
    ...versions.map((version) => at(version, 'LaunchTemplateData') ?? null),
    ...configurations,
  ];
  await Promise.all([askImages(ask, given), askTypes(ask, given)]);
  return versions;
}

async function askVersions(ask: Ask, groups: readonly Json[]): Promise<readonly Json[]> {
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
  return answers.flat().flatMap((answer) => listAt(answer, 'LaunchTemplateVersions'));
}

/** Asked by filter, not by id: of a template that is gone the list says so, and names the others. */
async function askNames(ask: Ask, groups: readonly Json[]): Promise<void> {
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
async function askConfigurations(ask: Ask, groups: readonly Json[]): Promise<readonly Json[]> {
  const given = groups.map((group) => textAt(group, 'LaunchConfigurationName') ?? '');
  const names = distinct(ask, given, 'launch configurations');
  if (names.length === 0) return [];
  const answers = await ask({
    service: 'autoscaling',
    operation: 'DescribeLaunchConfigurations',
    input: {
      LaunchConfigurationNames: [...ask.first(names, CONFIGURATIONS_MAX, 'launch configurations')],
    },
  });
  return answers.flatMap((answer) => listAt(answer, 'LaunchConfigurations'));
}

function distinct(ask: Ask, values: readonly string[], what: string): readonly string[] {
  const all = [...new Set(values)].filter((value) => value !== '');
  return ask.first(all, NAMED_MAX, what);
}

function named(ask: Ask, given: readonly Json[], field: string, what: string): readonly string[] {
  return distinct(
    ask,
    given.map((one) => textAt(one, field) ?? ''),
    what,
  );
}

/** An image past its deprecation date can be launched, and is left out unless asked for. */
async function askImages(ask: Ask, given: readonly Json[]): Promise<void> {
  const images = named(ask, given, 'ImageId', 'images').filter((id) => id.startsWith('ami-'));
  if (images.length === 0) return;
  const input = { Filters: filters({ 'image-id': images }), IncludeDeprecated: true };
  await ask({ service: 'ec2', operation: 'DescribeImages', input });
}

async function askTypes(ask: Ask, given: readonly Json[]): Promise<void> {
  const types = named(ask, given, 'InstanceType', 'instance types');
  if (types.length === 0) return;
  const input = { InstanceTypes: [...types] };
  await ask({ service: 'ec2', operation: 'DescribeInstanceTypes', input, isOptional: true });
}
