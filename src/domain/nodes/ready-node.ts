import type { KubeNode } from '../../evidence/kinds.ts';

/** Since when the Node is Ready, ms since the epoch; null when it is not, or does not say. */
export function readySinceMs({ conditions }: KubeNode): number | null {
  const ready = conditions.find(({ type, status }) => type === 'Ready' && status === 'True');
  return ready?.changedMs ?? null;
}

/** When the Node was heard of last by what it says itself, ms since the epoch; 0 when it says nothing. */
export function lastHeardMs({ conditions }: KubeNode): number {
  return Math.max(0, ...conditions.map(({ heartbeatMs }) => heartbeatMs ?? 0));
}

/** How long the Node was Ready when it was last heard of, ms; 0 when it is not, or does not say. */
export function readyForMs(node: KubeNode): number {
  const sinceMs = readySinceMs(node);
  return sinceMs === null ? 0 : lastHeardMs(node) - sinceMs;
}

/** EC2's answers lag behind by minutes, and ended instances stay in them for about an hour. */
export const CLOUD_LAG_MAX_MS = 15 * 60_000;

/** True for a Node of which nothing was heard for longer than EC2 may lag behind. */
export function isSilentBeyondLag(node: KubeNode, nowMs: number): boolean {
  return nowMs - Math.max(lastHeardMs(node), node.createdMs ?? 0) > CLOUD_LAG_MAX_MS;
}
