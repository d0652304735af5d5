import { cluesIn } from './clues.ts';
import { contextOf } from './context.ts';
import type { LifecycleFacts } from './facts.ts';
import { type Gap, readsOf } from './gaps.ts';
import { deletionsSeen, SETTLING_MS } from './gone.ts';
import { type Happening, inOrder } from './happening.ts';
import { instancesSeen } from './instances.ts';
import { indexClues, withClues } from './keep-clues.ts';
import type { GoneNode, LifecycleMemory, NodeMemory } from './memory.ts';
import { nodesSeen } from './nodes.ts';
import { standingSeen } from './standing.ts';

/** What a look tells that was not known, and what is known from now on. */
export interface Decision {
  readonly memory: LifecycleMemory;
  /** By time. */
  readonly happenings: readonly Happening[];
  readonly gaps: readonly Gap[];
  /** When to look again at the latest, ms since the epoch: a deletion waits to be explained. */
  readonly lookAgainMs: number | null;
}

/** Nodes that were seen, and those of which nobody knows whether they are gone. */
function stillKnown(
  memory: LifecycleMemory,
  facts: LifecycleFacts,
  seen: ReadonlyMap<string, NodeMemory>,
): ReadonlyMap<string, NodeMemory> {
  const inDoubt = facts.nodes.unread === null ? [] : [...memory.nodes];
  return new Map([...inDoubt, ...seen]);
}

function lookAgain(gone: ReadonlyMap<string, GoneNode>): number | null {
  const dues = [...gone.values()].map(({ missedMs }) => missedMs + SETTLING_MS);
  return dues.length === 0 ? null : Math.min(...dues);
}

/**
 * What happened since the last look, by what was known before and what is known now. It does
 * nothing, asks nobody, and tells each thing once.
 */
export function decide(memory: LifecycleMemory, facts: LifecycleFacts): Decision {
  const context = contextOf(memory, facts);
  const { reads, gaps } = readsOf(memory, facts);
  const seen = nodesSeen(context);
  const index = indexClues(cluesIn(facts));
  const known = stillKnown(memory, facts, seen.nodes);
  const nodes = new Map([...known].map(([uid, node]) => [uid, withClues(node, index)]));
  const deletions = deletionsSeen(context, index, seen.nodes);
  const instances = instancesSeen(context, nodes);
  const standing = standingSeen(context);
  const { gone, tombstones } = deletions;
  return {
    memory: {
      lookedMs: facts.nowMs,
      reads,
      nodes,
      gone,
      tombstones,
      instances: instances.instances,
      standing: standing.standing,
    },
    happenings: inOrder([
      ...seen.happenings,
      ...deletions.happenings,
      ...instances.happenings,
      ...standing.happenings,
    ]),
    gaps,
    lookAgainMs: lookAgain(gone),
  };
}
