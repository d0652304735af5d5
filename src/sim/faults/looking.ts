import type { AwsApi } from '../../ports/aws-api.ts';
import type { KubeApi, KubeListPlace, KubeResource } from '../../ports/kube-api.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';
import type { RefusedCall } from './refused-call.ts';
import { createPlants, type Plants } from '../secrets/plants.ts';
import { createWire, type Wire } from './wire.ts';

/** What stands between Rollcall and the API server. */
export interface Looking {
  /** Of the watchers that run in the world, between two looks. */
  readonly wire: Wire;
  /** Secrets that stand in what Rollcall is given. */
  readonly plants: Plants;
  /**
   * Refuses Rollcall's own requests.
   *
   * @param plural `nodes`, or null for every kind
   * @returns what takes it back
   */
  refuse(plural: string | null, failure: PortFailure): () => void;
  /** Refuses each list after its first page, as with a continue token that is too old. */
  breakPages(): () => void;
  /** The API server with what stands before it. */
  through(kube: KubeApi): KubeApi;
  /** AWS as it is, with a note of what it refused. */
  noting(aws: AwsApi): AwsApi;
  /** What was refused since it was asked last. */
  takeRefused(): readonly RefusedCall[];
}

interface Barrier {
  readonly plural: string | null;
  readonly failure: PortFailure;
}

/** @param seed of the secrets that it is given to see */
export function createLooking(seed = 0): Looking {
  const barriers = new Set<Barrier>();
  const broken = new Set<object>();
  const barrierOf = ({ plural }: KubeResource): Barrier | undefined =>
    [...barriers].find((one) => one.plural === null || one.plural === plural);
  const refused: RefusedCall[] = [];
  const refuseCall = (call: string, failure: PortFailure): PortError => {
    refused.push({ call, failure });
    return refusal(call, failure);
  };
  const check = (verb: string, resource: KubeResource): void => {
    const barrier = barrierOf(resource);
    if (barrier !== undefined) throw refuseCall(`${verb} ${resource.plural}`, barrier.failure);
  };
  return {
    wire: createWire(),
    plants: createPlants(seed),
    refuse(plural, failure) {
      const barrier = { plural, failure };
      barriers.add(barrier);
      return () => barriers.delete(barrier);
    },
    breakPages() {
      const mark = {};
      broken.add(mark);
      return () => broken.delete(mark);
    },
    through: (kube) => ({
      server: kube.server,
      list: (resource, options) => pages(kube, resource, options, { check, broken, refuseCall }),
      async get(resource, name, signal) {
        check('get', resource);
        return kube.get(resource, name, signal);
      },
      watch: (resource, options) => kube.watch(resource, options),
      logs: async (pod, options) => kube.logs(pod, options),
      kubeletHealth: async (node, signal) => kube.kubeletHealth(node, signal),
      nodeLog: async (node, place, options) => kube.nodeLog(node, place, options),
      mayI: async (access, signal) => kube.mayI(access, signal),
      version: async (signal) => kube.version(signal),
      skewMs: () => kube.skewMs(),
    }),
    noting: (aws) => notingAws(aws, refused),
    takeRefused: () => refused.splice(0),
  };
}

function notingAws(aws: AwsApi, refused: RefusedCall[]): AwsApi {
  return {
    region: aws.region,
    partition: aws.partition,
    requests: () => aws.requests(),
    async *pages(call, signal) {
      try {
        yield* aws.pages(call, signal);
      } catch (error) {
        if (error instanceof PortError && IS_GAP.has(error.failure))
          refused.push({ call: `${call.service}:${call.operation}`, failure: error.failure });
        throw error;
      }
    },
  };
}

interface Barriers {
  readonly check: (verb: string, resource: KubeResource) => void;
  readonly broken: ReadonlySet<object>;
  readonly refuseCall: (call: string, failure: PortFailure) => PortError;
}

/** Failures that say nothing of what was asked for; `not-found` is an answer. */
const IS_GAP: ReadonlySet<PortFailure> = new Set([
  'denied',
  'unauthenticated',
  'throttled',
  'unavailable',
  'timeout',
  'unreachable',
  'malformed',
  'expired',
]);

/** So small at first that also the lists of a small world have several pages. */
function pageSize({ objectsBefore }: KubeListPlace): number {
  return objectsBefore < 50 ? 10 : 500;
}

async function* pages(
  kube: KubeApi,
  resource: KubeResource,
  options: Parameters<KubeApi['list']>[1],
  { check, broken, refuseCall }: Barriers,
): ReturnType<KubeApi['list']> {
  check('list', resource);
  let count = 0;
  for await (const page of kube.list(resource, { ...options, pageSize })) {
    if (count++ > 0 && broken.size > 0) throw refuseCall(`list ${resource.plural}`, 'expired');
    yield page;
  }
}

const WHY: Partial<Readonly<Record<PortFailure, string>>> = {
  denied: 'is forbidden to this identity',
  unauthenticated: 'was refused, as the identity is not known',
  throttled: 'was refused with 429, as the API server is busy',
  unavailable: 'was refused with 503, as the API server is not ready',
  expired: 'broke off, as its continue token is too old',
};

function refusal(call: string, failure: PortFailure): PortError {
  const message = `${call} ${WHY[failure] ?? `ended with ${failure}`}`;
  return new PortError({
    failure,
    message,
    ...(failure === 'denied' ? { permission: call } : {}),
  });
}
