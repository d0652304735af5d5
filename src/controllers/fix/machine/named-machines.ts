import type { DiagnosisDocument } from '../../../diagnosis/document.ts';

/** A machine with a finding that a fix may act on. */
export interface NamedMachine {
  readonly cause: string;
  readonly summary: string;
  readonly node: string | null;
  readonly instanceId: string | null;
}

/** The machines of which the diagnosis is sure that one of these causes is theirs. */
export function machinesWith(
  { subjects }: DiagnosisDocument,
  causes: ReadonlySet<string>,
): readonly NamedMachine[] {
  return subjects.flatMap(({ findings, node, instanceId, kind }) => {
    const sure = findings.find(
      ({ cause, confidence }) => causes.has(cause) && confidence === 'definite',
    );
    if (sure === undefined || kind !== 'Machine') return [];
    return [{ cause: sure.cause, summary: sure.summary, node, instanceId }];
  });
}
