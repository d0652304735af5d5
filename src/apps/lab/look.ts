import type { DiagnosisDocument } from '../../diagnosis/document.ts';
import type { Town } from '../../sim/town/town.ts';
import { observeTown } from '../sim/observe-town.ts';

/**
 * What `rollcall diagnose` says in the environment of the lab, over the APIs that its doors serve
 * and nothing else, at a moment at which the town stands still.
 */
export async function diagnoseTown(town: Town): Promise<DiagnosisDocument> {
  return (await observeTown(town, { cluster: clusterNamed(town.setting.cluster) })).document;
}

/** Only the context of a cluster of EKS names it; otherwise its Nodes and instances do. */
function clusterNamed({ kind, name }: Town['setting']['cluster']): string | null {
  return kind === 'eks' ? name : null;
}
