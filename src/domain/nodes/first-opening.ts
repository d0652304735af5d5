import type { KubeNode } from '../../evidence/kinds.ts';
import { podName, isOnNode, isPodReady, isSettled, runningSinceMs } from '../pods/pods.ts';
import { isoMs, isoTime } from '../../evidence/time.ts';
import type { Seen } from '../../evidence/fact.ts';
import type { Pod } from '../../evidence/kube/pod.ts';

/** Where nidhogg writes when it took the last of its taints off a Node for the first time. */
export const FIRST_OPENING = 'nidhogg.uswitch.com/first-time-ready';
/** Annotation by which a pod asks kiam or kube2iam for a role. */
export const ASKED_ROLE = 'iam.amazonaws.com/role';

/** A Node that waited longer than this was not gated from its start. */
const STARTS_WITHIN_MS = 15 * 60_000;
/** Instance metadata hands out credentials that expire within six hours; no SDK holds them longer. */
export const HELD_FOR_MS = 6 * 3_600_000;
const IDENTITY_AGENT = /^(?:kiam-agent|kube2iam)$/;

/** The first opening of a Node that was gated from its start, ms since the epoch; null without one. */
export function firstOpeningMs(node: KubeNode): number | null {
  const openedMs = isoMs(node.annotations[FIRST_OPENING] ?? '');
  const { createdMs } = node;
  if (openedMs === null || createdMs === null) return null;
  const waitedMs = openedMs - createdMs;
  return waitedMs >= 0 && waitedMs <= STARTS_WITHIN_MS ? openedMs : null;
}

/**
 * Pods that ask an agent of the Node for a role and have not been Ready for long, with the same run
 * of their container ever since; they keep the identity that they were given when it began, for
 * `HELD_FOR_MS`.
 */
export function longLivedAskers(
  pods: readonly Seen<Pod>[],
  node: string,
  nowMs: number | null,
): readonly Seen<Pod>[] {
  return pods.filter(
    ({ value }) =>
      isOnNode(value, node) &&
      value.annotations[ASKED_ROLE] !== undefined &&
      !isPodReady(value) &&
      nowMs !== null &&
      nowMs - (runningSinceMs(value) ?? 0) <= HELD_FOR_MS &&
      isSettled(value, nowMs) &&
      !toleratesGates(value),
  );
}

function toleratesGates(body: Pod): boolean {
  return (body.spec?.tolerations ?? []).some((entry) => {
    const key = entry.key ?? '';
    return key === '' || key.startsWith('nidhogg.uswitch.com');
  });
}

/** When a pod was given to its Node, by the kubelet's own word; ms since the epoch. */
export function placedMs({ value }: Seen<Pod>): number | null {
  return isoMs(value.status?.startTime);
}

/** The Node's agent that hands out roles, null without one. */
export function identityAgent(pods: readonly Seen<Pod>[], node: string): Seen<Pod> | null {
  return pods.find(({ value }) => isOnNode(value, node) && isAgent(value)) ?? null;
}

function isAgent(body: Pod): boolean {
  return (body.metadata?.ownerReferences ?? []).some(
    (owner) => owner.kind === 'DaemonSet' && IDENTITY_AGENT.test(owner.name ?? ''),
  );
}

/** True when the pod's containers are in their first run. */
export function isFirstRun({ value }: Seen<Pod>): boolean {
  return (value.status?.containerStatuses ?? []).every((status) => status.restartCount === 0);
}

/** A time as people write it. */
export function utcText(ms: number): string {
  return isoTime({ ms, yearless: false, clock: 'utc' }) ?? '';
}

/** `Pod NAMESPACE/NAME (ROLE-ANNOTATION ROLE) given to NODE at TIME`. */
export function askerWords(pod: Seen<Pod>): string {
  const asked = `${ASKED_ROLE} ${pod.value.annotations[ASKED_ROLE] ?? ''}`;
  const since = utcText(runningSinceMs(pod.value) ?? 0);
  return `Pod ${podName(pod.value)} (${asked}) placed ${utcText(placedMs(pod) ?? 0)}, runs since ${since}, not Ready`;
}
