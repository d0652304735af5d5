/** All that can happen to one node, one gate and one agent, each state of it once. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  after,
  DWELL_MS,
  EVENTS,
  FIRST,
  isShut,
  type SmallEvent,
  type SmallRules,
  type SmallState,
  wrongIn,
} from './small-world.ts';

const DEPTH = 8;
/** Longer ago than this, one moment is like another. */
const LONG_MS = 4 * DWELL_MS;

function ago(nowMs: number, ms: number): number {
  return Math.min(LONG_MS, nowMs - ms);
}

/** Numbers so large are moments. */
const MOMENT_MS = 1_000_000_000_000;

/** Equal for states that differ in nothing but when, and in numbers that only go up. */
function hashOf(state: SmallState): string {
  const { nowMs } = state;
  const text = JSON.stringify(state, (key, value: unknown) => {
    if (key === 'nowMs' || key === 'resourceVersion' || key === 'restartCount') return undefined;
    if (value instanceof Map) return [...value];
    if (value instanceof Set) return [...value];
    return typeof value === 'number' && value > MOMENT_MS ? ago(nowMs, value) : value;
  });
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (stamp) => `${ago(nowMs, Date.parse(stamp))}`)
    .replace(/ \d{13} \d+ \d{13}/g, (hold) =>
      hold.replace(/\d{13}/g, (ms) => `${ago(nowMs, Number(ms))}`),
    );
}

interface Played {
  readonly states: number;
  readonly wrong: readonly string[];
}

interface Reached {
  readonly state: SmallState;
  readonly path: readonly SmallEvent[];
}

/** Plays everything from the first state on, breadth first; ends at the first mistake. */
function playAll(rules: SmallRules, depth = DEPTH): Played & { readonly ends: readonly Reached[] } {
  const seen = new Set([hashOf(FIRST)]);
  const all: Reached[] = [{ state: FIRST, path: [] }];
  for (let index = 0; index < all.length; index++) {
    const { state, path } = all[index] as Reached;
    if (path.length >= depth) continue;
    for (const event of EVENTS) {
      const next = after(state, event, rules);
      if (next === null) continue;
      const wrong = wrongIn(state, next, event, rules);
      const way = [...path, event];
      if (wrong !== null) return { states: seen.size, wrong: [wrong, ...way], ends: all };
      const hash = hashOf(next);
      if (seen.has(hash)) continue;
      seen.add(hash);
      all.push({ state: next, path: way });
    }
  }
  return { states: seen.size, wrong: [], ends: all };
}

/** Losses double a dwell, so that it is waited for long enough. */
const CALM_TICKS = 40;

function calmed(state: SmallState, rules: SmallRules): SmallState {
  let now = after(state, 'the agent begins', rules) ?? state;
  for (let tick = 0; tick < CALM_TICKS; tick++) {
    now = after(now, 'the gate looks and writes', rules) ?? now;
    now = after(now, 'time passes', rules) ?? now;
  }
  return now;
}

describe('of all that can happen in a small world', () => {
  for (const mode of ['continuous', 'bootstrap-only'] as const)
    test(`nothing breaks a rule, and each node opens in the end (${mode})`, () => {
      const { states, wrong, ends } = playAll({ mode });
      assert.deepEqual(wrong, []);
      assert.ok(states > 40_000, `${states}`);
      const every = Math.ceil(ends.length / 400);
      for (const { state, path } of ends.filter((_, index) => index % every === 0))
        assert.ok(!isShut(calmed(state, { mode })), `L-01: ${path.join(', ')}`);
    });
});

const MISTAKES: readonly (readonly [what: string, rule: string, rules: SmallRules])[] = [
  [
    'a flap between two looks does not begin the dwell again',
    'I-02',
    {
      mode: 'continuous',
      remembers: (memory, before) => ({
        ...memory,
        held: new Map(
          [...memory.held].map(([key, held]) => {
            const sinceMs = before?.held.get(key)?.provenSinceMs ?? held.provenSinceMs;
            return [key, held.provenSinceMs === null ? held : { ...held, provenSinceMs: sinceMs }];
          }),
        ),
      }),
    },
  ],
  [
    'what was proven in a former boot is forgotten',
    'I-02',
    { mode: 'continuous', remembers: (memory) => ({ ...memory, former: null, bootFloorMs: null }) },
  ],
  [
    'all taints of a node go',
    'I-05',
    {
      mode: 'continuous',
      writes: (operations) =>
        operations.map((one) =>
          one['op'] === 'remove' ? { op: 'replace', path: '/spec/taints', value: [] } : one,
        ),
    },
  ],
  [
    'no mark of an opening is left',
    'I-07',
    {
      mode: 'bootstrap-only',
      writes: (operations) =>
        operations.filter(
          (one) => !JSON.stringify(one['path']).startsWith('"/metadata/annotations'),
        ),
    },
  ],
];

describe('a planted mistake is found:', () => {
  for (const [what, rule, rules] of MISTAKES)
    test(what, () => {
      const { wrong } = playAll(rules, DEPTH + 2);
      assert.match(wrong[0] ?? 'nothing is wrong', new RegExp(`^${rule}`), wrong.join(', '));
    });
});
