import type { Quote } from '../evidence/sighting.ts';
import { type Stage, STAGES, stageIndex } from '../evidence/stage.ts';
import { isAfter, isoMoment } from '../evidence/time.ts';
import type { Verdict } from '../evidence/verdict.ts';
import type { EvidenceLine, Rung } from './document.ts';
import { MILESTONES } from './milestones.ts';
import { passedByFacts } from './passing.ts';
import type { Subject } from './subject.ts';

/** A stage seen to fail, with the lines that show it. */
export interface Failure {
  readonly stage: Stage;
  readonly proof: readonly Quote[];
}

export function evidenceLine(quote: Quote): EvidenceLine {
  return {
    source: quote.source,
    locator: quote.locator,
    excerpt: quote.excerpt,
    time: isoMoment(quote.moment),
  };
}

function proofOfPassing(subject: Subject): ReadonlyMap<Stage, Quote> {
  const passed = new Map<Stage, Quote>(passedByFacts(subject));
  for (const milestone of MILESTONES) {
    const hits = subject.hits.filter((hit) => hit.owner === `milestone:${milestone.id}`);
    for (const hit of hits) {
      for (const stage of milestone.proves) {
        const known = passed.get(stage);
        if (known === undefined || isAfter(known.moment, hit.first.moment))
          passed.set(stage, hit.first);
      }
    }
  }
  return passed;
}

/** The eleven rungs of one subject, from what was seen to succeed and to fail. */
export function buildLadder(
  subject: Subject,
  failures: readonly Failure[],
  isPending: boolean,
): readonly Rung[] {
  const passed = proofOfPassing(subject);
  let pendingLeft = isPending;
  return STAGES.map((stage): Rung => {
    const failed = failures.filter((entry) => entry.stage === stage);
    const [failure] = failed;
    if (failure !== undefined)
      return rung(
        stage,
        'failed',
        failure.proof,
        failed.flatMap((one) => one.proof),
      );
    const proof = passed.get(stage);
    if (proof !== undefined) return rung(stage, 'passed', [proof]);
    const state =
      pendingLeft && stageIndex(stage) >= stageIndex('registered') ? 'pending' : 'unknown';
    if (state === 'pending') pendingLeft = false;
    return rung(stage, state, []);
  });
}

/** @param dated what may say since when, where the proof itself does not */
function rung(
  stage: Stage,
  state: Rung['state'],
  proof: readonly Quote[],
  dated: readonly Quote[] = proof,
): Rung {
  const times = [...proof.slice(0, 1), ...dated].map(({ moment }) => isoMoment(moment));
  const since = times.find((time) => time !== null) ?? null;
  return { stage, state, since, evidence: proof.slice(0, 3).map(evidenceLine) };
}

/** What a source left out of an object may be what keeps pods off: nobody is called usable then. */
export function withoutUsable(ladder: readonly Rung[]): readonly Rung[] {
  return ladder.map((one) =>
    one.stage === 'usable' && one.state === 'passed' ? rung('usable', 'unknown', []) : one,
  );
}

/** Where the machine stands: the first failed stage, else the first pending, else the first unknown. */
export function stageOf(ladder: readonly Rung[]): Stage | null {
  for (const state of ['failed', 'pending', 'unknown'] as const) {
    const first = ladder.find((entry) => entry.state === state);
    if (first !== undefined) return first.stage;
  }
  return null;
}

export function verdictOf(ladder: readonly Rung[]): Verdict {
  if (ladder.some((entry) => entry.state === 'failed')) return 'not-usable';
  return ladder.every((entry) => entry.state === 'passed') ? 'usable' : 'cannot-tell';
}
