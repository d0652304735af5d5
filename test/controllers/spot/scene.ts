/** Nodes of Spot Instances, their Pods and groups, and rules about them. */
import type { ActRule } from '../../../src/capacity/spot/act-rules.ts';
import type { SpotSight } from '../../../src/controllers/spot/facts.ts';
import { type PodFacts, readPod } from '../../../src/controllers/slip-ins/pod.ts';
import { readSpotNode, type SpotNode } from '../../../src/domain/nodes/spot-node.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';

export const NOW_MS = 1_700_000_000_000;
export const HOUR_MS = 3_600_000;

export interface NodeParts {
  readonly number: number;
  readonly notice?: 'SpotInterruption' | 'RebalanceRecommendation' | 'ScheduledEvent';
  readonly isCordoned?: boolean;
  readonly taints?: readonly string[];
  readonly type?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export function instanceOf(number: number): string {
  return `i-${String(number).padStart(17, '0')}`;
}

export function nodeObject(parts: NodeParts): JsonObject {
  const { number, notice, isCordoned = false, taints = [], type = 'm5.large', labels } = parts;
  return {
    metadata: {
      name: `node-${number}`,
      uid: `uid-${number}`,
      resourceVersion: '1',
      labels: {
        'node.kubernetes.io/instance-type': type,
        'topology.kubernetes.io/zone': 'us-west-2a',
        'karpenter.sh/capacity-type': 'spot',
        ...labels,
      },
    },
    spec: {
      providerID: `aws:///us-west-2a/${instanceOf(number)}`,
      ...(isCordoned ? { unschedulable: true } : {}),
      taints: taints.map((key) => ({ key, effect: 'NoSchedule' })),
    },
    status: {
      conditions:
        notice === undefined
          ? []
          : [
              {
                type: 'rollcall.dev/InterruptionNotice',
                status: 'True',
                reason: notice,
                lastTransitionTime: '2023-11-14T22:00:00Z',
              },
            ],
    },
  };
}

export function node(parts: NodeParts): SpotNode {
  const read = readSpotNode(nodeObject(parts));
  if (read === null) throw new TypeError('no Node');
  return read;
}

/** So many quiet Nodes, from number 100 on. */
export function quiet(count: number): readonly SpotNode[] {
  return Array.from({ length: count }, (_one, at) => node({ number: 100 + at }));
}

export interface PodParts {
  readonly name: string;
  readonly nodeName?: string;
  /** Kind of its controller; null for none. */
  readonly by?: string | null;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function podObject({ name, by = 'ReplicaSet', annotations = {}, nodeName }: PodParts) {
  return {
    metadata: {
      namespace: 'shop',
      name,
      uid: `uid-${name}`,
      resourceVersion: '1',
      annotations,
      ownerReferences:
        by === null ? [] : [{ kind: by, name: 'web', uid: 'uid-web', controller: true }],
    },
    spec: nodeName === undefined ? {} : { nodeName },
    status: { phase: 'Running' },
  };
}

export function pod(parts: PodParts): PodFacts {
  const read = readPod(podObject(parts));
  if (read === null) throw new TypeError('no Pod');
  return read;
}

export function sight(parts: Partial<SpotSight>): SpotSight {
  return {
    nodes: [],
    marked: new Set(),
    prices: new Map(),
    pods: new Map(),
    claims: new Map(),
    members: new Map(),
    ...parts,
  };
}

export function rule(parts: Partial<ActRule> = {}): ActRule {
  return {
    name: 'leave',
    on: 'rebalance',
    when: { types: [], zones: [], above: null },
    do: 'drain',
    budget: { perHour: 10, share: 1 },
    ...parts,
  };
}
