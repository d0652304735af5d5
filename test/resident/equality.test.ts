import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { overTripwires } from '../../src/adapters/system/tripwires.ts';
import { settle } from '../../src/adapters/system/settle.ts';
import { observeCluster } from '../../src/apps/sim/observe-cluster.ts';
import type { CollectedDocument } from '../../src/collection/document.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import { rollCallOf } from '../../src/diagnosis/roll-call/roll-call.ts';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import { FAULT_IDS, FAULTS } from '../../src/sim/faults/faults.ts';
import { run } from '../../src/sim/run/run.ts';
import { planInjections } from '../../src/sim/swarm/plan.ts';
import { drawSwarm } from '../../src/sim/swarm/swarm.ts';
import { createKept } from './kept.ts';

const WISHES = { nodes: 4, hours: 0.7, faults: 'all' } as const;

/** By name: subjects stand in the order in which the evidence happened to arrive. */
function findingsOf({ subjects }: DiagnosisDocument): object {
  const told = subjects.map(({ kind, name, verdict, stage, findings }) => ({
    subject: `${kind} ${name}`,
    verdict,
    stage,
    findings: findings.map(({ cause, role, confidence, explainedBy }) =>
      [cause, role, confidence, explainedBy].join(' '),
    ),
  }));
  return told.toSorted((one, other) => one.subject.localeCompare(other.subject));
}

/** What people are told, without the words around it. */
async function toldOf(observations: Observations, nowMs: number): Promise<object> {
  const document = await diagnoseObservations(observations);
  const rollCall = rollCallOf({ document, observations, nowMs, expected: [] });
  return {
    headline: document.headline,
    subjects: findingsOf(document),
    rows: rollCall.rows.map(({ name, node, instanceId, verdict, stage }) => [
      name,
      node,
      instanceId,
      verdict,
      stage,
    ]),
  };
}

describe('a store that gets objects one by one', () => {
  for (const seed of [501, 502, 503, 504, 505, 506])
    test(`says at each look what a fresh look says (seed ${seed})`, async () => {
      const kept = createKept();
      const fresh: object[] = [];
      const resident: object[] = [];
      const swarm = drawSwarm(seed, WISHES, FAULT_IDS);
      const injections = planInjections(swarm, WISHES, FAULTS);
      const { violations } = await overTripwires(async () =>
        run({
          swarm,
          injections,
          settle,
          async look({ stage: { simulated, looking } }) {
            const documents: CollectedDocument[] = [];
            const { observations, nowMs } = await observeCluster(simulated, {
              through: ({ kube, aws }) => ({
                kube: looking.through(kube),
                aws: looking.noting(aws),
              }),
              onDocument: (document) => void documents.push(document),
            });
            fresh.push(await toldOf(observations, nowMs));
            resident.push(await toldOf(kept.take(documents), nowMs));
            return [];
          },
        }),
      );
      // A look that throws ends the world instead of the test.
      assert.deepEqual(
        violations.filter(({ rule }) => rule === 'thrown'),
        [],
      );
      assert.deepEqual(resident, fresh);
      assert.ok(fresh.length > 0);
      assert.ok(kept.puts() > 0);
    });
});
