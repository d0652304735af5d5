import type { PlanFacts } from '../domain/planned/plan-facts.ts';
import type { FactKind } from '../evidence/kinds.ts';
import type { PlanContents, Planned } from '../evidence/planned.ts';
import { excerptOf } from '../evidence/redact.ts';
import type { Quote } from '../evidence/sighting.ts';

/** What a cause may look at before anything is launched. */
export interface PlanView extends PlanFacts {
  /** Roles of a plan are whole, as those that Rollcall itself collected. */
  readonly nowMs: number;
  /** A line of evidence made from a thing of the plan, for `proof`. */
  quote(fact: Planned, excerpt: string): Quote;
}

/** A plan as causes look at it. */
export function planView(contents: PlanContents): PlanView {
  const byKind = Map.groupBy(contents.facts, ({ kind }) => kind);
  return {
    nowMs: 0,
    canWriteMaps: contents.canWriteMaps,
    list: <N extends FactKind>(kind: N) =>
      (byKind.get(kind) ?? []) as readonly Planned[] as readonly Planned<N>[],
    doubtOf: (kind) => contents.doubts.find((doubt) => doubt.kind === kind) ?? null,
    quote: ({ locator }, excerpt) => ({
      source: 'terraform',
      locator,
      excerpt: excerptOf(excerpt),
      moment: { when: null, at: { document: -1, line: 0 }, isState: true },
      captures: {},
    }),
  };
}
