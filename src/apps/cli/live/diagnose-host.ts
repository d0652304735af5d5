import {
  collectHost,
  type HostDocument,
  isLoss,
} from '../../../adapters/collection/host/collect.ts';
import { openHost } from '../../../adapters/host/open.ts';
import { systemClock } from '../../../adapters/system/clock.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import type { InputLoss } from '../../../evidence/observations.ts';
import { redact } from '../../../evidence/redact.ts';
import { diagnoseObservations, readPile } from '../pile.ts';

/** Looks at the machine on which it runs; `save` names the file that the evidence is written to. */
export async function diagnoseHost(save: string | null): Promise<DiagnosisDocument> {
  const documents: HostDocument[] = [];
  const losses: InputLoss[] = [];
  for await (const item of collectHost(openHost(systemClock), systemClock, {})) {
    if (isLoss(item)) losses.push(item.loss);
    else documents.push(item);
  }
  if (save !== null) await saveHost(save, documents);
  return diagnoseObservations(await readPile(documents, losses));
}

async function saveHost(path: string, documents: readonly HostDocument[]): Promise<void> {
  const { writeBundle } = await import('./bundle.ts');
  const decoder = new TextDecoder();
  const texts = documents.map(({ name, locator, chunks }) => {
    const text = chunks.map((chunk) => decoder.decode(chunk)).join('');
    return { name, locator, content: redact(text) };
  });
  await writeBundle(path, texts);
}
