import type { AwsApi } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { awsPort } from '../../sim/aws/port.ts';
import { kubePort } from '../../sim/kube/port.ts';
import type { SimulatedCluster } from '../../sim/cluster/simulated-cluster.ts';
import { type LiveEvidence, type LiveOptions, observe } from '../../collection/observe.ts';

/** A pause before another try is shorter than any limit of a look, ms. */
const PAUSES_MAX_MS = 10_000;
const TIMEOUT_MS = 60_000;

/** The time of a world that stands still: pauses are over at once, and limits never reached. */
export function frozenClock(nowMs: number): Clock {
  return {
    nowMs: () => nowMs,
    monotonicMs: () => 0,
    async sleep(durationMs, signal) {
      signal?.throwIfAborted();
      if (durationMs <= PAUSES_MAX_MS) return;
      const { promise, reject } = Promise.withResolvers<void>();
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      return promise;
    },
  };
}

export interface SimulatedApis {
  readonly kube: KubeApi;
  readonly aws: AwsApi;
}

export interface SimulatedLook {
  readonly onDocument?: LiveOptions['onDocument'];
  /** What stands between the administrator and the two APIs. */
  readonly through?: (apis: SimulatedApis) => SimulatedApis;
  /** As `--cluster` names it, null for nobody; its name when not given. */
  readonly cluster?: string | null;
  readonly onRequest?: LiveOptions['onRequest'];
}

/** Looks at a simulated cluster that stands still as its administrator does with `rollcall diagnose`. */
export async function observeCluster(
  { kernel, api, cloud, admin, setting }: SimulatedCluster,
  {
    onDocument,
    onRequest,
    through = (apis) => apis,
    cluster = setting.cluster.name,
  }: SimulatedLook = {},
): Promise<LiveEvidence> {
  const clock = frozenClock(kernel.nowMs());
  const apis = through({
    kube: kubePort({ server: api, user: admin.user, clock }),
    aws: awsPort({ cloud, identity: admin.identity, clock, pauseMs: 0 }),
  });
  return observe(
    { ...apis, described: null, refusals: [], clock },
    {
      cluster,
      asked: [],
      isDeep: false,
      timeoutMs: TIMEOUT_MS,
      progress: () => {},
      ...(onDocument === undefined ? {} : { onDocument }),
      ...(onRequest === undefined ? {} : { onRequest }),
    },
  );
}
