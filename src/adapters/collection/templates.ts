import { type Json, listAt, textAt } from '../../evidence/json.ts';
import { templateUse } from '../../evidence/launch.ts';
import type { Ask } from './asking.ts';
import { filters } from './aws-calls.ts';

/** Launch templates of groups that are read at most. */
const TEMPLATES_MAX = 20;
const NAMED_MAX = 100;

/** Reads the template versions that groups launch with, and the images and types that those name. */
export async function askTemplates(ask: Ask, groups: readonly Json[]): Promise<readonly Json[]> {
  const uses = groups.map((group) => templateUse(group)).filter((use) => use !== null);
  const byKey = new Map(uses.map((use) => [`${use.id} ${use.version}`, use] as const));
  const answers = await Promise.all(
    [...byKey.values()].slice(0, TEMPLATES_MAX).map(({ id, version }) =>
      ask({
        service: 'ec2',
        operation: 'DescribeLaunchTemplateVersions',
        input: { LaunchTemplateId: id, Versions: [version] },
        isOptional: true,
      }),
    ),
  );
  const versions = answers.flat().flatMap((answer) => listAt(answer, 'LaunchTemplateVersions'));
  await Promise.all([askImages(ask, versions), askTypes(ask, versions)]);
  return versions;
}

function named(versions: readonly Json[], field: string): readonly string[] {
  const values = versions.map((version) => textAt(version, `LaunchTemplateData.${field}`) ?? '');
  return [...new Set(values)].filter((value) => value !== '').slice(0, NAMED_MAX);
}

/** An image past its deprecation date can be launched, and is left out unless asked for. */
async function askImages(ask: Ask, versions: readonly Json[]): Promise<void> {
  const images = named(versions, 'ImageId').filter((id) => id.startsWith('ami-'));
  if (images.length === 0) return;
  const input = { Filters: filters({ 'image-id': images }), IncludeDeprecated: true };
  await ask({ service: 'ec2', operation: 'DescribeImages', input });
}

async function askTypes(ask: Ask, versions: readonly Json[]): Promise<void> {
  const types = named(versions, 'InstanceType');
  if (types.length === 0) return;
  const input = { InstanceTypes: [...types] };
  await ask({ service: 'ec2', operation: 'DescribeInstanceTypes', input, isOptional: true });
}
