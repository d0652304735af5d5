import type { MachineName } from '../evidence/names.ts';
import type { Hit } from '../evidence/observations.ts';
import type { LineSource } from '../evidence/source.ts';
import { isAfter } from '../evidence/time.ts';
import type { SubjectReport } from './document.ts';
import type { FactIndex } from './fact-index.ts';

/** One machine, or the cluster, with all evidence that is about it. */
export interface Subject {
  readonly kind: SubjectReport['kind'];
  readonly name: string;
  readonly instanceId: string | null;
  readonly node: string | null;
  /** The cluster's name where the evidence tells one and only one. */
  readonly cluster: string | null;
  readonly names: readonly MachineName[];
  readonly hits: readonly Hit[];
  readonly facts: FactIndex;
  /** Sources seen in the documents that belong to it or to the whole cluster. */
  readonly sources: ReadonlySet<LineSource>;
}

/** True for a machine that was not seen Ready, or of which something failed after it was. */
export function isInTrouble({ hits }: Pick<Subject, 'hits'>): boolean {
  const ready = hits.filter((hit) => hit.owner === 'milestone:node-ready');
  const failed = hits.filter((hit) => hit.owner.startsWith('symptom:'));
  return ready.every((success) =>
    failed.some((hit) => isAfter(hit.last.moment, success.last.moment)),
  );
}

const NO_HITS: readonly Hit[] = [];
const HITS_BY_OWNER = new WeakMap<readonly Hit[], ReadonlyMap<string, readonly Hit[]>>();

/** What was seen for one cause, symptom or milestone; every cause asks every subject. */
export function hitsOf({ hits }: Pick<Subject, 'hits'>, owner: string): readonly Hit[] {
  if (hits.length === 0) return NO_HITS;
  const known = HITS_BY_OWNER.get(hits) ?? Map.groupBy(hits, (hit) => hit.owner);
  HITS_BY_OWNER.set(hits, known);
  return known.get(owner) ?? NO_HITS;
}
