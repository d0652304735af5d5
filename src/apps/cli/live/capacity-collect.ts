import type { Ask } from '../../../collection/asking.ts';
import { filters } from '../../../collection/aws-calls.ts';
import { type CapacityEvidence, unseenOf } from '../../../capacity/cluster/cluster-capacity.ts';
import type { Unseen } from '../../../capacity/cluster/document.ts';
import {
  interfacesOf,
  knownInstances,
  networkInterfaces,
} from '../../../capacity/cluster/facts.ts';
import type { PlanQuestion } from '../../../capacity/cluster/plan.ts';
import type { KnownInstances } from '../../../capacity/leaks.ts';
import type { Observations } from '../../../evidence/observations.ts';
import { createReading } from '../../../readers/reading.ts';
import { compileSigns } from '../../../readers/sign-table.ts';
import type { CliContext } from '../context.ts';
import { readGiven } from '../given-files.ts';
import { askPlan, gather } from '../../../collection/capacity-calls.ts';
import { lookWith, wholeQuestion } from './diagnose-cluster.ts';
import type { LiveFlags } from './flags.ts';
import { openClients } from './open-clients.ts';
import type { LookClients } from '../../../collection/look-clients.ts';

const BATCH = 200;

/** Asks for the instances for which unattached interfaces were made; terminated ones may be gone. */
export async function askMakers(ask: Ask, ids: readonly string[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, index) =>
    ids.slice(index * BATCH, (index + 1) * BATCH),
  );
  await Promise.all(
    batches.map((batch) =>
      ask({
        service: 'ec2',
        operation: 'DescribeInstances',
        input: { Filters: filters({ 'instance-id': batch }) },
      }),
    ),
  );
}

/** Whether the instances still live for which the CNI made interfaces that nothing uses. */
async function makersOf(
  { aws, clock }: LookClients,
  observations: Observations,
  ending?: AbortSignal,
): Promise<KnownInstances> {
  const known = knownInstances(observations);
  const loose = networkInterfaces(interfacesOf(observations)).filter(
    ({ owner, status }) => owner === 'cni' && status === 'available',
  );
  const ids = [...new Set(loose.flatMap(({ instanceId }) => instanceId ?? []))];
  if (aws === null || ids.length === 0) return known;
  const asked = await gather({ aws, clock }, async (ask) => askMakers(ask, ids), ending);
  const states = new Map([...known.states, ...knownInstances(asked.observations).states]);
  return { states, isComplete: asked.refusals.length === 0 };
}

/** Looks at a cluster. Throws `SourceError` when nothing answers. */
export async function capacityOfCluster(
  asked: readonly string[],
  flags: LiveFlags,
  context: CliContext,
): Promise<CapacityEvidence> {
  const clients = await openClients(flags);
  try {
    const { observations, nowMs } = await lookWith(clients, wholeQuestion(asked, flags), context);
    const instances = await makersOf(clients, observations, context.ending);
    return { observations, nowMs, asked, instances };
  } finally {
    await clients.close();
  }
}

/** Reads files as diagnose does. */
export async function capacityOfFiles(
  paths: readonly string[],
  asked: readonly string[],
  context: CliContext,
): Promise<CapacityEvidence> {
  const observations = await readGiven(paths, context);
  const nowMs = observations.collection?.atMs ?? null;
  return { observations, nowMs, asked, instances: knownInstances(observations) };
}

/** Type and subnets as AWS describes them; without AWS the arithmetic still stands. */
export async function gatherPlan(
  { type, subnets }: PlanQuestion,
  flags: LiveFlags,
  ending?: AbortSignal,
): Promise<{ readonly observations: Observations; readonly unseen: readonly Unseen[] }> {
  const clients = await openClients(flags);
  try {
    const { aws, clock, refusals } = clients;
    const unopened = unseenOf(refusals.filter(({ call }) => call === 'aws'));
    if (aws === null)
      return { observations: createReading(compileSigns([])).finish(), unseen: unopened };
    const ask = async (one: Ask): Promise<void> => askPlan(one, type, subnets);
    const gathered = await gather({ aws, clock }, ask, ending);
    return { observations: gathered.observations, unseen: unseenOf(gathered.refusals) };
  } finally {
    await clients.close();
  }
}
