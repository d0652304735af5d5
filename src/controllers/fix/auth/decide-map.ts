import { isObject, type JsonObject, textAt } from '../../../evidence/json.ts';
import type { AwsAuthEntry } from '../../../evidence/kinds.ts';
import { entryDiff } from './entry-diff.ts';
import type { MapEditor, MapRefusal } from './map-editor.ts';
import type { RoleMapping } from './node-mapping.ts';

export type MapDecision =
  | { readonly do: 'nothing'; readonly why: string }
  | { readonly do: 'refuse'; readonly why: string }
  | {
      readonly do: 'create' | 'edit';
      readonly mapRoles: string;
      readonly inserted: string;
      readonly diff: readonly string[];
    };

/** A group that may do everything: no fix ever gives it, or keeps it beside a node's groups. */
const MASTERS = 'system:masters';
/** The API server takes no larger ConfigMap (1 MiB over all its data). */
const CONFIG_MAP_BYTES_MAX = 1024 * 1024;
const EYE = "kubectl -n kube-system get configmap aws-auth -o jsonpath='{.data.mapRoles}'";

/** What is to be done so that a role is mapped; `configMap` is null where there is none. */
export function decideMap(
  configMap: JsonObject | null,
  wanted: RoleMapping,
  editor: MapEditor,
): MapDecision {
  const text = textAt(configMap ?? undefined, 'data.mapRoles') ?? '';
  const roles = editor.readRoles(text);
  if (!roles.ok) return refused(roles);
  const mapped = mappedBy(roles.entries, wanted.arn);
  if (mapped !== null && covers(mapped, wanted))
    return { do: 'nothing', why: `aws-auth maps ${wanted.arn} as a node already.` };
  if (mapped?.groups.includes(MASTERS) === true)
    return {
      do: 'refuse',
      why: `aws-auth maps ${wanted.arn} to ${MASTERS}; a node must not have it, and whoever gave it has to take it away.`,
    };
  if (configMap?.['immutable'] === true)
    return { do: 'refuse', why: 'The ConfigMap aws-auth is immutable, so nobody can change it.' };
  return edited(configMap, text, { ...wanted, groups: groupsOf(mapped, wanted) }, editor);
}

function refused({ line, why }: MapRefusal): MapDecision {
  return {
    do: 'refuse',
    why: `mapRoles of aws-auth, line ${line}: ${why}. Nothing is changed in a text that the authenticator may read otherwise; correct it first: ${EYE}`,
  };
}

/** The entry that counts for a role: of several, the last one. */
export function mappedBy(entries: readonly AwsAuthEntry[], arn: string): AwsAuthEntry | null {
  return entries.findLast((entry) => entry.arn.toLowerCase() === arn.toLowerCase()) ?? null;
}

/** True when an entry makes a node of a machine, whatever else it gives. */
export function covers(entry: AwsAuthEntry, { username, groups }: RoleMapping): boolean {
  return entry.username === username && groups.every((group) => entry.groups.includes(group));
}

/** An entry behind another hides it, so that what the other gave is given again. */
function groupsOf(mapped: AwsAuthEntry | null, { groups }: RoleMapping): readonly string[] {
  return [...new Set([...groups, ...(mapped?.groups ?? [])])];
}

function edited(
  configMap: JsonObject | null,
  text: string,
  mapping: RoleMapping,
  editor: MapEditor,
): MapDecision {
  const edit = editor.withRole(text, mapping);
  if (!edit.ok) return refused(edit);
  const maps = configMap?.['data'];
  const others = Object.entries(isObject(maps) ? maps : {}).filter(([key]) => key !== 'mapRoles');
  const bytes = [...others, ['mapRoles', edit.text]].flat().reduce<number>(bytesAnd, 0);
  if (bytes > CONFIG_MAP_BYTES_MAX)
    return { do: 'refuse', why: 'With another entry aws-auth would be larger than 1 MiB.' };
  const diff = entryDiff(edit.text, edit.inserted, '+');
  const how = configMap === null ? 'create' : 'edit';
  return { do: how, mapRoles: edit.text, inserted: edit.inserted, diff };
}

function bytesAnd(sum: number, value: unknown): number {
  return sum + new TextEncoder().encode(String(value)).length;
}
