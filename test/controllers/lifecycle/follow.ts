/** One machine that is looked at again and again. */
import assert from 'node:assert/strict';
import { decide } from '../../../src/controllers/lifecycle/decide.ts';
import type { LifecycleFacts } from '../../../src/controllers/lifecycle/facts.ts';
import type { Gap } from '../../../src/controllers/lifecycle/gaps.ts';
import type { Happening, HappeningKind } from '../../../src/controllers/lifecycle/happening.ts';
import { NOTHING_KNOWN } from '../../../src/controllers/lifecycle/memory.ts';
import type { KubeNode } from '../../../src/evidence/kinds.ts';
import { complete } from '../../../src/controllers/lifecycle/facts.ts';
import { seen } from '../../../src/evidence/fact.ts';
import { START_MS } from './facts-of-json.ts';
import { fleetFacts, nameOf, nodesOf, type State } from './fleet.ts';

export const NODE = nameOf(1);

/** Looks at these seconds, each at one machine in a state and with what is changed besides. */
type Look = readonly [seconds: number, state: State, change?: Partial<LifecycleFacts>];

/** Looks one after another, and everything that was reported. */
export function follow(looks: readonly Look[]) {
  let memory = NOTHING_KNOWN;
  const happenings: Happening[] = [];
  const gaps: Gap[] = [];
  let lookAgainMs: number | null = null;
  for (const [seconds, state, change = {}] of looks) {
    const facts = { ...fleetFacts([state], START_MS + seconds * 1000), ...change };
    const decision = decide(memory, facts);
    ({ memory, lookAgainMs } = decision);
    happenings.push(...decision.happenings);
    gaps.push(...decision.gaps);
  }
  const kinds = happenings.map(({ kind }) => kind);
  const only = (kind: HappeningKind): Happening => {
    const [one, ...others] = happenings.filter((happening) => happening.kind === kind);
    assert.ok(one !== undefined && others.length === 0, `${kind} in ${kinds.join(', ')}`);
    return one;
  };
  return { memory, happenings, gaps, kinds, only, lookAgainMs };
}

/** The machine's Node with these changes, and as many as there are. */
export function nodes(...changes: readonly Partial<KubeNode>[]): Partial<LifecycleFacts> {
  const [node] = nodesOf('ready', 1);
  assert.ok(node !== undefined);
  return {
    nodes: complete(
      changes.map((change) => seen({ ...node.value, ...change }, 'list nodes', 'nodes')),
    ),
  };
}

export const EMPTY = { nodes: complete<KubeNode>([]) };
