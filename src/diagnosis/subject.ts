import type { MachineName } from '../evidence/names.ts';
import type { Hit } from '../evidence/observations.ts';
import type { LineSource } from '../evidence/source.ts';
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
