import type { NodeProbe } from '../../ports/node-probe.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Random } from '../../ports/random.ts';
import {
  no,
  type ProbeTimes,
  type ProbeTools,
  proofOf,
  settled,
  took,
  unknown,
  yes,
} from './probe.ts';

const LOOKUP_MS = 3_000;
const CONNECT_MS = 2_000;
const PEERS_MAX = 3;

/** Whether names are resolved, by the resolver that pods have. */
export function dnsProbe(
  tools: ProbeTools,
  names: readonly string[],
  times: ProbeTimes,
): NodeProbe {
  const { host, clock } = tools;
  return proofOf('DnsWorks', times, async () => {
    const startMs = clock.monotonicMs();
    const found = await Promise.all(
      names.map(async (name) => ({
        name,
        addresses: await settled(host.resolve(name, LOOKUP_MS)),
      })),
    );
    for (const { addresses } of found)
      if (addresses instanceof PortError) return no(dnsReason(addresses), addresses.message);
    return yes('Resolved', `Resolved ${names.join(', ')} ${took(clock, startMs)}.`);
  });
}

function dnsReason({ failure }: PortError): string {
  if (failure === 'not-found') return 'NameNotFound';
  return failure === 'timeout' ? 'NoAnswer' : 'CannotResolve';
}

/** The agent of another Node. */
export interface Peer {
  readonly node: string;
  readonly address: string;
}

export interface PeerPlace {
  /** Agents without the own one, as they were last listed; listed again when asked for new ones. */
  readonly peers: (wanted: 'known' | 'new', signal: AbortSignal) => Promise<readonly Peer[]>;
  readonly port: number;
}

type PeerTools = ProbeTools & { readonly random: Random };

interface Reached {
  readonly peer: Peer;
  readonly failure: PortError | null;
}

async function reachedPeers(
  { host, random }: PeerTools,
  peers: readonly Peer[],
  port: number,
): Promise<readonly Reached[]> {
  return Promise.all(
    drawn(peers, random).map(async (peer) => {
      const at = { host: peer.address, port, tlsServerName: null, caPem: null };
      const probed = await settled(host.probe({ ...at, timeoutMs: CONNECT_MS }));
      return { peer, failure: probed instanceof PortError ? probed : null };
    }),
  );
}

/** Whether a pod reaches pods of other Nodes: one of a few that are drawn has to answer. */
export function podNetworkProbe(
  tools: PeerTools,
  { peers, port }: PeerPlace,
  times: ProbeTimes,
): NodeProbe {
  const { clock } = tools;
  return proofOf('PodNetworkWorks', times, async (signal) => {
    let asked: readonly Reached[] = [];
    // A rollout gives all agents other addresses; the list of before is no proof against them.
    for (const wanted of ['known', 'new'] as const) {
      const startMs = clock.monotonicMs();
      asked = await reachedPeers(tools, await peers(wanted, signal), port);
      const reached = asked.find(({ failure }) => failure === null);
      if (reached !== undefined)
        return yes('PeerReached', `Agent of ${reached.peer.node}: ${took(clock, startMs)}.`);
    }
    if (asked.length === 0) return unknown('NoPeer', 'No agent of another Node is known.');
    const failures = asked.map(({ peer, failure }) => `${peer.node}: ${failure?.message ?? ''}`);
    return no('NoPeerReached', failures.join(' '));
  });
}

function drawn(peers: readonly Peer[], random: Random): readonly Peer[] {
  const left = [...peers];
  const chosen: Peer[] = [];
  while (chosen.length < PEERS_MAX && left.length > 0)
    chosen.push(...left.splice(Math.floor(random.next() * left.length), 1));
  return chosen;
}

/** Whether registries can be reached from the machine's pods; one that wants a login is there. */
export function imagePathProbe(
  tools: ProbeTools,
  registries: readonly string[],
  times: ProbeTimes,
): NodeProbe {
  const { host, clock } = tools;
  return proofOf('ImagePullPath', times, async () => {
    const startMs = clock.monotonicMs();
    for (const registry of registries) {
      const limits = { timeoutMs: LOOKUP_MS, bytesMax: 64 * 1024 };
      const reply = await settled(host.request({ url: `https://${registry}/v2/`, ...limits }));
      if (reply instanceof PortError) return no('Unreachable', reply.message);
      if (reply.status >= 500) return no('Failing', `${registry} answered ${reply.status}.`);
    }
    return yes('Reachable', `${registries.join(', ')} answered ${took(clock, startMs)}.`);
  });
}
