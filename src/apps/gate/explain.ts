import { kubeClient } from '../../adapters/kubernetes/client.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { type GateExplanation, explainNode } from '../../controllers/gate/explain.ts';
import {
  readOwners,
  readPolicies,
  readSurroundings,
} from '../../controllers/gate/live-surroundings.ts';
import { type NodeFacts, readNode } from '../../controllers/gate/node-facts.ts';
import { hasLabels } from '../../controllers/gate/node-selector.ts';
import { NODES } from '../../controllers/gate/plan.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import { SourceError } from '../cli/context.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { openKubeTarget } from '../cli/live/open-kube-target.ts';
import { policyKinds } from './policy-kinds.ts';

/** @throws SourceError for a Node that is not there */
async function nodeOf(api: KubeApi, name: string): Promise<NodeFacts> {
  const node = readNode(await api.get(NODES, { name }));
  if (node === null) throw new SourceError(`Node ${name} has no UID; look at it: kubectl get node`);
  return node;
}

/** @throws SourceError for a Node that is not there, PortError */
export async function explained(api: KubeApi, name: string): Promise<GateExplanation> {
  const node = await nodeOf(api, name);
  const { readings, notRead } = await readPolicies(api, policyKinds());
  const policies = readings
    .flatMap((reading) => reading.policies)
    .filter(({ selects }) => hasLabels(selects.requirements, node.labels));
  const refusals = readings.flatMap((reading) => reading.refusals);
  const around = await readSurroundings(api, policies, name);
  const daemonSets = await readOwners(
    api,
    node.taints.map(({ key }) => key),
  );
  const nowMs = systemClock.nowMs();
  return explainNode({ node, policies, refusals, notRead, around, daemonSets, nowMs });
}

/** Looks at one node and its gates now. @throws SourceError when that is not possible */
export async function explainGates(flags: LiveFlags, name: string): Promise<GateExplanation> {
  try {
    const { target, environment } = await openKubeTarget(flags);
    const api = kubeClient(target, { environment, clock: systemClock });
    try {
      return await explained(api, name);
    } finally {
      await api.close();
    }
  } catch (error) {
    if (error instanceof PortError) throw new SourceError(error.message);
    throw error;
  }
}
