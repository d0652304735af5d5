import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { readTexts } from '../../src/engine/pile.ts';
import { causeOf } from '../../src/causes/catalogue.ts';
import { CAUSES } from '../../src/causes/index.generated.ts';
import type { Cause } from '../../src/diagnosis/cause.ts';
import type { DiagnosisDocument, Finding } from '../../src/diagnosis/document.ts';
import { evaluate } from '../../src/diagnosis/evaluate.ts';
import { assembleSubjects } from '../../src/diagnosis/subjects.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import type { Example } from './example.ts';
import { faultsOfClear } from './judge-clear.ts';

/** What is wrong with an example's outcome, in sentences; empty when it is as it says. */
export async function judgeExample(example: Example): Promise<readonly string[]> {
  const observations = await readTexts(example.files);
  const document = await diagnoseObservations(observations);
  const entry = CAUSES.find(({ id }) => id === example.cause);
  if (entry === undefined) return [`${example.cause} is not in the index; run npm run generate`];
  const cause = causeOf(await entry.load());
  return [
    ...faultsOfShape(example),
    ...faultsOfOutcome(example, document),
    ...(example.expect === 'unknown' ? faultsOfUnknown(cause, observations) : []),
    ...(example.expect === 'clear'
      ? await faultsOfClear({ example, cause, observations, document })
      : []),
  ];
}

/** What the cause itself says in an `unknown` example: of some subject it cannot say. */
function faultsOfUnknown(cause: Cause, observations: Observations): readonly string[] {
  const subjects = assembleSubjects(observations);
  const verdicts = subjects.map(
    (subject) => evaluate(cause, subject, observations, subjects).match.verdict,
  );
  return verdicts.includes('unknown') ? [] : [`the cause itself says ${verdicts.join(', ')}`];
}

function faultsOfShape(example: Example): string[] {
  const faults: string[] = [];
  if (!['found', 'clear', 'unknown'].includes(example.expect))
    faults.push('its name must begin with found-, clear- or unknown-');
  if (example.instead !== null && example.expect !== 'clear')
    faults.push('only a clear example says `instead:`');
  if (example.source === '') faults.push('its first line must say `source: …`');
  return faults;
}

function rootsOf(document: DiagnosisDocument): readonly Finding[] {
  return document.subjects
    .flatMap((subject) => subject.findings)
    .filter((finding) => finding.role === 'root' && finding.confidence !== 'possible');
}

function faultsOfOutcome(example: Example, document: DiagnosisDocument): string[] {
  const roots = [...new Set(rootsOf(document).map((finding) => finding.cause))];
  const all = document.subjects
    .flatMap((subject) => subject.findings)
    .filter((finding) => finding.confidence !== 'possible');
  if (example.expect === 'found') {
    if (document.headline?.cause !== example.cause)
      return [`its headline is ${document.headline?.cause ?? 'null'}`];
    return roots.length === 1
      ? []
      : [`it has the roots ${roots.join(', ')}; one says it all or explains the rest`];
  }
  const named = all.some((finding) => finding.cause === example.cause);
  if (named) return [`the cause is found in it`];
  if (example.expect === 'unknown' && document.headline !== null)
    return [`its headline is ${document.headline.cause}; nothing in an unknown example may decide`];
  return [];
}
