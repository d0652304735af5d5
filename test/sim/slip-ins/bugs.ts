/** Mistakes that an evictor easily makes, each at one of its ports, and the rules that must notice. */
import { isObject, type JsonObject, textAt } from '../../../src/evidence/json.ts';
import type { KubeApi, KubeResource } from '../../../src/ports/kube-api.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import type { Fate } from '../../../src/sim/programs/call.ts';
import type { PortBug, SlipPlan } from './plan.ts';

export interface SlipBug {
  /** Of the list of kinds where it has a number there. */
  readonly id: string;
  readonly caughtBy: readonly string[];
  readonly bug: PortBug;
  readonly plan?: SlipPlan;
}

const PODS: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  isNamespaced: true,
};

function failureOf(error: unknown): string | null {
  return error instanceof PortError ? error.failure : null;
}

/** Pods as they would look to a reader that misses something. */
function seeingPods(api: KubeApi, change: (pod: JsonObject) => JsonObject): KubeApi {
  const isPods = ({ plural }: KubeResource): boolean => plural === 'pods';
  return {
    ...api,
    async get(resource, name, signal) {
      const object = await api.get(resource, name, signal);
      return isPods(resource) ? change(object) : object;
    },
    async *list(resource, options) {
      for await (const page of api.list(resource, options))
        yield isPods(resource) ? { ...page, items: page.items.map(change) } : page;
    },
  };
}

function inside(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isObject(value) ? value : {};
}

function withMetadata(pod: JsonObject, change: JsonObject): JsonObject {
  return { ...pod, metadata: { ...inside(pod, 'metadata'), ...change } };
}

function withSpec(pod: JsonObject, change: JsonObject): JsonObject {
  return { ...pod, spec: { ...inside(pod, 'spec'), ...change } };
}

const OWNER = { kind: 'ReplicaSet', name: 'x', uid: 'x', controller: true };

/** The newest Pod of the workload that is evicted, which took the place of another. */
async function podsOfCart(
  api: KubeApi,
): Promise<readonly { readonly namespace: string; readonly name: string }[]> {
  const found: string[] = [];
  for await (const { items } of api.list(PODS, { labelSelector: 'app=cart' }))
    found.push(...items.map((pod) => textAt(pod, 'metadata.name') ?? ''));
  return found.toReversed().map((name) => ({ namespace: 'default', name }));
}

/** Whoever evicts a Pod is gone afterwards, so that each eviction is one of another leader. */
export const diesAfterEvicting: Fate = ({ what }) =>
  what.startsWith('evict') ? 'crash-after' : null;

export const SLIP_BUGS: readonly SlipBug[] = [
  {
    id: 'P21',
    caughtBy: ['I-10'],
    bug: ({ writes }) => ({
      writes: {
        ...writes,
        evict: (pod, more) => writes.evict(pod, { ...more, preconditions: {} }),
      },
    }),
  },
  {
    id: 'P35',
    caughtBy: ['I-10', 'I-13'],
    bug: ({ api, writes }) => ({
      writes: {
        ...writes,
        evict: (pod, more) =>
          writes.evict(pod, more).catch(async (error: unknown) => {
            if (failureOf(error) !== 'unclear') throw error;
            const [next] = await podsOfCart(api);
            return writes.evict(next ?? pod, { ...more, preconditions: {} });
          }),
      },
    }),
    plan: { fate: ({ what }) => (what.startsWith('evict') ? 'lost-answer' : null) },
  },
  {
    id: 'what is evicted is evicted once more while it ends',
    caughtBy: ['I-14'],
    bug: ({ writes }) => ({
      writes: {
        ...writes,
        async evict(pod, more) {
          await writes.evict(pod, more);
          return writes.evict(pod, more);
        },
      },
    }),
  },
  {
    id: 'a Pod is deleted in place of an eviction',
    caughtBy: ['I-10'],
    bug: ({ writes }) => ({
      writes: { ...writes, evict: (pod, more) => writes.delete(PODS, pod, more) },
    }),
  },
  {
    id: 'a Pod is deleted where its budget forbids an eviction',
    caughtBy: ['I-11'],
    bug: ({ writes }) => ({
      writes: {
        ...writes,
        async evict(pod, more) {
          try {
            return await writes.evict(pod, more);
          } catch (error) {
            if (failureOf(error) !== 'budget') throw error;
            return writes.delete(PODS, pod, more);
          }
        },
      },
    }),
  },
  {
    id: 'a budget that forbids is asked again at once',
    caughtBy: ['I-12'],
    bug: ({ writes }) => ({
      writes: {
        ...writes,
        evict: (pod, more) =>
          writes.evict(pod, more).catch(async (error: unknown) => {
            if (failureOf(error) !== 'budget') throw error;
            return writes.evict(pod, more);
          }),
      },
    }),
  },
  {
    id: 'what another leader evicted is not read',
    caughtBy: ['I-12'],
    bug: ({ api }) => ({
      api: {
        ...api,
        async get(resource, name, signal) {
          const object = await api.get(resource, name, signal);
          return resource.plural === 'nodegates'
            ? withMetadata(object, { annotations: {} })
            : object;
        },
      },
    }),
    plan: { perHour: 2, fate: diesAfterEvicting },
  },
  {
    id: 'an eviction is noted by nobody',
    caughtBy: ['I-12'],
    bug: ({ writes }) => ({
      writes: {
        ...writes,
        patch: async (resource, name, patch, more) =>
          resource.plural === 'nodegates' && JSON.stringify(patch).includes('/evictions')
            ? {}
            : writes.patch(resource, name, patch, more),
      },
    }),
    plan: { perHour: 2, fate: diesAfterEvicting },
  },
  {
    id: 'tolerations are not looked at',
    caughtBy: ['I-09'],
    bug: ({ api }) => ({
      api: seeingPods(api, (pod) => withSpec(pod, { tolerations: [] })),
    }),
  },
  {
    id: 'any owner is one that makes another',
    caughtBy: ['I-09'],
    bug: ({ api }) => ({
      api: seeingPods(api, (pod) => withMetadata(pod, { ownerReferences: [OWNER] })),
    }),
  },
  {
    id: 'Pods of every node are taken for those of one',
    caughtBy: ['I-13'],
    bug: ({ api }) => ({ api: seeingPods(api, (pod) => withSpec(pod, { nodeName: 'new-1' })) }),
    // What starts again looks at all Pods.
    plan: { fate: ({ what }) => (what.startsWith('evict') ? 'crash-before' : null) },
  },
  {
    id: 'P51',
    caughtBy: ['I-35'],
    bug: ({ writes }) => ({
      writes: {
        ...writes,
        evict: (pod, more) => writes.evict(pod, { ...more, isDryRun: false }),
      },
    }),
    plan: { isDryRun: true },
  },
  {
    id: 'evictions are never sent',
    caughtBy: ['L-03'],
    bug: ({ writes }) => ({ writes: { ...writes, evict: async () => ({}) } }),
  },
];
