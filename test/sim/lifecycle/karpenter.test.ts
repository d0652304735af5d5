import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../../src/controllers/lifecycle/decide.ts';
import type { Happening } from '../../../src/controllers/lifecycle/happening.ts';
import { NOTHING_KNOWN } from '../../../src/controllers/lifecycle/memory.ts';
import { textAt } from '../../../src/evidence/json.ts';
import { must } from '../platform/cluster.ts';
import { claims, launched, setUp, status, UNREGISTERED } from '../platform/karpenter-cluster.ts';
import { factsOfWorld } from './facts-of-world.ts';

const SIGHT = {
  isUnbroken: true,
  areNodesRead: true,
  areEventsRead: true,
  areInstancesRead: true,
  audits: null,
};
const LOOKS_EVERY_MS = 1000;
const LOOKS = 40;

type Cluster = ReturnType<typeof setUp>['cluster'];

/** Lets a node of Karpenter join, does something to it, and looks every second at what follows. */
function watch(deed: (cluster: Cluster, claim: string) => void): readonly Happening[] {
  const { cluster, kubelets } = setUp();
  const claim = launched(cluster);
  const providerId = textAt(claim, 'status.providerID') ?? '';
  kubelets.join('n1', { providerId, taints: [UNREGISTERED] });
  cluster.until(() => status(claims(cluster)[0], 'Registered') === 'True Registered', 5000);
  const { world, admin: people } = cluster;
  const lookedAt = { world, people, identity: world.aws.controls.createUser('watch') };
  const happenings: Happening[] = [];
  let memory = NOTHING_KNOWN;
  for (let look = 0; look < LOOKS; look++) {
    const decision = decide(memory, factsOfWorld(lookedAt, SIGHT));
    memory = decision.memory;
    happenings.push(...decision.happenings);
    if (look === 1) deed(cluster, textAt(claim, 'metadata.name') ?? '');
    cluster.pass(LOOKS_EVERY_MS);
  }
  return happenings.filter(({ kind, node }) => kind === 'deleted' && node === 'n1');
}

test('a Node that a person deletes is not attributed to Karpenter, which finishes it', () => {
  const deleted = watch(({ admin }) => must(admin.delete('Node', 'n1')));
  assert.equal(deleted.length, 1);
  const { deleter, hand, wouldTell } = deleted[0]?.attribution ?? {};
  assert.deepEqual([deleter?.kind, hand], ['unknown', null]);
  assert.ok((wouldTell ?? []).length > 0);
});

test('a Node whose claim Karpenter disrupts is attributed to it, with its reason', () => {
  const deleted = watch(({ admin, kernel }, claim) => {
    const now = `${new Date(kernel.nowMs()).toISOString().slice(0, 19)}Z`;
    const { ok } = admin.create({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${claim}.1`, namespace: 'default' },
      involvedObject: { kind: 'NodeClaim', name: claim },
      reason: 'DisruptionTerminating',
      message: 'Disrupting NodeClaim: Drifted',
      source: { component: 'karpenter' },
      firstTimestamp: now,
      lastTimestamp: now,
      type: 'Normal',
    });
    assert.ok(ok);
    must(admin.delete('NodeClaim', claim));
  });
  assert.equal(deleted.length, 1);
  const { deleter, hand, confidence } = deleted[0]?.attribution ?? {};
  assert.deepEqual([deleter?.kind, deleter?.reason, hand], ['karpenter', 'Drifted', 'karpenter']);
  assert.equal(confidence, 'likely');
});
