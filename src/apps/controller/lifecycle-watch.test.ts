import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Standing } from '../../collection/resident/resident.ts';
import { factOf, named, observationsOf } from '../../diagnosis/testing.ts';
import type { JsonObject } from '../../evidence/json.ts';
import { nodeOf } from '../../evidence/testing.ts';
import type { FactRecord } from '../../evidence/observations.ts';
import { LifecycleWatch } from './lifecycle-watch.ts';

const NOW_MS = Date.parse('2026-05-01T12:00:00Z');
const NODE = factOf('kube/Node', nodeOf('a', { uid: 'a' }), named('node a'));
const LISTED = { kind: 'kube/Node', by: 'kubectl', locator: 'nodes' } as const;

function standingOf(facts: readonly FactRecord[], nowMs: number): Standing {
  return {
    observations: observationsOf({ facts, listings: [LISTED] }),
    document: {
      apiVersion: 'rollcall.dev/v1alpha1',
      kind: 'Diagnosis',
      catalogueVersion: '1',
      headline: null,
      subjects: [],
      recognized: [],
      losses: [],
    },
    nowMs,
    cluster: null,
    skewMs: null,
    delayMs: null,
    tookMs: 1,
  };
}

function event(reason: string, kind: string, message: string): JsonObject {
  return {
    involvedObject: { kind, name: 'a', uid: 'a' },
    reason,
    message,
    source: { component: 'cloud-node-lifecycle-controller' },
    lastTimestamp: '2026-05-01T12:00:00Z',
  };
}

const WORDS = 'Deleting node a because it does not exist in the cloud provider';

/** Who is told to have deleted the Node, after these Events. */
function deleterAfter(events: readonly JsonObject[]): string | null {
  const watch = new LifecycleWatch();
  watch.take(standingOf([NODE], NOW_MS - 1000), false);
  for (const [index, one] of events.entries()) watch.listener.came('Event', `e-${index}`, one);
  for (const laterMs of [0, 60_000]) {
    const { happenings } = watch.take(standingOf([], NOW_MS + laterMs), false);
    const deleted = happenings.find(({ kind }) => kind === 'deleted');
    if (deleted !== undefined) return deleted.attribution?.deleter.kind ?? null;
  }
  return null;
}

const DELETING = event('DeletingNode', 'Node', WORDS);

test('the Event of who deleted a Node is heard among 10,000 others', () => {
  assert.equal(deleterAfter([DELETING]), 'cloud-node-lifecycle');
  const others = Array.from({ length: 10_100 }, (_, index) =>
    event('Unhealthy', 'Pod', `Readiness probe failed ${index}`),
  );
  assert.equal(deleterAfter([...others, DELETING]), 'cloud-node-lifecycle');
});

test('of more Events that tell something than are kept the last ones are', () => {
  const others = Array.from({ length: 10_100 }, (_, index) => ({
    ...event('RebalanceRecommendation', 'Node', 'Rebalance recommendation received'),
    involvedObject: { kind: 'Node', name: `b-${index}`, uid: `b-${index}` },
  }));
  assert.equal(deleterAfter([...others, DELETING]), 'cloud-node-lifecycle');
});
