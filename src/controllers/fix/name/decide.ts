import { lengthText, shellWord, shown } from '../../../domain/words.ts';
import { podOfNobody } from '../bound-pods.ts';
import { nameOf, type PodFacts } from '../../slip-ins/pod.ts';
import type { NodeStanding } from './node-standing.ts';

/** Whether the machine of a Node is proven to be gone, with the sentence that says why. */
export interface GoneProof {
  readonly isGone: boolean;
  readonly text: string;
}

/** What was read right before. */
export interface NameSeen {
  /** By the clock of the API server, ms since the epoch. */
  readonly nowMs: number;
  readonly stale: NodeStanding | null;
  /** The Node that the machine has now; null where there is none by that name. */
  readonly current: NodeStanding | null;
  /** null where the finding says that the machine has another Node. */
  readonly machine: GoneProof | null;
  /** Bound to the stale Node. */
  readonly pods: readonly PodFacts[];
}

export type NameDecision =
  | {
      readonly do: 'nothing' | 'refuse';
      readonly why: string;
      readonly commands: readonly string[];
    }
  | { readonly do: 'delete'; readonly stale: NodeStanding; readonly proof: string };

/** A kubelet renews its Lease every 10 s, and its clock may be wrong by minutes. */
const SILENT_MIN_MS = 5 * 60_000;

function nothing(why: string): NameDecision {
  return { do: 'nothing', why, commands: [] };
}

function refuse(why: string, ...commands: readonly string[]): NameDecision {
  return { do: 'refuse', why, commands };
}

/** What is to be done about a Node that was left behind, by its UID when it was named. */
export function decideName(uid: string, seen: NameSeen): NameDecision {
  const { stale } = seen;
  if (stale === null) return nothing('It is gone.');
  if (stale.uid !== uid) return nothing('It is another Node by this name.');
  if (stale.isLeaving) return nothing('Somebody deleted it already, and a finalizer keeps it.');
  const kept = whyInUse(stale, seen.nowMs) ?? whyOwned(stale) ?? whyPods(seen.pods);
  if (kept !== null) return kept;
  const proof = seen.machine ?? sameMachine(stale, seen.current, seen.nowMs);
  return proof.isGone ? { do: 'delete', stale, proof: proof.text } : refuse(proof.text);
}

function whyInUse({ isReady, renewedMs }: NodeStanding, nowMs: number): NameDecision | null {
  if (isReady) return refuse('It is Ready by now.');
  if (isSilent(renewedMs, nowMs)) return null;
  return refuse('A kubelet renewed its Lease within the last 5 minutes.');
}

/** A Lease of the future is one of a clock that nobody knows. */
function isSilent(renewedMs: number | null, nowMs: number): boolean {
  return renewedMs === null || nowMs - renewedMs > SILENT_MIN_MS;
}

function whyOwned({ name, isControlPlane, finalizers }: NodeStanding): NameDecision | null {
  if (isControlPlane)
    return refuse(
      'It is of the control plane, which also has certificates and an etcd member by this name; look at these first.',
      "kubectl -n kube-system get pods -o wide | grep -E 'etcd|apiserver'",
      `kubectl delete node ${shellWord(name)}`,
    );
  const [finalizer] = finalizers;
  if (finalizer === undefined) return null;
  return refuse(
    `Its finalizer ${shown(finalizer)} has another program act on the machine once it is deleted; look at that program first.`,
    `kubectl get node ${shellWord(name)} -o yaml`,
  );
}

function whyPods(pods: readonly PodFacts[]): NameDecision | null {
  const lost = podOfNobody(pods);
  if (lost === null) return null;
  const { namespace, name } = lost;
  return refuse(
    `Its Pod ${shown(nameOf(lost))} goes with it, and no controller makes another; move that first.`,
    `kubectl -n ${shellWord(namespace)} delete pod ${shellWord(name)} --force`,
  );
}

/** That one machine has both Nodes, and its kubelet writes to the other one. */
function sameMachine(stale: NodeStanding, current: NodeStanding | null, nowMs: number): GoneProof {
  if (current === null || current.isLeaving)
    return unproven('The other Node of its machine is gone by now.');
  const name = shown(current.name);
  const isAlive = current.isReady || !isSilent(current.renewedMs, nowMs);
  if (!isAlive) return unproven(`Node ${name} is not heard of either, so the machine has no Node.`);
  if (isNewer(stale, current)) return unproven(`It is newer than Node ${name}.`);
  const tie = tieOf(stale, current);
  if (tie === null)
    return unproven(
      `Neither one instance id nor one system UUID proves that Node ${name} is the same machine.`,
    );
  return { isGone: true, text: `Its machine is Node ${name} now: both have ${tie}.` };
}

function unproven(text: string): GoneProof {
  return { isGone: false, text };
}

/** A Node that a kubelet made after the other one is no former name. */
function isNewer(stale: NodeStanding, current: NodeStanding): boolean {
  const { hasKubelet, createdMs } = stale;
  if (!hasKubelet) return false;
  return createdMs === null || current.createdMs === null || createdMs > current.createdMs;
}

/** Machines of one cloned image share the machine id, so it counts beside the system UUID alone. */
function tieOf(stale: NodeStanding, current: NodeStanding): string | null {
  if (stale.instanceId !== null && current.instanceId !== null)
    return stale.instanceId === current.instanceId ? `instance ${stale.instanceId}` : null;
  const { systemUuid, machineId } = stale;
  const isSame = systemUuid === current.systemUuid && machineId === current.machineId;
  const isTold = systemUuid !== '' && machineId !== '';
  return isTold && isSame ? `system UUID ${shown(systemUuid)} and one machine id` : null;
}

export interface GoneSeen {
  readonly stale: NodeStanding;
  /** Region of the account that was asked; null where none is configured. */
  readonly region: string | null;
  /** By instance id. */
  readonly states: ReadonlyMap<string, string>;
  /** Instances of other Nodes that are Ready. */
  readonly neighbours: readonly string[];
}

/** Whether EC2 shows that the instance is gone; what it does not know may be of another account. */
export function goneProof({ stale, region, states, neighbours }: GoneSeen): GoneProof {
  const { instanceId, providerId } = stale;
  if (instanceId === null) return unproven('Its providerID names no instance of EC2.');
  const state = states.get(instanceId);
  if (state === 'terminated')
    return { isGone: true, text: `EC2 shows its instance ${instanceId} as terminated.` };
  if (state !== undefined) return unproven(`EC2 shows its instance ${instanceId} as ${state}.`);
  const zone = providerId?.split('/').at(-2) ?? '';
  if (region === null || !zone.startsWith(region))
    return unproven(`It is not known to be of region ${region ?? 'unknown'}, which was asked.`);
  const shownOthers = neighbours.filter((id) => states.has(id));
  if (shownOthers.length === 0)
    return unproven(
      `EC2 shows neither ${instanceId} nor a machine of any Ready Node, so it may be another account.`,
    );
  return {
    isGone: true,
    text: `EC2 has no instance ${instanceId}, and shows the machines of other Nodes.`,
  };
}

/** How long nobody renewed its Lease, in words. */
export function silenceText({ renewedMs }: NodeStanding, nowMs: number): string {
  return renewedMs === null
    ? 'without a Lease'
    : `whose Lease was last renewed ${lengthText(nowMs - renewedMs)} ago`;
}
