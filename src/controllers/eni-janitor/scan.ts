import { INSTANCE_TAG } from '../../domain/network/interfaces.ts';
import { isObject, type JsonObject, textAt } from '../../evidence/json.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { NODES } from '../gate/plan.ts';
import { askForAll, instanceStates } from '../fix/aws-read.ts';
import type { EniScan } from './facts.ts';
import { type LooseInterface, looseInterfaceOf } from './loose-interface.ts';

export interface ScanTools {
  readonly kube: KubeApi;
  readonly aws: AwsApi;
  readonly clock: Clock;
}

/** The two clocks of a program at one moment, ms. */
export interface ClockReading {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export function readClocks(clock: Clock): ClockReading {
  return { wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
}

/**
 * Looks at all unused interfaces of the CNI, at the instances that they were made for, and at the
 * Nodes.
 *
 * @param began the clocks at the start of the program: a wall clock that was set ahead since then
 *   makes nothing older
 * @throws PortError where any part of it cannot be read, as then nothing is known
 */
export async function scanInterfaces(
  cluster: string,
  began: ClockReading,
  tools: ScanTools,
): Promise<EniScan> {
  const { aws, kube, clock } = tools;
  const wanted = { status: ['available'], 'tag-key': [INSTANCE_TAG] };
  const interfaces = await interfacesBy(aws, wanted);
  const ids = new Set(interfaces.flatMap(({ instanceId }) => instanceId ?? []));
  const instances = await instanceStates(aws, [...ids]);
  const nodeInstances = await instancesOfNodes(kube);
  const monotonicMs = clock.monotonicMs();
  const nowMs = Math.min(
    began.wallMs + monotonicMs - began.monotonicMs,
    clock.nowMs(),
    clock.nowMs() - (kube.skewMs() ?? 0),
  );
  return { nowMs, monotonicMs, cluster, interfaces, instances, nodeInstances };
}

type Filters = Readonly<Record<string, readonly string[]>>;

function filtersOf(filters: Filters): JsonObject {
  const all = Object.entries(filters).map(([Name, Values]) => ({ Name, Values: [...Values] }));
  return { Filters: all };
}

async function interfacesBy(aws: AwsApi, filters: Filters): Promise<readonly LooseInterface[]> {
  const input = filtersOf(filters);
  const call = { service: 'ec2', operation: 'DescribeNetworkInterfaces', input } as const;
  const items = await askForAll(aws, call, 'NetworkInterfaces');
  return items.map(looseInterfaceOf).filter((one) => one !== null);
}

/** One interface as it is now; null where there is none of that id. @throws PortError */
export async function readInterface(aws: AwsApi, id: string): Promise<LooseInterface | null> {
  const [found] = await interfacesBy(aws, { 'network-interface-id': [id] });
  return found ?? null;
}

async function instancesOfNodes(kube: KubeApi): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { items } of kube.list(NODES))
    for (const node of items.filter(isObject)) {
      const id = textAt(node, 'spec.providerID')?.split('/').at(-1);
      if (id !== undefined) ids.add(id);
    }
  return ids;
}
