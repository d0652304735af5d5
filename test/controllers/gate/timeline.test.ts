/** Random histories of one node: what its gate does at each step, against what was true. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Look, lookAt } from '../../../src/controllers/gate/look.ts';
import type { NodeMemory } from '../../../src/controllers/gate/memory.ts';
import { readNode } from '../../../src/controllers/gate/node-facts.ts';
import { readNodeGate } from '../../../src/controllers/gate/policies/node-gate.ts';
import type { GatePolicy } from '../../../src/controllers/gate/policy.ts';
import type { Surroundings } from '../../../src/controllers/gate/proofs/saying.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import { gateObject, STARTUP } from './scene.ts';

const START_MS = Date.UTC(2026, 0, 1);
const DWELL_MS = 5_000;

type Seen = 'ready' | 'not-ready' | 'missing' | 'unreadable';

/** What the Pod is from a moment on, and whether anybody looked while it was so. */
interface Step {
  readonly pod: Seen;
  readonly forMs: number;
  readonly isLookedAt: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  pod: fc.constantFrom('ready', 'ready', 'ready', 'not-ready', 'missing', 'unreadable'),
  forMs: fc.constantFrom(50, 1_000, 2_000, 4_999, 5_000, 9_000),
  isLookedAt: fc.boolean(),
});

function policyOf(): GatePolicy {
  const object = gateObject();
  const metadata = { ...(object['metadata'] as JsonObject), uid: 'gate-uid' };
  return readNodeGate({ ...object, metadata }).policies[0] ?? assert.fail('no policy');
}

const POLICY = policyOf();
const NODE = readNode({
  metadata: {
    name: 'n1',
    uid: 'node-uid',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { taints: [{ key: STARTUP, effect: 'NoSchedule' }] },
});

/** @param sinceMs when the Pod became what it is: another time is another hold */
function surroundings(pod: Seen, sinceMs: number): Surroundings {
  const set = {
    namespace: 'kube-system',
    name: 'cni',
    uid: 'set-uid',
    podSelector: 'app=cni',
    nodeSelector: {},
    affinity: null,
    tolerations: [{ key: '', operator: 'Exists', value: '', effect: '' }],
  };
  const found = {
    namespace: 'kube-system',
    name: 'cni-n1',
    uid: 'pod-uid',
    ownerUid: 'set-uid',
    nodeName: 'n1',
    phase: 'Running',
    isLeaving: false,
    isReady: pod === 'ready',
    readySinceMs: sinceMs,
    startedMs: null,
    restarts: 0,
    trouble: '',
  };
  const pods = pod === 'missing' ? [] : [found];
  return {
    daemonSet: () => ({ state: 'seen', value: set }),
    daemonPods: () =>
      pod === 'unreadable' ? { state: 'unknown', why: 'test' } : { state: 'seen', value: pods },
    daemonSets: () => ({ state: 'unknown', why: 'not asked for' }),
    csiNode: () => ({ state: 'absent' }),
  };
}

function look(before: NodeMemory | undefined, around: Surroundings, atMs: number): Look {
  return lookAt({
    node: NODE ?? assert.fail('no node'),
    before,
    policies: [POLICY],
    around,
    nowMs: START_MS + atMs,
    monotonicMs: atMs,
    isWithinBudget: () => true,
    isAtStart: false,
  });
}

/** Each look, with how long the Pod has truly been ready at that time. */
function* played(
  steps: readonly Step[],
): Generator<{ readonly look: Look; readonly readyMs: number }> {
  let memory: NodeMemory | undefined;
  let atMs = 0;
  let sinceMs = 0;
  let last: Seen | null = null;
  for (const { pod, forMs, isLookedAt } of steps) {
    // What is unreadable goes on as it was, but nobody vouches for it.
    if (pod !== last) sinceMs = atMs;
    last = pod;
    const around = surroundings(pod, START_MS + sinceMs);
    for (const momentMs of isLookedAt ? [atMs, atMs + forMs] : []) {
      const now = look(memory, around, momentMs);
      memory = now.memory;
      yield { look: now, readyMs: pod === 'ready' ? momentMs - sinceMs : 0 };
    }
    atMs += forMs;
  }
}

function isOpening({ decided }: Look): boolean {
  return decided.some(({ decision }) => decision.act === 'open');
}

const histories = fc.array(step, { minLength: 1, maxLength: 12 });

test('a gate opens only after a Pod was ready without interruption for the dwell', () =>
  fc.assert(
    fc.property(histories, (steps) => {
      for (const { look: now, readyMs } of played(steps))
        if (isOpening(now)) assert.ok(readyMs >= DWELL_MS, `opened after ${readyMs} ms`);
    }),
    { numRuns: 2_000 },
  ));

test('a gate opens as soon as it was looked at for the whole dwell', () => {
  const looks = [...played([{ pod: 'ready', forMs: 5_000, isLookedAt: true }])];
  assert.deepEqual(
    looks.map((one) => isOpening(one.look)),
    [false, true],
  );
});
