import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type ClusterSize,
  eventOf,
  leaseOf,
  type Machine,
  machineAt,
  machinesOf,
  nodeOf,
  podOf,
} from './cluster.ts';

import { type WatchDouble, watchDouble } from './watch-double.ts';

interface Kind {
  readonly kind: string;
  readonly count: number;
  readonly at: (index: number) => object;
}

type Kinds = Readonly<Record<string, Kind>>;

const EVENTS = 3000;

function kindsOf(size: ClusterSize): Kinds {
  const nodes = machinesOf(size).filter(({ hasNode }) => hasNode);
  const machineOf = (index: number): Machine => nodes[index % nodes.length] ?? machineAt(0);
  return {
    nodes: { kind: 'Node', count: nodes.length, at: (index) => nodeOf(machineOf(index), index) },
    leases: { kind: 'Lease', count: nodes.length, at: (index) => leaseOf(machineOf(index), index) },
    pods: { kind: 'Pod', count: size.pods, at: (index) => podOf(index, machineOf(index)) },
    events: { kind: 'Event', count: EVENTS, at: (index) => eventOf(index, machineOf(index)) },
  };
}

/** One page of a list, as kube-apiserver words it: what stands before its version, and behind. */
function pageOf({ kind, count, at }: Kind, from: number, limit: number): readonly [string, string] {
  const to = Math.min(count, from + limit);
  const items = Array.from({ length: to - from }, (_, index) => at(from + index));
  const rest = count - to;
  const more = rest > 0 ? `,"continue":"${to}","remainingItemCount":${rest}` : '';
  return [
    `{"kind":"${kind}List","apiVersion":"v1","metadata":{"resourceVersion":"`,
    `"${more}},"items":${JSON.stringify(items)}}`,
  ];
}

const NONE: Kind = { kind: 'Other', count: 0, at: () => ({}) };
const MISSING = JSON.stringify({
  kind: 'Status',
  status: 'Failure',
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  code: 404,
});

export type Answerer = (request: IncomingMessage, body: string, response: ServerResponse) => void;

function apiVersionOf(plural: string): string {
  return plural === 'leases' ? 'coordination.k8s.io/v1' : 'v1';
}

export interface KubeDouble {
  readonly answer: Answerer;
  readonly watches: WatchDouble;
}

/** Answers lists and watches of a cluster of this size; pages that were made once are kept. */
export function kubeDouble(size: ClusterSize): KubeDouble {
  const kinds = kindsOf(size);
  const pages = new Map<string, readonly [string, string]>();
  const watches = watchDouble(apiVersionOf);
  const answer: Answerer = ({ url = '/' }, _body, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const json = { 'content-type': 'application/json' };
    if (/karpenter|amazonaws|node\.x-k8s\.io/.test(pathname)) {
      response.writeHead(404, json).end(MISSING);
      return;
    }
    if (pathname.endsWith('/log')) {
      response.writeHead(200).end('');
      return;
    }
    const known = pages.get(url);
    const plural = pathname.slice(pathname.lastIndexOf('/') + 1);
    if (searchParams.has('watch')) {
      watches.follow(plural, kinds[plural] ?? NONE, response, searchParams);
      return;
    }
    const limit = Number(searchParams.get('limit') ?? '500');
    const from = Number(searchParams.get('continue') ?? '0');
    const page = known ?? pageOf(kinds[plural] ?? NONE, from, limit);
    pages.set(url, page);
    response.writeHead(200, json).end(page.join(String(watches.version())));
  };
  return { answer, watches };
}
