/** Mistakes that a gate easily makes, each at one of its ports, and the rules that must notice. */
import { isObject, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import type { GatePolicy, PolicyReading } from '../../../src/controllers/gate/policy.ts';
import type { KubeApi, KubeResource, KubeWatchEvent } from '../../../src/ports/kube-api.ts';
import type { KubePatch, KubeWrites } from '../../../src/ports/kube-writes.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import type { GatePlan, PortBug } from './plan.ts';
import { MISSING_SET } from './scene.ts';

export interface GateMistake {
  /** Of the list of kinds where it has a number there. */
  readonly id: string;
  readonly caughtBy: readonly string[];
  /** Another one for each run, with the fault in which it shows where it shows in none. */
  readonly plant: () => Pick<
    GatePlan,
    'fate' | 'admission' | 'configuration' | 'kubelets' | 'outage'
  > & {
    readonly bug: PortBug;
  };
}

function isOf(plural: string): (resource: KubeResource) => boolean {
  return (resource) => resource.plural === plural;
}

/** Events of a kind as they would come to a reader that misses something; null for not at all. */
export function hearing(
  api: KubeApi,
  plural: string,
  change: (event: KubeWatchEvent) => KubeWatchEvent | null,
): KubeApi {
  return {
    ...api,
    async *watch(resource, options) {
      for await (const event of api.watch(resource, options)) {
        const isOther = resource.plural !== plural || event.type === 'BOOKMARK';
        const heard = isOther ? event : change(event);
        if (heard !== null) yield heard;
      }
    },
  };
}

export function seeing(
  api: KubeApi,
  plural: string,
  change: (object: JsonObject) => JsonObject,
): KubeApi {
  return hearing(api, plural, (event) => ({ ...event, object: change(event.object) }));
}

export function inside(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isObject(value) ? value : {};
}

export function withPart(
  object: JsonObject,
  part: 'metadata' | 'status',
  change: JsonObject,
): JsonObject {
  return { ...object, [part]: { ...inside(object, part), ...change } };
}

const LONG_AGO = '2026-11-22T08:00:00Z';
const IS_READY = [{ type: 'Ready', status: 'True', lastTransitionTime: LONG_AGO }];

/** All of no containers are ready. */
function emptyIsReady(pod: JsonObject): JsonObject {
  const isEmpty = listAt(pod, 'status.containerStatuses').length === 0;
  return isEmpty ? withPart(pod, 'status', { phase: 'Running', conditions: IS_READY }) : pod;
}

export function nameOf(object: JsonObject | undefined): string {
  return textAt(object ?? {}, 'metadata.name') ?? '';
}

/** Nothing tells a DaemonSet from the one before of its name, nor a Pod that is on its way out. */
function byName({ api }: { readonly api: KubeApi }): KubeApi {
  const sets = seeing(api, 'daemonsets', (set) => withPart(set, 'metadata', { uid: nameOf(set) }));
  return seeing(sets, 'pods', (pod) => {
    const { deletionTimestamp: _, ...metadata } = inside(pod, 'metadata');
    const owners = listAt(pod, 'metadata.ownerReferences').filter(isObject);
    const ownerReferences = owners.map((owner) => ({ ...owner, uid: owner['name'] ?? '' }));
    return { ...pod, metadata: { ...metadata, ownerReferences } };
  });
}

const SLEEP_MS = 8_000;

export function isOfTaints(patch: KubePatch): boolean {
  return patch.type === 'json' && JSON.stringify(patch.operations).includes('"/spec/taints');
}

function sleepingBefore(writes: KubeWrites, clock: Clock): KubeWrites {
  return {
    ...writes,
    async patch(resource, name, patch, more) {
      if (isOfTaints(patch)) await clock.sleep(SLEEP_MS);
      return writes.patch(resource, name, patch, more);
    },
  };
}

export function reading(change: (policy: GatePolicy) => GatePolicy): PortBug {
  return ({ read }) => ({
    read(object) {
      const found = read(object);
      return { ...found, policies: found.policies.map(change) };
    },
  });
}

function lastOnly(policy: GatePolicy): GatePolicy {
  const { selects } = policy;
  return { ...policy, selects: { ...selects, requirements: selects.requirements.slice(-1) } };
}

const [, MISSING_NAME = ''] = MISSING_SET.split('/');

function standIn(kind: string, metadata: JsonObject, more: JsonObject): KubeWatchEvent {
  const named = { namespace: 'default', resourceVersion: '1', ...metadata };
  const object = { apiVersion: 'v1', kind, metadata: named, ...more };
  return { type: 'ADDED', object, resourceVersion: '1', endsInitialEvents: false };
}

const SET_STAND_IN = standIn(
  'DaemonSet',
  { name: MISSING_NAME, uid: 'none' },
  { spec: { selector: { matchLabels: { app: MISSING_NAME } } } },
);
const OWNER = { kind: 'DaemonSet', name: MISSING_NAME, uid: 'none', controller: true };
const POD_STAND_IN = standIn(
  'Pod',
  { name: MISSING_NAME, uid: 'none', ownerReferences: [OWNER] },
  { spec: { nodeName: 'n-lost' }, status: { phase: 'Running', conditions: IS_READY } },
);

/** What is not found wants nothing, as if it were there and well. */
function missingIsWell(api: KubeApi): KubeApi {
  return {
    ...api,
    async *watch(resource, options) {
      const isFirst = options.sendInitialEvents === true;
      const isOfSet = options.labelSelector === `app=${MISSING_NAME}`;
      if (isOf('daemonsets')(resource) && isFirst) yield SET_STAND_IN;
      if (isOf('pods')(resource) && isOfSet && isFirst) yield POD_STAND_IN;
      yield* api.watch(resource, options);
    },
  };
}

export function isMark({ path }: { readonly path?: unknown }): boolean {
  return typeof path === 'string' && path.startsWith('/metadata/annotations');
}

/** The taint goes first, and the mark of what was done in a write of its own. */
function inTwoWrites(): ReturnType<GateMistake['plant']> {
  let isBetween = false;
  const bug: PortBug = ({ writes }) => ({
    writes: {
      ...writes,
      async patch(resource, name, patch, more) {
        if (patch.type !== 'json' || !isOfTaints(patch) || !patch.operations.some(isMark))
          return writes.patch(resource, name, patch, more);
        const taints = patch.operations.filter((one) => !isMark(one));
        const marks = patch.operations.filter(isMark);
        await writes.patch(resource, name, { ...patch, operations: taints }, more);
        isBetween = name.name === 'n-once';
        return writes.patch(resource, name, { ...patch, operations: marks }, more);
      },
    },
  });
  return {
    bug,
    fate: ({ what }) => (isBetween && what.endsWith('n-once') ? 'crash-before' : null),
  };
}

function labelsOf(node: JsonObject): JsonObject {
  const labels = inside(inside(node, 'metadata'), 'labels');
  return labels;
}

/** A change is one only where a label is new or has another value: one that is gone is none. */
const labelsThatCome: PortBug = ({ api }) => {
  const known = new Map<string, JsonObject>();
  return {
    api: seeing(api, 'nodes', (node) => {
      const [before, labels] = [known.get(nameOf(node)) ?? {}, labelsOf(node)];
      const isOther = Object.entries(labels).some(([key, value]) => before[key] !== value);
      if (!isOther) return withPart(node, 'metadata', { labels: before });
      known.set(nameOf(node), labels);
      return node;
    }),
  };
};

function neverGone(api: KubeApi): KubeApi {
  const heard = hearing(api, 'nodes', (event) => (event.type === 'DELETED' ? null : event));
  return {
    ...heard,
    async get(resource, name, signal) {
      try {
        return await heard.get(resource, name, signal);
      } catch (error) {
        throw isOf('nodes')(resource) ? unanswered() : error;
      }
    },
  };
}

function unanswered(): PortError {
  return new PortError({ failure: 'timeout', message: 'nobody answered' });
}

const isOfUid = ({ path }: { readonly path?: unknown }): boolean => path === '/metadata/uid';

/** A version is still compared, as its Node is the same by name. */
function withoutUid(writes: KubeWrites): KubeWrites {
  return {
    ...writes,
    patch(resource, name, patch, more) {
      if (patch.type !== 'json') return writes.patch(resource, name, patch, more);
      const operations = patch.operations.filter((one) => !isOfUid(one));
      return writes.patch(resource, name, { ...patch, operations }, more);
    },
  };
}

function withBoot(node: JsonObject, bootID: string): JsonObject {
  const nodeInfo = { ...inside(inside(node, 'status'), 'nodeInfo'), bootID };
  return withPart(node, 'status', { nodeInfo });
}

const nodesByName: PortBug = ({ api, writes }) => ({
  api: seeing(neverGone(api), 'nodes', (node) =>
    withBoot(withPart(node, 'metadata', { uid: nameOf(node) }), 'any'),
  ),
  writes: withoutUid(writes),
});

/** A kubelet that was not ready and is ready has begun, and what has begun is a new node. */
const kubeletIsNode: PortBug = ({ api }) => ({
  api: seeing(api, 'nodes', (node) => {
    const ready = listAt(node, 'status.conditions').find((one) => textAt(one, 'type') === 'Ready');
    return withBoot(node, textAt(ready, 'lastTransitionTime') ?? 'none');
  }),
});

const PERIOD_MS = 5_000;

/** Looks at Pods once in a period, and only at whether they are ready. */
const polling: PortBug = ({ api, clock }) => {
  let lookedMs = -Infinity;
  const wait = async (): Promise<void> => {
    const nowMs = clock.monotonicMs();
    if (nowMs - lookedMs < PERIOD_MS / 2) return;
    await clock.sleep(PERIOD_MS - (nowMs % PERIOD_MS));
    lookedMs = clock.monotonicMs();
  };
  return { api: { ...api, watch: (resource, options) => polled(api, wait, resource, options) } };
};

async function* polled(
  api: KubeApi,
  wait: () => Promise<void>,
  resource: KubeResource,
  options: Parameters<KubeApi['watch']>[1],
): ReturnType<KubeApi['watch']> {
  for await (const event of api.watch(resource, options)) {
    if (resource.plural !== 'pods' || event.type !== 'MODIFIED') {
      yield event;
      continue;
    }
    await wait();
    const name = { namespace: 'default', name: nameOf(event.object) };
    const now = await api.get(resource, name).catch(() => event.object);
    yield { ...event, object: onlyWhetherReady(now) };
  }
}

function onlyWhetherReady(pod: JsonObject): JsonObject {
  const conditions = listAt(pod, 'status.conditions').filter(isObject);
  return withPart(pod, 'status', {
    conditions: conditions.map((one) => ({ ...one, lastTransitionTime: LONG_AGO })),
    containerStatuses: [],
  });
}

function releasing(change: (reading: PolicyReading) => PolicyReading['releases']): PortBug {
  return ({ read }) => ({
    read(object) {
      const found = read(object);
      return { ...found, releases: change(found) ?? [] };
    },
  });
}

const ALL_OF_OURS = [{ key: 'readiness.k8s.io/', isPrefix: true, effect: null }];

export function planted(bug: PortBug): GateMistake['plant'] {
  return () => ({ bug });
}

export const GATE_MISTAKES: readonly GateMistake[] = [
  {
    id: 'P1',
    caughtBy: ['I-02', 'I-03'],
    plant: planted(({ api }) => ({ api: seeing(api, 'pods', emptyIsReady) })),
  },
  { id: 'P2', caughtBy: ['I-02'], plant: planted(({ api }) => ({ api: byName({ api }) })) },
  {
    id: 'P3',
    caughtBy: ['I-02'],
    plant: planted(({ writes, clock }) => ({ writes: sleepingBefore(writes, clock) })),
  },
  { id: 'P4', caughtBy: ['I-08'], plant: planted(reading(lastOnly)) },
  {
    id: 'P5',
    caughtBy: ['I-01', 'I-03'],
    plant: planted(({ api }) => ({ api: missingIsWell(api) })),
  },
  { id: 'P10', caughtBy: ['I-07'], plant: inTwoWrites },
  { id: 'P11', caughtBy: ['I-08'], plant: planted(labelsThatCome) },
  { id: 'P12', caughtBy: ['I-32'], plant: planted(({ api }) => ({ api: neverGone(api) })) },
  {
    id: 'P17',
    caughtBy: ['I-02', 'I-40'],
    plant: planted(({ clock }) => ({ clock: { ...clock, monotonicMs: () => clock.nowMs() } })),
  },
  { id: 'P27', caughtBy: ['I-02'], plant: planted(polling) },
  { id: 'P28', caughtBy: ['I-01', 'I-02'], plant: planted(nodesByName) },
  { id: 'P29', caughtBy: ['L-01'], plant: planted(releasing(() => [])) },
  {
    id: 'with one gate every taint of its domain is given up',
    caughtBy: ['I-05'],
    plant: planted(releasing(({ releases = [] }) => (releases.length === 0 ? [] : ALL_OF_OURS))),
  },
  { id: 'P30', caughtBy: ['I-07'], plant: planted(kubeletIsNode) },
  {
    id: 'what cannot be read of a gate is left out',
    caughtBy: ['I-04'],
    plant: planted(reading((policy) => ({ ...policy, refusedWhy: null }))),
  },
];
