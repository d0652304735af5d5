import type { DiagnosisDocument } from '../../diagnosis/document.ts';
import type { SimulatedCluster } from '../../sim/cluster/simulated-cluster.ts';
import { observeCluster } from '../sim/observe-cluster.ts';

/**
 * What `rollcall diagnose` says in the environment of the lab, over the APIs that its doors serve
 * and nothing else, at a moment at which the simulated cluster stands still.
 */
export async function diagnoseSimulated(simulated: SimulatedCluster): Promise<DiagnosisDocument> {
  return (await observeCluster(simulated, { cluster: clusterNamed(simulated.setting.cluster) }))
    .document;
}

/** Only the context of a cluster of EKS names it; otherwise its Nodes and instances do. */
function clusterNamed({ kind, name }: SimulatedCluster['setting']['cluster']): string | null {
  return kind === 'eks' ? name : null;
}
