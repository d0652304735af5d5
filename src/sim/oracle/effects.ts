import { at, listAt, textAt } from '../../evidence/json.ts';
import type { KubeObject } from '../kube/contract.ts';
import type { Effect } from '../faults/contract.ts';
import { type TaintState, taintStates } from './node-taints.ts';

/** How a machine that does not work looks to who knows the world: each effect with its beginning, ms. */
export type Shown = ReadonlyMap<Effect, number>;

/** What is seen of one machine at a moment. */
export interface Ailment {
  readonly shown: Shown;
  /** Since when it has not been well; null while it is. */
  readonly sinceMs: number | null;
}

/** Of what began before anybody could see it begin: it counts as later than everything. */
export const BEFORE_ALL_MS = Infinity;

const WELL: Ailment = { shown: new Map(), sinceMs: null };

/** What the object of a Node shows by itself. */
export function effectsOfNode(node: KubeObject): readonly Effect[] {
  const statusOf = (type: string): string | null => {
    const found = listAt(node, 'status.conditions').find((one) => textAt(one, 'type') === type);
    return textAt(found, 'status');
  };
  const ready = statusOf('Ready');
  const of: Record<TaintState, Effect> = { uninitialized: 'uninitialized', other: 'tainted' };
  return [
    ...(ready === 'True' ? [] : ([ready === 'Unknown' ? 'silent' : 'not-ready'] as const)),
    ...(statusOf('DiskPressure') === 'True' ? (['disk-pressure'] as const) : []),
    ...(at(node, 'spec.unschedulable') === true ? (['cordoned'] as const) : []),
    ...taintStates(node).map((state) => of[state]),
  ];
}

/** Remembers of every machine since when its Node shows what it shows. */
export class EffectBook {
  readonly #ailments = new Map<string, Ailment>();

  /** @param effects empty for a Node that pods can be placed on */
  see(instanceId: string, effects: readonly Effect[], nowMs: number): void {
    const { shown, sinceMs } = this.#ailments.get(instanceId) ?? WELL;
    if (effects.length === 0) return void this.#ailments.delete(instanceId);
    this.#ailments.set(instanceId, {
      shown: new Map(effects.map((effect) => [effect, shown.get(effect) ?? nowMs])),
      sinceMs: sinceMs ?? nowMs,
    });
  }

  of(instanceId: string): Ailment {
    return this.#ailments.get(instanceId) ?? WELL;
  }
}

/** The same with what is seen only by looking closer. */
export function withEffects(ailment: Ailment, more: Shown): Ailment {
  if (more.size === 0) return ailment;
  const begins = [...more.values()].filter((ms) => ms !== BEFORE_ALL_MS);
  const sinceMs = Math.min(ailment.sinceMs ?? Infinity, ...begins);
  return {
    shown: new Map([...ailment.shown, ...more]),
    sinceMs: sinceMs === Infinity ? ailment.sinceMs : sinceMs,
  };
}
