/** Writes to the API server in memory: versions, preconditions, owners, budgets, lost answers. */
import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
  textsAt,
} from '../../../src/evidence/json.ts';
import type { KubeName, KubeResource } from '../../../src/ports/kube-api.ts';
import {
  answerOf,
  type KubeDeleteOptions,
  type KubeEvictOptions,
  type KubePartOptions,
  type KubePatch,
  type KubePreconditions,
  type KubeWriteOptions,
  type KubeWrites,
} from '../../../src/ports/kube-writes.ts';
import type { PortError } from '../../../src/ports/port-error.ts';
import { jsonPatch, PatchFailure } from '../../../src/sim/kube/patch/json.ts';
import { BUILT_IN_KINDS } from '../../../src/sim/kube/kinds.ts';
import { mergePatch } from '../../../src/sim/kube/patch/merge.ts';
import { strategicPatch } from '../../../src/sim/kube/patch/strategic.ts';
import { schemaOf } from '../../../src/sim/kube/schema/schema.ts';
import type { FakeKubeApi, FakeVerb } from './kube-api.ts';
import { fault } from './kube-fault.ts';
import { AppliedFields } from './kube-applied.ts';
import { keyOf } from './kube-keys.ts';

const PODS: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  isNamespaced: true,
};
export const BUDGETS: KubeResource = {
  ...PODS,
  group: 'policy',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
};

export class FakeKubeWrites implements KubeWrites {
  readonly #api: FakeKubeApi;
  readonly #applied = new AppliedFields();
  readonly #lost: PortError[] = [];

  constructor(api: FakeKubeApi) {
    this.#api = api;
  }

  /** The next writes take effect, and throw these in place of their answers. */
  loseNext(...errors: readonly PortError[]): void {
    this.#lost.push(...errors);
  }

  async create(
    resource: KubeResource,
    object: JsonObject,
    options: KubeWriteOptions = {},
  ): Promise<JsonObject> {
    assertPlaced(resource, textAt(object, 'metadata.namespace'));
    await this.#api.enter('create', resource, options.signal);
    if (this.#find(resource, keyOf(object)) !== null) throw fault('already-exists', keyOf(object));
    return this.#store(resource, object, null, options);
  }

  async update(
    resource: KubeResource,
    object: JsonObject,
    options: KubePartOptions = {},
  ): Promise<JsonObject> {
    if ((textAt(object, 'metadata.resourceVersion') ?? '') === '') throw fault('invalid', 'update');
    await this.#enterPart('update', resource, options);
    const before = this.#at(resource, keyOf(object));
    return this.#store(resource, object, before, options);
  }

  async patch(
    resource: KubeResource,
    name: KubeName,
    patch: KubePatch,
    options: KubePartOptions = {},
  ): Promise<JsonObject> {
    assertPlaced(resource, name.namespace ?? null);
    await this.#enterPart('patch', resource, options);
    const key = keyOfName(name);
    if (patch.type === 'apply') return this.#apply(resource, key, patch, options);
    const before = this.#at(resource, key);
    return this.#store(resource, patched(resource, before, patch), before, options);
  }

  async delete(
    resource: KubeResource,
    name: KubeName,
    options: KubeDeleteOptions,
  ): Promise<JsonObject> {
    await this.#api.enter('delete', resource, options.signal);
    return this.#remove(resource, keyOfName(name), options);
  }

  async evict(pod: KubeName, options: KubeEvictOptions): Promise<JsonObject> {
    await this.#api.enter('evict', PODS, options.signal, 'create pods/eviction');
    const found = this.#at(PODS, keyOfName(pod));
    assertSame(found, options.preconditions);
    this.#spend(found, options.isDryRun === true);
    this.#remove(PODS, keyOfName(pod), options);
    return { kind: 'Status', apiVersion: 'v1', status: 'Success', code: 201 };
  }

  async #enterPart(
    verb: FakeVerb,
    resource: KubeResource,
    options: KubePartOptions,
  ): Promise<void> {
    const { plural } = resource;
    const { subresource, signal } = options;
    const whole = subresource === undefined ? plural : `${plural}/${subresource}`;
    const group = resource.group === '' ? '' : `.${resource.group}`;
    await this.#api.enter(verb, resource, signal, `${verb} ${whole}${group}`);
  }

