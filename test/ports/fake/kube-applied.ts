/** Which manager applied which fields of which object, for the API server in memory. */
import { at, isObject, type Json, type JsonObject } from '../../../src/evidence/json.ts';
import { mergePatch } from '../../../src/sim/kube/patch/merge.ts';
import { fault } from './kube-fault.ts';

type Fields = ReadonlyMap<string, Json>;

export class AppliedFields {
  readonly #owners = new Map<string, Map<string, Fields>>();

  /**
   * The object as a manager's configuration leaves it, and what remembers the fields.
   * @throws PortError `conflict` when another manager has a field otherwise
   */
  merged(
    key: string,
    manager: string,
    before: JsonObject,
    object: JsonObject,
    isForced: boolean,
  ): { readonly object: JsonObject; keep(): void } {
    const owners = this.#owners.get(key) ?? new Map<string, Fields>();
    const mine = fieldsOf(object);
    const others = [...owners].filter(([name]) => name !== manager);
    const isContested = others.some(([, fields]) =>
      [...fields.keys()].some((path) => mine.has(path) && at(before, path) !== mine.get(path)),
    );
    if (isContested && !isForced) throw fault('conflict', `applying ${key}`);
    const gone = [...(owners.get(manager)?.keys() ?? [])].filter(
      (path) => !mine.has(path) && !others.some(([, fields]) => fields.has(path)),
    );
    return {
      object: mergePatch(mergePatch(before, object), removalOf(gone)) as JsonObject,
      keep: () => {
        const kept = others.map(([name, fields]): [string, Fields] => [
          name,
          isForced ? new Map([...fields].filter(([path]) => !mine.has(path))) : fields,
        ]);
        this.#owners.set(key, new Map([...kept, [manager, mine]]));
      },
    };
  }
}

/** Leaves by dotted path, without what names the object. */
function fieldsOf(object: JsonObject, prefix = ''): Fields {
  const leaves = Object.entries(object).flatMap(([key, value]): [string, Json][] => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    if (['apiVersion', 'kind', 'metadata.name', 'metadata.namespace'].includes(path)) return [];
    return isObject(value) ? [...fieldsOf(value, path)] : [[path, value]];
  });
  return new Map(leaves);
}

function removalOf(paths: readonly string[]): JsonObject {
  return paths.reduce<JsonObject>((all, path) => {
    const change = path.split('.').reduceRight<Json>((inner, key) => ({ [key]: inner }), null);
    return mergedRemoval(all, change as JsonObject);
  }, {});
}

function mergedRemoval(one: JsonObject, other: JsonObject): JsonObject {
  const merged = Object.entries(other).map(([key, value]): [string, Json] => {
    const mine = one[key];
    return [key, isObject(mine) && isObject(value) ? mergedRemoval(mine, value) : value];
  });
  return { ...one, ...Object.fromEntries(merged) };
}
