import type { Cause } from '../diagnosis/cause.ts';
import type { FactKind } from '../evidence/kinds.ts';
import type { Stage } from '../evidence/stage.ts';

/** What the index knows of a cause without loading it. */
export interface CauseEntry {
  readonly id: string;
  readonly stage: Stage;
  readonly title: string;
  readonly needs: readonly FactKind[];
  readonly symptoms: readonly string[];
  readonly formerly: readonly string[];
  /** True for one that plans show too. */
  readonly foresees?: true;
  readonly load: () => Promise<{ readonly default: unknown }>;
}

/** The causes that a line or a fact of this evidence speaks of. */
export function concerned(
  entries: readonly CauseEntry[],
  owners: ReadonlySet<string>,
  kinds: ReadonlySet<FactKind>,
): readonly CauseEntry[] {
  return entries.filter(
    (entry) => owners.has(entry.id) || entry.needs.some((kind) => kinds.has(kind)),
  );
}

/** The causes that may stand behind a symptom of this evidence. */
export function candidates(
  entries: readonly CauseEntry[],
  owners: ReadonlySet<string>,
): readonly CauseEntry[] {
  return entries.filter((entry) =>
    entry.symptoms.some((symptom) => owners.has(`symptom:${symptom}`)),
  );
}

/** A loaded module's cause; every cause folder exports one by default. */
export function causeOf(module: { readonly default: unknown }): Cause {
  return module.default as Cause;
}
