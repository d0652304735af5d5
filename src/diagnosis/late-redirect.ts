import { isoMs } from '../evidence/time.ts';
import type { KubeNode } from '../evidence/kinds.ts';
import { runningSinceMs } from '../domain/pods/pods.ts';
import type { Pod } from '../evidence/kube/pod.ts';

/** The annotation that kiam and kube2iam both read for the role of a pod. */
export const ROLE_ANNOTATION = 'iam.amazonaws.com/role';
/** Daemons that lead a pod's requests for credentials to themselves, by the names of their pods. */
const AGENT = /kiam-agent|kube2iam/;
/** Later starts of the agent are restarts under pods that had their role before. */
const BOOT_MAX_MS = 15 * 60_000;
/** Credentials of an instance's role are given for about six hours; then a pod asks again. */
const CREDENTIALS_LAST_MS = 6 * 3_600_000;

/**
 * A pod that began on a new Node before the agent that gives it its role, so that what it asked for
 * credentials may have been EC2's own metadata, which gives the role of the Node; null for none.
 *
 * @param pods those on the Node
 */
export function beganUnredirected(node: KubeNode, pods: Pod[]): Pod | null {
  const agent = pods.find(({ name }) => AGENT.test(name));
  const agentMs = agent === undefined ? null : runningSinceMs(agent);
  const nowMs = node.conditions.find(({ type }) => type === 'Ready')?.heartbeatMs ?? null;
  if (agentMs === null || nowMs === null || node.createdMs === null) return null;
  const isOfBoot = agentMs - node.createdMs <= BOOT_MAX_MS;
  if (!isOfBoot || nowMs - agentMs > CREDENTIALS_LAST_MS) return null;
  const before = (pod: Pod): boolean =>
    pod.annotations[ROLE_ANNOTATION] !== undefined &&
    pod.status?.phase === 'Running' &&
    (isoMs(pod.status.startTime) ?? agentMs) < agentMs;
  return pods.find(before) ?? null;
}
