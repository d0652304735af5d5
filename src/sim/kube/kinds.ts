import type { JsonObject } from '../../evidence/json.ts';
import { KIND_TABLE } from './kind-table.ts';
import type { ObjectSchema } from './schema/shapes.ts';

/** A served kind; the names are those of discovery. */
export interface KubeKind {
  /** Empty for core/v1. */
  readonly group: string;
  readonly version: string;
  /** `v1`, `apps/v1` */
  readonly apiVersion: string;
  /** Where its objects are kept; both APIs of events share one table. */
  readonly table: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly string[];
  /** Changes outside of metadata and status count in `metadata.generation`. */
  readonly hasGeneration: boolean;
  /** Writes to the object leave its status alone, writes to its status all else. */
  readonly hasStatus: boolean;
  readonly needsVersion: boolean;
  readonly createsOnUpdate: boolean;
  /** A deletion is answered with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** Made by a CustomResourceDefinition, whose version this is. */
  readonly custom: CustomVersion | null;
}

export interface CustomVersion {
  readonly crd: string;
  readonly schema: ObjectSchema;
  /** The `openAPIV3Schema`, with what it demands and defaults besides its shape. */
  readonly openApi: JsonObject;
  readonly scale: { readonly spec: string; readonly status: string } | null;
}

/** `deployments.apps`, `pods`: as messages name a resource. */
export function resourceName({ group, plural }: KubeKind): string {
  return group === '' ? plural : `${plural}.${group}`;
}

export function apiVersionOf({ apiVersion }: KubeKind): string {
  return apiVersion;
}

export function tableName({ table }: KubeKind): string {
  return table;
}

/** What follows from the place of a kind in the API; written once, as every request needs it. */
export function placeOf(
  group: string,
  version: string,
  plural: string,
): Pick<KubeKind, 'group' | 'version' | 'plural' | 'apiVersion' | 'table'> {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const table = group === 'events.k8s.io' ? '/events' : `${group}/${plural}`;
  return { group, version, plural, apiVersion, table };
}

function listOf(text = '-'): readonly string[] {
  return text === '-' ? [] : text.split(',');
}

function kindOf(row: string): KubeKind {
  const [group = '', version = '', plural = '', kind = '', scope, ...more] = row.split(' ');
  const [shortNames, categories, subresources, marks = ''] = more;
  return {
    ...placeOf(group === 'core' ? '' : group, version, plural),
    singular: kind.toLowerCase(),
    kind,
    isNamespaced: scope === 'N',
    shortNames: listOf(shortNames),
    categories: listOf(categories),
    subresources: listOf(subresources),
    hasGeneration: marks.includes('g'),
    hasStatus: marks.includes('s'),
    needsVersion: marks.includes('u'),
    createsOnUpdate: marks.includes('c'),
    returnsDeleted: marks.includes('o'),
    custom: null,
  };
}

/** The kinds that are there without any CustomResourceDefinition. */
export const BUILT_IN_KINDS: readonly KubeKind[] = KIND_TABLE.trim().split('\n').map(kindOf);

/** Which kinds are served now. */
export class Kinds {
  readonly #byPath = new Map<string, KubeKind>();
  readonly #byKind = new Map<string, KubeKind>();
  readonly #byApi = new Map<string, KubeKind>();
  readonly #custom = new Map<string, readonly KubeKind[]>();

  constructor() {
    for (const kind of BUILT_IN_KINDS) this.#add(kind);
  }

  all(): readonly KubeKind[] {
    return [...this.#byPath.values()];
  }

  at(group: string, version: string, plural: string): KubeKind | null {
    return this.#byPath.get(`${group}/${version}/${plural}`) ?? null;
  }

  /** By `Pod`; core/v1 wins where two groups have the same kind. */
  named(kind: string): KubeKind | null {
    return this.#byKind.get(kind) ?? null;
  }

  of(apiVersion: string, kind: string): KubeKind | null {
    return this.#byApi.get(`${apiVersion} ${kind}`) ?? null;
  }

  /** Replaces the versions that a CustomResourceDefinition serves; none stop serving it. */
  setCustom(crd: string, versions: readonly KubeKind[]): void {
    for (const kind of this.#custom.get(crd) ?? []) this.#remove(kind);
    this.#custom.set(crd, versions);
    for (const kind of versions) this.#add(kind);
  }

  #add(kind: KubeKind): void {
    this.#byPath.set(`${kind.group}/${kind.version}/${kind.plural}`, kind);
    this.#byApi.set(`${apiVersionOf(kind)} ${kind.kind}`, kind);
    if (!this.#byKind.has(kind.kind)) this.#byKind.set(kind.kind, kind);
  }

  #remove(kind: KubeKind): void {
    this.#byPath.delete(`${kind.group}/${kind.version}/${kind.plural}`);
    this.#byApi.delete(`${apiVersionOf(kind)} ${kind.kind}`);
    if (this.#byKind.get(kind.kind) === kind) this.#byKind.delete(kind.kind);
  }
}
