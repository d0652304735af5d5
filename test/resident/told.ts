/** What people are told of a moment, without the words around it. */
import { rollCallOf } from '../../src/diagnosis/roll-call/roll-call.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import type { Observations } from '../../src/evidence/observations.ts';

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

export async function toldOf(observations: Observations, nowMs: number): Promise<object> {
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
