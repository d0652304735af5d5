import type { FactKind } from '../evidence/kinds.ts';
import type { Observations } from '../evidence/observations.ts';
import type { Elsewhere } from './cause.ts';
import type { FactIndex } from './fact-index.ts';
import type { Subject } from './subject.ts';

/** What was read while something was made. */
export interface Reads {
  readonly kinds: Set<FactKind>;
  readonly elsewhere: Set<Elsewhere>;
}

export function newReads(): Reads {
  return { kinds: new Set(), elsewhere: new Set() };
}

function trackedFacts(facts: FactIndex, { kinds }: Reads): FactIndex {
  const noted = (kind: FactKind): FactIndex => {
    kinds.add(kind);
    return facts;
  };
  return {
    of: (kind) => noted(kind).of(kind),
    seen: (kind) => noted(kind).seen(kind),
    has: (kind) => noted(kind).has(kind),
    own: (kind) => noted(kind).own(kind),
    firstCut(wanted) {
      for (const kind of wanted) kinds.add(kind);
      return facts.firstCut(wanted);
    },
    ownKinds: facts.ownKinds,
    shared: facts.shared,
  };
}

/** The same subject; what is asked of its facts is noted. */
export function trackedSubject(subject: Subject, reads: Reads): Subject {
  return { ...subject, facts: trackedFacts(subject.facts, reads) };
}

/** The same evidence; that its moment or all of it was looked at is noted. */
export function trackedObservations(
  observations: Observations,
  { elsewhere }: Reads,
): Observations {
  const noted = (what: Elsewhere): Observations => {
    elsewhere.add(what);
    return observations;
  };
  const { collection } = observations;
  const timed =
    collection === null
      ? null
      : {
          ...collection,
          get atMs() {
            elsewhere.add('clock');
            return collection.atMs;
          },
        };
  return {
    ...observations,
    collection: timed,
    get facts() {
      return noted('everything').facts;
    },
    get hits() {
      return noted('everything').hits;
    },
  };
}
