import { at, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { Resource } from '../terraform/resource.ts';
import { said, written } from '../written/resource.ts';
import { known } from './placeholders.ts';
import { type KarpenterFamily, userDataOf } from './user-data.ts';

/** What a machine is launched with: a template, its image, and the profile that Karpenter makes. */
export function nodeClassResources(nodeClass: JsonObject): readonly Resource[] {
  const address = `EC2NodeClass/${known(textAt(nodeClass, 'metadata.name')) ?? ''}`;
  const spec = at(nodeClass, 'spec');
  const image = imageOf(spec, address);
  const userData = userDataOf(spec, familyOf(spec));
  const groups = groupsOf(spec);
  const values = said({
    iam_instance_profile: [{ arn: `${address}.profile` }],
    image_id: image === null ? undefined : address,
    metadata_options: [metadataOf(spec, textAt(nodeClass, 'apiVersion') ?? '')],
    user_data: userData ?? undefined,
    vpc_security_group_ids: groups ?? undefined,
  });
  const unknown = {
    image_id: image === null,
    user_data: userData === undefined,
    vpc_security_group_ids: groups === null,
  };
  return [
    written('aws_launch_template', address, values, { unknown }),
    profileOf(spec, address),
    ...(image === null ? [] : [image]),
  ];
}

/** The role that Karpenter puts into a profile, or the profile that is there already. */
function profileOf(spec: Json | undefined, address: string): Resource {
  const role = known(textAt(spec, 'role'));
  const profile = { arn: `${address}.profile`, name: `${address}.profile` };
  const values = role === null ? profile : { ...profile, role: role.split('/').at(-1) ?? role };
  return written('aws_iam_instance_profile', `${address}.role`, values, {
    unknown: { role: role === null },
  });
}

/** Karpenter's own settings where a class gives none, after the definitions of each version. */
function metadataOf(spec: Json | undefined, apiVersion: string): JsonObject {
  const hops = at(spec, 'metadataOptions.httpPutResponseHopLimit');
  const byDefault = apiVersion.endsWith('/v1beta1') ? 2 : 1;
  return {
    http_put_response_hop_limit:
      typeof hops === 'number'
        ? hops
        : at(spec, 'metadataOptions') === undefined
          ? byDefault
          : null,
    http_tokens: textAt(spec, 'metadataOptions.httpTokens') ?? 'required',
  };
}

/** Security groups by their ids; null where tags or names choose some. */
function groupsOf(spec: Json | undefined): readonly string[] | null {
  const terms = listAt(spec, 'securityGroupSelectorTerms').slice(0, 64);
  const ids = terms.map((term) => known(textAt(term, 'id'))).filter((id) => id !== null);
  return ids.length === 0 || ids.length < terms.length ? null : ids;
}

const FAMILIES: readonly (readonly [RegExp, KarpenterFamily])[] = [
  [/^al2023/i, 'al2023'],
  [/^al2/i, 'al2'],
  [/^bottlerocket/i, 'bottlerocket'],
  [/^windows/i, 'windows'],
  [/^custom/i, 'custom'],
];

/** The family by which Karpenter writes user data. */
function familyOf(spec: Json | undefined): KarpenterFamily | null {
  const named = textAt(spec, 'amiFamily') ?? aliasOf(spec) ?? '';
  return FAMILIES.find(([pattern]) => pattern.test(named))?.[1] ?? null;
}

function aliasOf(spec: Json | undefined): string | null {
  const terms = listAt(spec, 'amiSelectorTerms');
  return known(
    textAt(
      terms.find((term) => textAt(term, 'alias') !== null),
      'alias',
    ),
  );
}

const NAMES: Readonly<Record<KarpenterFamily, string>> = {
  al2: 'amazon-linux-2',
  al2023: 'amazon-linux-2023',
  bottlerocket: 'bottlerocket',
  windows: 'Windows_Server',
  custom: '',
};

/** The image as far as an alias, a family or a name tells it; null where none does. */
function imageOf(spec: Json | undefined, address: string): Resource | null {
  const alias = aliasOf(spec);
  const [name = null] = listAt(spec, 'amiSelectorTerms').map((term) => known(textAt(term, 'name')));
  const family = FAMILIES.find(([pattern]) => pattern.test(alias ?? ''))?.[1] ?? familyOf(spec);
  const words = [
    alias ?? name ?? '',
    family === null ? '' : `(${NAMES[family].replaceAll('-', ' ')})`,
  ];
  if (alias === null && (family === null || family === 'custom') && name === null) return null;
  const architecture = architectureOf(family, name);
  return written(
    'aws_ami',
    `${address}.amiSelectorTerms`,
    said({ id: address, name: words.join(' ').trim(), architecture: architecture ?? undefined }),
    // Of an alias Karpenter takes the image that fits the type.
    { isLookedUp: true, unknown: { architecture: architecture === null } },
  );
}

function architectureOf(family: KarpenterFamily | null, name: string | null): string | null {
  if (family === 'windows') return 'x86_64';
  if (/arm64|aarch64/.test(name ?? '')) return 'arm64';
  return /x86_64|amd64/.test(name ?? '') ? 'x86_64' : null;
}
