import { isKubeletRun, KUBELET_CONDITION } from '../../domain/nodes/kubelet-run.ts';
import type { NodeFacts } from './node-facts.ts';
import type { GatePolicy } from './policy.ts';

/** Where the annotation ends that keeps the run in which a gate opened; it begins as its record. */
export const KUBELET_SUFFIX = '.kubelet';

/**
 * The boot and the run of the kubelet that the agent sees; null while it says nothing, and for a
 * policy that does not ask.
 */
export function kubeletRunOf(policy: GatePolicy, { conditions, bootId }: NodeFacts): string | null {
  if (policy.shutsOnKubeletRestart !== true || bootId === null) return null;
  const found = conditions.get(KUBELET_CONDITION);
  if (found?.status !== 'True' || !isKubeletRun(found.reason)) return null;
  return `boot=${bootId} ${found.reason}`;
}

/** True where the kubelet runs since after the gate opened; a note of another boot tells nothing. */
export function isRestarted(noted: string | undefined, run: string | null): boolean {
  if (noted === undefined || run === null) return false;
  const [boot] = run.split(' ', 1);
  return noted.startsWith(`${boot} `) && noted !== run;
}
