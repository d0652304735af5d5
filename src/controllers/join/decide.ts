import type { JoinNode, JoinSeen } from '../../domain/nodes/join.ts';
import { decideBefore } from './decide-before.ts';
import { absent } from './decide-absent.ts';
import { blind } from './decide-blind.ts';
import { keptWindowMs, type JoinRules } from './rules.ts';
import type { JoinState } from './state.ts';
import { type Decision, failed, seconds, wait } from './step.ts';

/**
 * What to do next. A Node that is Ready and ours is never taken back: a reset is only decided
 * where the Node is absent, or where the API server has refused the credentials for long.
 */
export function decide(state: JoinState, seen: JoinSeen, rules: JoinRules): Decision {
  if (seen.atMs - state.memory.startedMs >= rules.limitMs) return timeOver(state, seen, rules);
  if (seen.isCommandRunning)
    return wait(state, 'COMMAND, or a program that it started, still runs.');
  const { node } = seen;
  const gone = unkept(state);
  if (isForeignImage(state, seen)) return decideBefore(gone, seen, rules);
  if (node.state === 'present') return present(state, seen, node.node, rules);
  if (node.state === 'absent' && isJoinedBefore(state, seen))
    return absent(begun(gone, seen), seen, rules);
  if (state.phase !== 'watching') return decideBefore(gone, seen, rules);
  if (node.state === 'absent') return absent(gone, seen, rules);
  return blind(gone, seen, node, rules);
}

/** What is on the disk is of another machine or cluster, and nothing of it is ours. */
function isForeignImage({ phase }: JoinState, { leftovers, node }: JoinSeen): boolean {
  const isOurs = node.state === 'present' && node.node.owner === 'ours';
  return phase !== 'watching' && leftovers.foreign !== null && !isOurs;
}

/** The API server knows the credentials on the disk: COMMAND has nothing to add to them. */
function isJoinedBefore(state: JoinState, { kubelet, leftovers }: JoinSeen): boolean {
  if (state.phase === 'watching') return false;
  return state.tries > 0 || kubelet === 'running' || leftovers.paths.length > 0;
}

function begun(state: JoinState, { atMs }: JoinSeen): JoinState {
  return { ...state, phase: 'watching', memory: { ...state.memory, sinceMs: atMs } };
}

function present(state: JoinState, seen: JoinSeen, node: JoinNode, rules: JoinRules): Decision {
  if (node.owner === 'foreign') return foreign(state, seen, node, rules);
  if (node.owner === 'unknown')
    return wait(unkept(state), `Node ${node.name} does not say yet which machine it is.`);
  const ours = adopted(state, seen, node);
  const lacking = lackingOf(seen, node);
  if (lacking !== null) return stopped(unkept(ours), seen, lacking, rules);
  return kept(ours, seen, node, rules);
}

/** COMMAND does not run again for a Node that is there: what was begun is watched. */
function adopted(state: JoinState, { atMs }: JoinSeen, node: JoinNode): JoinState {
  const { memory } = state;
  const isSame = state.uid === node.uid;
  const isReplaced = !isSame && state.uid !== null;
  return {
    ...state,
    phase: 'watching',
    uid: node.uid,
    deletions: state.deletions + (isReplaced ? 1 : 0),
    longestLifeMs: isReplaced ? lifeMs(state, atMs) : state.longestLifeMs,
    memory: {
      ...memory,
      refusedSinceMs: null,
      nodeSinceMs: isSame ? (memory.nodeSinceMs ?? atMs) : atMs,
      keptSinceMs: isSame ? memory.keptSinceMs : null,
    },
  };
}

/** The longest life, with that of the Node which is gone now. */
export function lifeMs({ longestLifeMs, memory }: JoinState, atMs: number): number {
  return Math.max(longestLifeMs, atMs - (memory.nodeSinceMs ?? atMs));
}

