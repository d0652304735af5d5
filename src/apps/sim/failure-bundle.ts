import type { CollectedDocument } from '../../collection/document.ts';
import type { FaultScene } from '../../sim/faults/contract.ts';
import { createBundle } from '../cli/live/bundle.ts';
import { SIGN_TABLE } from '../../engine/signs.ts';
import { guardedRun } from './guarded-run.ts';
import { lookEveryWay, lookLive } from './look.ts';
import type { SmallFailure } from './shrink-failure.ts';

/**
 * Runs a failure once more and writes what Rollcall could see at its moment, journals of machines
 * with it, into a file that `rollcall diagnose` reads.
 */
export async function writeFailure(failure: SmallFailure, path: string): Promise<void> {
  const { swarm, injections } = failure.run;
  const documents = new Map<string, CollectedDocument>();
  await guardedRun({
    swarm,
    injections,
    endsAtViolation: true,
    async look(request) {
      const said = await lookEveryWay(request, { bug: null, gapShare: 0 });
      if (request.stage.simulated.kernel.nowMs() >= failure.violation.atMs && documents.size === 0)
        await collect(request.stage, request.broken, documents);
      return said;
    },
  });
  const bundle = createBundle();
  for (const document of documents.values()) bundle.add(document, SIGN_TABLE);
  await bundle.write(path);
}

async function collect(
  stage: FaultScene,
  broken: readonly string[],
  documents: Map<string, CollectedDocument>,
): Promise<void> {
  await lookLive(stage, null, (document) => documents.set(document.name, document));
  for (const id of broken) {
    const journal =
      stage.simulated.hypervisor.machine(id)?.journalText({ format: 'short-iso' }) ?? '';
    const name = `${id}/journal.txt`;
    if (journal !== '') documents.set(name, { name, locator: name, content: journal });
  }
}
