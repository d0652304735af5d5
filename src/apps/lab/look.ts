import type { CollectedDocument } from '../../adapters/collection/document.ts';
import type { DiagnosisDocument } from '../../diagnosis/document.ts';
import type { Observations } from '../../evidence/observations.ts';
import { SIGNS } from '../../causes/index.generated.ts';
import { alignClocks } from '../../diagnosis/clocks.ts';
import { createReading } from '../../readers/reading.ts';
import { compileSigns } from '../../readers/sign-table.ts';
import type { Town } from '../../sim/town/town.ts';
import { diagnoseObservations } from '../cli/pile.ts';
import { observeTown } from '../sim/observe-town.ts';

/** Instances of machines that are not known to be usable. */
function unwell({ subjects }: DiagnosisDocument): ReadonlySet<string> {
  const ids = subjects
    .filter(({ verdict }) => verdict !== 'usable')
    .flatMap(({ instanceId }) => instanceId ?? []);
  return new Set(ids);
}

/** What was collected, and the archives of the log collector from machines that are not well. */
function withArchives(
  town: Town,
  documents: readonly CollectedDocument[],
  instanceIds: ReadonlySet<string>,
): Observations {
  const reading = createReading(compileSigns(SIGNS));
  for (const { locator, content } of documents) reading.take(locator, content);
  const encoder = new TextEncoder();
  for (const machine of town.yard.machines()) {
    if (!instanceIds.has(machine.instanceId)) continue;
    const archive = `eks_${machine.instanceId}.tar.gz`;
    for (const { name, text } of machine.collect()) {
      const reader = reading.open(`${archive}!${name}`, archive);
      reader.push(encoder.encode(text));
      reader.end();
    }
  }
  return alignClocks(reading.finish());
}

/**
 * The live diagnosis, with everything that it asks answered by a town that stands still.
 *
 * @param readsLogs also reads what the log collector gathers on machines that are not well
 */
export async function diagnoseTown(town: Town, readsLogs: boolean): Promise<DiagnosisDocument> {
  const documents = new Map<string, CollectedDocument>();
  const seen = await observeTown(town, (one) => documents.set(one.name, one));
  const instanceIds = unwell(seen.document);
  if (!readsLogs || instanceIds.size === 0) return seen.document;
  return diagnoseObservations(withArchives(town, [...documents.values()], instanceIds));
}
