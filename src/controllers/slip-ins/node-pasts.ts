import type { Look } from '../gate/look.ts';
import type { NodeFacts } from '../gate/node-facts.ts';
import { keyOfPolicy } from '../gate/record.ts';
import { isLosing } from './suspicion.ts';
import { type NodePast, withoutPast } from './standing.ts';

const NONE: ReadonlySet<string> = new Set();

function keysOf(decided: Look['decided']): ReadonlySet<string> {
  return decided.length === 0 ? NONE : new Set(decided.map(({ policy }) => keyOfPolicy(policy)));
}

function withOpen(seen: ReadonlySet<string>, { decided }: Look): ReadonlySet<string> {
  const open = decided.filter(
    ({ view, policy }) => view.opened === 'now' && !seen.has(keyOfPolicy(policy)),
  );
  return open.length === 0 ? seen : new Set([...seen, ...keysOf(open)]);
}

function withoutOver(before: NodePast['beforeLoss'], { decided }: Look): NodePast['beforeLoss'] {
  if (before.size === 0) return before;
  const lost = keysOf(decided.filter((one) => isLosing(one) || one.view.isShutAgain));
  return new Map([...before].filter(([key]) => lost.has(key)));
}

/** What is remembered of each Node, so that a Pod is judged by what was there before it. */
export class NodePasts {
  readonly #pasts = new Map<string, NodePast>();

  of(node: NodeFacts): NodePast {
    const known = this.#pasts.get(node.name);
    return known?.uid === node.uid ? known : withoutPast(node);
  }

  take(look: Look): NodePast {
    const { node } = look;
    const known = this.#pasts.get(node.name);
    const past = known?.uid === node.uid ? known : this.#born(look);
    const seenOpen = withOpen(past.seenOpen, look);
    const beforeLoss = withoutOver(past.beforeLoss, look);
    const isSame = seenOpen === past.seenOpen && beforeLoss === past.beforeLoss;
    const next = isSame ? past : { ...past, seenOpen, beforeLoss };
    this.#pasts.set(node.name, next);
    return next;
  }

  /** Keeps the Pods of a node whose proof is lost and whose taint is not there yet. */
  noteBeforeLoss(look: Look, uids: ReadonlySet<string>): void {
    const past = this.of(look.node);
    const keys = keysOf(look.decided.filter(isLosing));
    const fresh = [...keys].filter((key) => !past.beforeLoss.has(key));
    if (fresh.length === 0) return;
    const beforeLoss = new Map([...past.beforeLoss, ...fresh.map((key) => [key, uids] as const)]);
    this.#pasts.set(look.node.name, { ...past, beforeLoss });
  }

  forget(name: string): void {
    this.#pasts.delete(name);
  }

  #born({ node, memory, decided }: Look): NodePast {
    const bornUnder = memory.wasAtStart ? NONE : keysOf(decided);
    return { ...withoutPast(node), bornUnder };
  }
}
