import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { FactKind } from '../../evidence/kinds.ts';
import type { Doubt, PlanContents } from '../../evidence/planned.ts';
import { excerptOf } from '../../evidence/redact.ts';
import { contentsOf } from './contents.ts';
import { concernsNodes } from './makers.ts';
import { type Module, placedIn, RESOURCES_MAX } from './module.ts';
import { changeOf, indexText, type Resource } from './resource.ts';

/** How the program that writes such files is called where it is the source. */
const BY = 'terraform show -json';

/** A plan or a state that was read, or why the text is none. */
export type PlanRead =
  | { readonly ok: true; readonly contents: PlanContents }
  | { readonly ok: false; readonly why: string };

/**
 * Reads what `terraform show -json` (or `tofu show -json`) printed of a plan or a state. Nothing is
 * kept of it but the fields that causes look at.
 *
 * @param locator what the document is called in evidence
 */
export function readPlan(document: Json, locator: string): PlanRead {
  const version = textAt(document, 'format_version');
  if (version === null || !isObject(document))
    return { ok: false, why: 'it is not the output of `terraform show -json`' };
  if (!/^[01]\.\d+$/.test(version))
    return { ok: false, why: `its format_version ${excerptOf(version, 20)} is newer than 1.x` };
  const values = at(document, 'planned_values') ?? at(document, 'values');
  if (!isObject(values)) return { ok: false, why: 'it has neither planned_values nor values' };
  const resources = resourcesOf(document, values);
  if (resources.length > RESOURCES_MAX)
    return { ok: false, why: `it has more than ${RESOURCES_MAX} resources` };
  const gone = listAt(document, 'resource_changes').filter(isGone);
  const doubts = gone.flatMap(doubtOfGone);
  const isRemoving = gone.length > 0;
  const source = { locator, by: BY, doubts, isRemoving, canWriteMaps: true };
  return { ok: true, contents: contentsOf(resources, source) };
}

function resourcesOf(document: JsonObject, values: JsonObject): readonly Resource[] {
  const changes = new Map<string, Json>();
  for (const one of listAt(document, 'resource_changes'))
    changes.set(textAt(one, 'address') ?? '', at(one, 'change') ?? null);
  const configurationRoot = at(document, 'configuration.root_module');
  const blocks = new Map<Json, ReadonlyMap<string, JsonObject>>();
  const own: Resource[] = [];
  const trees = [values, at(document, 'prior_state.values')];
  for (const [index, tree] of trees.entries()) {
    for (const { module, resource } of placedIn(at(tree, 'root_module'), configurationRoot)) {
      const isLookedUp = textAt(resource, 'mode') === 'data';
      // What a prior state has besides data sources is old, or in the planned values too.
      if (index > 0 && !isLookedUp) continue;
      const read = resourceOf(module, resource, changes, blocks);
      if (read !== null) own.push(read);
      if (own.length > RESOURCES_MAX) return own;
    }
  }
  return own;
}

function resourceOf(
  module: Module,
  shown: JsonObject,
  changes: ReadonlyMap<string, Json>,
  blocks: Map<Json, ReadonlyMap<string, JsonObject>>,
): Resource | null {
  const [address, type, name] = ['address', 'type', 'name'].map((key) => textAt(shown, key));
  if (typeof address !== 'string' || typeof type !== 'string') return null;
  const isLookedUp = textAt(shown, 'mode') === 'data';
  const change = changes.get(address);
  const values = at(shown, 'values');
  return {
    address,
    type,
    isLookedUp,
    index: indexText(at(shown, 'index')),
    module,
    values: isObject(values) ? values : {},
    unknown: at(change, 'after_unknown') ?? null,
    // A data source is only looked at.
    change: isLookedUp ? 'keep' : changeOf(change),
    configuration: blocksOf(module, blocks).get(
      `${isLookedUp ? 'data.' : ''}${type}.${name ?? ''}`,
    ),
  };
}

/** The resource blocks of a module by their address, read once for all of its calls. */
function blocksOf(
  { configuration: given }: Module,
  blocks: Map<Json, ReadonlyMap<string, JsonObject>>,
): ReadonlyMap<string, JsonObject> {
  const key = given ?? null;
  const known = blocks.get(key);
  if (known !== undefined) return known;
  const made = new Map(
    listAt(given, 'resources')
      .filter(isObject)
      .map((block) => [textAt(block, 'address') ?? '', block]),
  );
  blocks.set(key, made);
  return made;
}

function isGone(change: Json): boolean {
  const actions = listAt(change, 'change.actions');
  const type = textAt(change, 'type') ?? '';
  return concernsNodes(type) && actions.includes('delete') && !actions.includes('create');
}

const REMOVED: Readonly<Record<string, FactKind>> = {
  aws_eks_access_entry: 'aws/access-entry',
  kubernetes_config_map: 'kube/aws-auth',
  kubernetes_config_map_v1: 'kube/aws-auth',
  kubernetes_config_map_v1_data: 'kube/aws-auth',
};

/** Whom a mapping let in that the plan removes is known to nobody who sees what is left. */
function doubtOfGone(change: Json): readonly Doubt[] {
  const type = textAt(change, 'type') ?? '';
  const kind = Object.hasOwn(REMOVED, type) ? REMOVED[type] : undefined;
  const metadata = listAt(change, 'change.before.metadata')[0];
  const isOther = kind === 'kube/aws-auth' && textAt(metadata, 'name') !== 'aws-auth';
  if (kind === undefined || isOther) return [];
  const address = textAt(change, 'address') ?? type;
  const what = `what lets the node role in once ${address} is removed`;
  return [{ kind, address, what }];
}
