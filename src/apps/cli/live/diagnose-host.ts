import { collectHost, type HostDocument, isLoss } from '../../../collection/host/collect.ts';
import { openHost } from '../../../adapters/host/open.ts';
import { createScanning } from '../../../adapters/scanning/scanning.ts';
import { systemClock } from '../../../adapters/system/clock.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import type { InputLoss, Observations } from '../../../evidence/observations.ts';
import { redact } from '../../../evidence/redact.ts';
import { redactAssignments } from '../../../evidence/secrets/assignments.ts';
import type { Anonymizer } from '../../../readers/anonymous/anonymizer.ts';
import { anonymizerFor } from '../../../engine/anonymous.ts';
import { SIGN_TABLE } from '../../../engine/signs.ts';
import { diagnoseObservations } from '../../../engine/diagnose.ts';
import { readPile } from '../../../engine/pile.ts';
import type { BundleContents } from './bundle.ts';

/** What was found, and what was saved of it; null where nothing was to be saved. */
export interface HostLook {
  readonly document: DiagnosisDocument;
  readonly observations: Observations;
  readonly saved: BundleContents | null;
}

/**
 * Looks at the machine on which it runs; `save` names the file that the evidence is written to.
 *
 * @param known what is known of the machine beside what it shows
 */
export async function diagnoseHost(
  save: string | null,
  isAnonymous: boolean,
  known: readonly HostDocument[] = [],
): Promise<HostLook> {
  const documents: HostDocument[] = [...known];
  const losses: InputLoss[] = [];
  for await (const item of collectHost(openHost(systemClock), systemClock, {})) {
    if (isLoss(item)) losses.push(item.loss);
    else documents.push(item);
  }
  const observations = await readPile(documents, losses, createScanning);
  const hidden = isAnonymous ? anonymizerFor([observations]) : null;
  const saved = save === null ? null : await saveHost(save, documents, hidden);
  return { document: await diagnoseObservations(observations), observations, saved };
}

async function saveHost(
  path: string,
  documents: readonly HostDocument[],
  hidden: Anonymizer | null,
): Promise<BundleContents> {
  const { createBundle } = await import('./bundle.ts');
  const bundle = createBundle();
  const decoder = new TextDecoder();
  for (const { name, locator, chunks, holdsSecrets } of documents) {
    const text = chunks.map((chunk) => decoder.decode(chunk)).join('');
    const content = holdsSecrets ? redactAssignments(redact(text)) : text;
    bundle.add({ name, locator, content }, SIGN_TABLE);
  }
  return bundle.write(path, hidden);
}