function lackingOf({ cloud }: JoinSeen, node: JoinNode): string | null {
  const { name } = node;
  if (node.isDeleting) return `Node ${name} is being deleted.`;
  if (node.isOfThisBoot === false)
    return `Node ${name} still shows the boot before; its kubelet has not reported yet.`;
  if (!node.isInitialized)
    return `Node ${name} waits for the cloud controller, which has not initialized it.`;
  if (node.isReady === null) return `Node ${name} is not heard of: its Ready is Unknown.`;
  if (!node.isReady) return `Node ${name} is not Ready: ${node.message}`;
  if (cloud?.state === 'absent')
    return `Node ${name} is Ready, but EC2 does not list the instance: it would be deleted once it is not Ready.`;
  return null;
}

/** A kubelet that does not run is started, as long as there is a try left. */
function stopped(state: JoinState, seen: JoinSeen, lacking: string, rules: JoinRules): Decision {
  const { atMs, kubelet } = seen;
  const { memory, restarts } = state;
  const isLong = atMs - memory.sinceMs >= rules.registrationMs && atMs >= memory.quietUntilMs;
  if (kubelet !== 'stopped' || !isLong || restarts >= rules.restartsMax)
    return wait(state, lacking);
  return { state, step: { do: 'restart', why: `${lacking} The kubelet does not run.` } };
}

function unkept(state: JoinState): JoinState {
  return { ...state, memory: { ...state.memory, keptSinceMs: null } };
}

function kept(state: JoinState, { atMs }: JoinSeen, node: JoinNode, rules: JoinRules): Decision {
  const sinceMs = state.memory.keptSinceMs ?? atMs;
  const held = { ...state, memory: { ...state.memory, keptSinceMs: sinceMs } };
  const windowMs = keptWindowMs(rules, state.longestLifeMs);
  const heldMs = atMs - sinceMs;
  const { name, uid } = node;
  if (heldMs < windowMs)
    return wait(
      held,
      `Node ${name} is Ready and initialized; it has to stay so for ${seconds(windowMs)}.`,
    );
  const why = `Node ${name} (UID ${uid}) is Ready, initialized, and has stayed for ${seconds(heldMs)}.`;
  return { state: held, step: { do: 'joined', why } };
}

function foreign(state: JoinState, seen: JoinSeen, node: JoinNode, rules: JoinRules): Decision {
  const { atMs } = seen;
  const sinceMs = state.memory.refusedSinceMs ?? atMs;
  const next = unkept({ ...state, memory: { ...state.memory, refusedSinceMs: sinceMs } });
  const what = `Node ${node.name} belongs to ${node.ownerName ?? 'another machine'}, not to this one.`;
  if (atMs - sinceMs < rules.refusedMs) return wait(next, what);
  const fix = `Give this machine another name, or delete the old Node: kubectl delete node ${node.name}`;
  return failed(next, 'name-taken', `${what} ${fix}`);
}

function timeOver(state: JoinState, seen: JoinSeen, rules: JoinRules): Decision {
  const { node } = seen;
  const limit = `The time for the join, ${seconds(rules.limitMs)}, is over.`;
  if (node.state === 'unknown') {
    const failure = node.why === 'no-answer' ? 'time-over-unseen' : 'time-over';
    return failed(state, failure, `${limit} The Node could not be read: ${node.message}`);
  }
  if (node.state === 'absent')
    return failed(state, 'time-over', `${limit} There is no Node ${node.name}.`);
  return failed(state, 'time-over', `${limit} ${lateNode(seen, node.node)}`);
}

function lateNode(seen: JoinSeen, node: JoinNode): string {
  if (node.owner !== 'ours') return `Node ${node.name} is not ours.`;
  const lacking = lackingOf(seen, node) ?? `Node ${node.name} has not stayed for long enough.`;
  if (node.isInitialized) return lacking;
  return `${lacking} It finds an instance by the private DNS name that EC2 has or by the provider ID; kubeadm gets both with --name auto`;
}
