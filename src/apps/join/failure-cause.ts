import { documentOf } from '../../collection/host/document.ts';
import type { JoinHeadline } from '../../controllers/join/join-row.ts';
import type { DiagnosisDocument, Finding } from '../../diagnosis/document.ts';
import { diagnoseHost } from '../cli/live/diagnose-host.ts';

/** Why the machine is no node, as far as it shows that itself. */
export interface JoinCause extends JoinHeadline {
  readonly summary: string;
  readonly remedy: readonly string[];
}

/** What the diagnosis of this machine names, with what COMMAND printed; null where nothing is named. */
export async function causeOfFailure(output: string): Promise<JoinCause | null> {
  const said = documentOf('COMMAND', 'join/command.log', output, { holdsSecrets: true });
  const { document } = await diagnoseHost(null, false, output === '' ? [] : [said]);
  return causeIn(document);
}

export function causeIn({ headline, subjects }: DiagnosisDocument): JoinCause | null {
  const findings = subjects.flatMap((subject) => subject.findings);
  const found =
    findings.find(({ cause, role }) => role === 'root' && cause === headline?.cause) ??
    findings.find(({ role }) => role === 'root');
  return found === undefined ? null : causeOf(found);
}

function causeOf({ cause, stage, confidence, summary, remedy }: Finding): JoinCause {
  const steps = remedy.map(({ text, command }) =>
    command === null ? text : `${text}: ${command}`,
  );
  return { cause, stage, confidence, summary, remedy: steps };
}
