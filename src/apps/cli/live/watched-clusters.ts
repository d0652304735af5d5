import { rememberedAws } from '../../../adapters/aws/remembered.ts';
import { podsOfNode, WATCHED_KINDS } from '../../../collection/watched.ts';
import type { AwsApi } from '../../../ports/aws-api.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { KubeApi } from '../../../ports/kube-api.ts';
import type { Random } from '../../../ports/random.ts';
import type { Alarm } from '../../../runtime/alarm.ts';
import { ClusterWatch } from './cluster-watch.ts';
import { noticesOf, type WatchNotice } from './watch-notices.ts';

/** AWS is asked at most so often, ms, however often a change leads to a look. */
const AWS_LEAST_MS = 5000;
/** How long the first look waits for the watches to begin, ms: a server that is well takes less. */
const BEGIN_MS = 1000;

export interface Means {
  readonly clock: Clock;
  readonly random: Random;
}

/** One cluster whose changes ring an alarm. */
export interface WatchedCluster {
  /** AWS as looks ask it: what it was asked a moment ago is answered from memory. */
  readonly aws: AwsApi | null;
  /** To be called as a look begins. */
  readonly beginLook: () => void;
  /** Watches all Pods of these Nodes too. */
  readonly follow: (nodes: readonly (string | null)[]) => void;
  readonly notices: (pauseMs: number, place: string | null) => readonly WatchNotice[];
  readonly stop: () => Promise<void>;
}

/** Begins to watch what looks at a cluster depend on; without Kubernetes there is nothing to. */
export async function watchCluster(
  clients: { readonly kube: KubeApi | null; readonly aws: AwsApi | null },
  alarm: Alarm,
  { clock, random }: Means,
): Promise<WatchedCluster> {
  const { kube } = clients;
  const aws = clients.aws === null ? null : rememberedAws(clients.aws, clock, AWS_LEAST_MS);
  const onChange = (isOfMachines: boolean): void => {
    // A new Node beside what AWS said before it would be a Node without a machine.
    alarm.ring(isOfMachines ? (aws?.nextAskMs() ?? 0) : 0);
  };
  const watch = kube === null ? null : new ClusterWatch({ kube, clock, random, onChange });
  for (const kind of WATCHED_KINDS) watch?.add(kind);
  await watch?.begun(BEGIN_MS);
  return {
    aws,
    beginLook: () => aws?.beginLook(),
    follow(nodes) {
      for (const node of nodes) {
        const kind = node === null ? null : podsOfNode(node);
        if (kind !== null) watch?.add(kind);
      }
    },
    notices: (pauseMs, place) => noticesOf(watch?.troubles() ?? [], pauseMs, place),
    stop: async () => watch?.stop(),
  };
}
