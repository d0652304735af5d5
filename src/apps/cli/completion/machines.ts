import { NODES } from '../../../collection/resources.ts';
import { filters } from '../../../collection/aws-calls.ts';
import { listAt, textAt } from '../../../evidence/json.ts';
import { PortError } from '../../../ports/port-error.ts';
import type { AwsApi } from '../../../ports/aws-api.ts';
import type { KubeApi } from '../../../ports/kube-api.ts';
import type { LiveFlags } from '../live/flags.ts';
import { openClients } from '../live/open-clients.ts';
import { startLimit } from '../../../collection/time-limit.ts';
import type { Candidate } from './ask.ts';

/** Longer than this, a person types the name. */
const LIMIT_MS = 10_000;

const INSTANCE_ID = /\bi-[0-9a-f]{8,17}$/;

async function nodesOf(kube: KubeApi, signal: AbortSignal): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  // Whatever the server's cache holds is new enough for a name.
  for await (const { items } of kube.list(NODES, { resourceVersion: '0', signal }))
    for (const node of items) {
      const name = textAt(node, 'metadata.name') ?? '';
      const id = INSTANCE_ID.exec(textAt(node, 'spec.providerID') ?? '')?.[0] ?? null;
      found.push({ value: name, help: id === null ? 'Node' : `Node of ${id}` });
      if (id !== null) found.push({ value: id, help: `instance of Node ${name}` });
    }
  return found;
}

async function instancesOf(
  aws: AwsApi,
  cluster: string,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  const tagged = filters({ 'tag-key': [`kubernetes.io/cluster/${cluster}`] });
  const call = {
    service: 'ec2',
    operation: 'DescribeInstances',
    input: { Filters: tagged },
  } as const;
  for await (const page of aws.pages(call, signal))
    for (const instance of listAt(page, 'Reservations').flatMap((one) => listAt(one, 'Instances')))
      found.push({
        value: textAt(instance, 'InstanceId') ?? '',
        help: `instance, ${textAt(instance, 'State.Name') ?? 'state unknown'}`,
      });
  return found;
}

/** Nothing is offered of what cannot be asked: whoever completes a word reads no errors. */
async function orNothing(asked: Promise<readonly Candidate[]>): Promise<readonly Candidate[]> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof PortError) return [];
    throw error;
  }
}

/** Nodes, and instances with the tag of the cluster; what has not answered in time is left out. */
export async function machinesOf(flags: LiveFlags): Promise<readonly Candidate[]> {
  const clients = await openClients({ ...flags, timeoutMs: LIMIT_MS });
  const { signal, clear } = startLimit(clients.clock, LIMIT_MS);
  const { kube, aws, described } = clients;
  const cluster = flags.cluster ?? described?.clusterName ?? null;
  try {
    const [nodes, instances] = await Promise.all([
      kube === null ? [] : orNothing(nodesOf(kube, signal)),
      aws === null || cluster === null ? [] : orNothing(instancesOf(aws, cluster, signal)),
    ]);
    const known = new Set(nodes.map(({ value }) => value));
    return [...nodes, ...instances.filter(({ value }) => !known.has(value))];
  } finally {
    clear();
    await clients.close();
  }
}
