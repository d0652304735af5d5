import type { DiagnosisDocument } from '../../diagnosis/document.ts';
import type { Repair } from '../../diagnosis/repair.ts';

/** A repair with the cause that names it. */
export interface NamedRepair<K extends Repair['kind']> {
  readonly cause: string;
  readonly repair: Extract<Repair, { readonly kind: K }>;
}

/** The repairs of one kind that definite findings name. */
export function repairsIn<K extends Repair['kind']>(
  { subjects }: DiagnosisDocument,
  kind: K,
): readonly NamedRepair<K>[] {
  const isOfKind = (repair: Repair): repair is NamedRepair<K>['repair'] => repair.kind === kind;
  return subjects.flatMap(({ findings }) =>
    findings.flatMap(({ cause, repairs = [] }) =>
      repairs.filter(isOfKind).map((repair) => ({ cause, repair })),
    ),
  );
}
