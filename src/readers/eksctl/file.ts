import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';

/** A node group of a file, with the path at which it is written. */
export interface GroupEntry {
  readonly path: string;
  readonly isManaged: boolean;
  readonly written: JsonObject;
  readonly family: Family | null;
}

/** Families of images as eksctl names them, those of Ubuntu and unknown ones as one. */
export type Family = 'al2' | 'al2023' | 'bottlerocket' | 'windows' | 'other';

/** What a ClusterConfig says, read once. */
export interface ClusterFile {
  readonly document: JsonObject;
  readonly name: string | null;
  readonly region: string | null;
  readonly version: string | null;
  /** How the cluster will let nodes in. */
  readonly mode: string;
  /** True where eksctl will register the cluster's issuer with IAM. */
  readonly hasOidc: boolean;
  readonly groups: readonly GroupEntry[];
}

/** EKS takes some hundreds of node groups in a cluster; the others of a file are not read. */
const GROUPS_MAX = 1000;

/** True for a file of eksctl, whichever its version. */
export function isClusterConfig(document: Json): boolean {
  const version = textAt(document, 'apiVersion') ?? '';
  return version.startsWith('eksctl.io/') && textAt(document, 'kind') === 'ClusterConfig';
}

export function fileOf(document: JsonObject): ClusterFile {
  const version = textAt(document, 'metadata.version');
  const groups = (['managedNodeGroups', 'nodeGroups'] as const).flatMap((list) =>
    listAt(document, list)
      .map((written, index) => ({ written, path: `${list}[${index}]` }))
      .flatMap(({ written, path }) =>
        isObject(written) ? [entryOf(written, path, list === 'managedNodeGroups', version)] : [],
      ),
  );
  const isOnOutpost = textAt(document, 'outpost.controlPlaneOutpostARN') !== null;
  return {
    document,
    name: textAt(document, 'metadata.name'),
    region: textAt(document, 'metadata.region'),
    version,
    mode:
      textAt(document, 'accessConfig.authenticationMode') ??
      (isOnOutpost ? 'CONFIG_MAP' : 'API_AND_CONFIG_MAP'),
    hasOidc: at(document, 'iam.withOIDC') === true,
    groups: groups.slice(0, GROUPS_MAX),
  };
}

function entryOf(
  written: JsonObject,
  path: string,
  isManaged: boolean,
  version: string | null,
): GroupEntry {
  return { path, isManaged, written, family: familyOf(written, isManaged, version) };
}

const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [/^AmazonLinux2$/, 'al2'],
  [/^AmazonLinux2023$/, 'al2023'],
  [/^Bottlerocket$/, 'bottlerocket'],
  [/^WindowsServer/, 'windows'],
];

/** From these on eksctl takes Amazon Linux 2023 by itself, for managed groups and for others. */
const FIRST_WITH_AL2023 = { managed: 30, own: 33 } as const;

/** The family as written, or as eksctl chooses it by the version of the cluster. */
function familyOf(written: JsonObject, isManaged: boolean, version: string | null): Family | null {
  const named = textAt(written, 'amiFamily');
  if (named !== null) return FAMILIES.find(([pattern]) => pattern.test(named))?.[1] ?? 'other';
  const minor = Number(/^1\.(\d{1,3})$/.exec(version ?? '')?.[1] ?? Number.NaN);
  if (imageOf(written) !== null || Number.isNaN(minor)) return null;
  const first = isManaged ? FIRST_WITH_AL2023.managed : FIRST_WITH_AL2023.own;
  return minor >= first ? 'al2023' : 'al2';
}

/** The image that a group names; null where eksctl or EKS chooses one. */
export function imageOf(written: JsonObject): string | null {
  const image = textAt(written, 'ami');
  return image?.startsWith('ami-') === true ? image : null;
}

/** eksctl launches these where a group names no type. */
const TYPE_BY_DEFAULT = 'm5.large';

/** The types that a group may launch; null where a selector will choose them. */
export function typesOf(written: JsonObject): readonly string[] | null {
  if (isObject(at(written, 'instanceSelector'))) return null;
  const listed = [
    ...listAt(written, 'instanceTypes'),
    ...listAt(written, 'instancesDistribution.instanceTypes'),
  ].filter((type) => typeof type === 'string');
  if (listed.length > 0) return listed;
  const one = textAt(written, 'instanceType');
  if (one === null) return hasTemplate(written) ? null : [TYPE_BY_DEFAULT];
  return one === 'mixed' ? null : [one];
}

/** True where a group launches with a template of somebody's own. */
export function hasTemplate(written: JsonObject): boolean {
  return isObject(at(written, 'launchTemplate'));
}