  #find(resource: KubeResource, key: string): JsonObject | null {
    return this.#api.objects(resource).find((one) => keyOf(one) === key) ?? null;
  }

  /** @throws PortError `not-found` */
  #at(resource: KubeResource, key: string): JsonObject {
    const found = this.#find(resource, key);
    if (found === null) throw fault('not-found', `${resource.plural} ${key}`);
    return found;
  }

  #apply(
    resource: KubeResource,
    key: string,
    { object, isForced }: Extract<KubePatch, { type: 'apply' }>,
    options: KubePartOptions,
  ): JsonObject {
    const before = this.#find(resource, key);
    const owned = `${resource.plural} ${key}`;
    const { fieldManager = 'rollcall' } = options;
    const merged = this.#applied.merged(owned, fieldManager, before ?? {}, object, isForced);
    const answer = this.#store(resource, merged.object, before, options);
    if (options.isDryRun !== true) merged.keep();
    return answer;
  }

  #store(
    resource: KubeResource,
    object: JsonObject,
    before: JsonObject | null,
    { isDryRun, subresource, answer: part }: KubePartOptions,
  ): JsonObject {
    if (before !== null) assertSame(before, metadataOf(object));
    assertLabels(object);
    const whole = before === null ? object : partOf(object, before, subresource);
    if (isDryRun !== true && isOver(whole)) return this.#removeNow(resource, whole);
    const answer = isDryRun === true ? whole : this.#api.put(resource, whole);
    return answerOf(this.#answer(answer), part);
  }

  #remove(resource: KubeResource, key: string, options: KubeDeleteOptions): JsonObject {
    const object = this.#at(resource, key);
    assertSame(object, options.preconditions);
    if (options.isDryRun === true) return this.#answer(object);
    if (listAt(object, 'metadata.finalizers').length === 0)
      return this.#removeNow(resource, object);
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const metadata = { ...metadataOf(object), deletionTimestamp };
    return this.#answer(this.#api.put(resource, { ...object, metadata }));
  }

  #removeNow(resource: KubeResource, object: JsonObject): JsonObject {
    const { namespace, name } = metadataOf(object) as { namespace?: string; name: string };
    this.#api.remove(resource, { namespace: namespace ?? null, name });
    return this.#answer(object);
  }

  #answer(object: JsonObject): JsonObject {
    const lost = this.#lost.shift();
    if (lost !== undefined) throw lost;
    return object;
  }

  /** @throws PortError `budget` */
  #spend(pod: JsonObject, isDryRun: boolean): void {
    const labels = textsAt(pod, 'metadata.labels');
    const namespace = textAt(pod, 'metadata.namespace');
    const budget = this.#api.objects(BUDGETS).find((one) => {
      const wanted = Object.entries(textsAt(one, 'spec.selector.matchLabels'));
      const isHere = textAt(one, 'metadata.namespace') === namespace;
      return isHere && wanted.every(([key, value]) => labels[key] === value);
    });
    if (budget === undefined) return;
    const disruptionsAllowed = Number(at(budget, 'status.disruptionsAllowed') ?? 0);
    if (disruptionsAllowed === 0) throw fault('budget', 'an eviction');
    if (isDryRun) return;
    const status = { ...(budget['status'] as JsonObject) };
    this.#api.put(BUDGETS, {
      ...budget,
      status: { ...status, disruptionsAllowed: disruptionsAllowed - 1 },
    });
  }
}

function keyOfName({ namespace, name }: KubeName): string {
  return `${namespace ?? ''}/${name}`;
}

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isObject(metadata) ? metadata : {};
}

function assertPlaced({ isNamespaced, plural }: KubeResource, namespace: string | null): void {
  if (isNamespaced && namespace === null) throw fault('invalid', plural);
}

/** @throws PortError `conflict` */
function assertSame(object: JsonObject, wanted: KubePreconditions | JsonObject): void {
  const { uid, resourceVersion } = metadataOf(object);
  const isSame =
    (wanted.uid === undefined || wanted.uid === uid) &&
    (wanted.resourceVersion === undefined || wanted.resourceVersion === resourceVersion);
  if (!isSame) throw fault('conflict', keyOf(object));
}

function assertLabels(object: JsonObject): void {
  const values = Object.values(textsAt(object, 'metadata.labels'));
  if (values.some((value) => !/^[\w.-]{0,63}$/.test(value))) throw fault('invalid', 'a label');
}

function patched(
  { kind, group }: KubeResource,
  before: JsonObject,
  patch: Exclude<KubePatch, { type: 'apply' }>,
): JsonObject {
  const known = BUILT_IN_KINDS.find((one) => one.kind === kind && one.group === group);
  if (patch.type === 'strategic' && known !== undefined)
    return strategicPatch(before, patch.change, schemaOf(known)) as JsonObject;
  if (patch.type !== 'json') return mergePatch(before, patch.change) as JsonObject;
  try {
    return jsonPatch(before, patch.operations) as JsonObject;
  } catch (error) {
    if (error instanceof PatchFailure) throw fault('conflict', error.message);
    throw error;
  }
}

/** What of a written object counts: its status, or everything else. */
function partOf(object: JsonObject, before: JsonObject, subresource?: string): JsonObject {
  const part = (one: JsonObject, key: string): JsonObject => {
    const value: Json | undefined = one[key];
    return value === undefined ? {} : { [key]: value };
  };
  if (subresource === 'status') return { ...before, ...part(object, 'status') };
  if (subresource === 'scale') return { ...before, ...part(object, 'spec') };
  return { ...object, ...part(before, 'status') };
}

function isOver(object: JsonObject): boolean {
  const isEnding = textAt(object, 'metadata.deletionTimestamp') !== null;
  return isEnding && listAt(object, 'metadata.finalizers').length === 0;
}
