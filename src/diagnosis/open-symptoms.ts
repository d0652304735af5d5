import type { Hit } from '../evidence/observations.ts';
import { isOvertaken } from '../evidence/time.ts';
import { hasStartedPod, isOfWellPod, type Surroundings } from './seen-pods.ts';
import type { OpenSymptom } from './standing.ts';
import type { Subject } from './subject.ts';
import type { Symptom } from './symptom.ts';
import { SYMPTOMS } from './symptoms.ts';

/** Symptoms of a subject that no later success took back. */
export function openSymptoms(
  subject: Subject,
  observations: Surroundings = { hits: [], facts: [], listings: [], collection: null },
): readonly OpenSymptom[] {
  return SYMPTOMS.flatMap((symptom: Symptom) => {
    const hits = subject.hits.filter((hit) => hit.owner === `symptom:${symptom.id}`);
    const standing = hits.filter(
      (hit) => !isTakenBack(hit, symptom, subject) && !isOfWellPod(hit, subject, observations),
    );
    const enough = standing.filter(
      (hit) => hit.count >= (symptom.signs[Number(hit.sign)]?.atLeast ?? 1),
    );
    return enough.length === 0 ? [] : [{ symptom, proof: enough.map((hit) => hit.first) }];
  });
}

function isTakenBack(hit: Hit, symptom: Symptom, subject: Subject): boolean {
  if (symptom.withdrawnBy.includes('pod-started') && hasStartedPod(subject, hit)) return true;
  return subject.hits.some(
    (other) =>
      symptom.withdrawnBy.some((id) => other.owner === `milestone:${id}`) &&
      isOvertaken(hit.last.moment, other.last.moment),
  );
}
