import { openEvidence } from '../../adapters/bundle/open.ts';
import { createScanning } from '../../adapters/scanning/scanning.ts';
import type { InputLoss, Observations } from '../../evidence/observations.ts';
import type { CliContext } from './context.ts';
import { readPile } from '../../engine/pile.ts';

/** What the files, folders and archives that were given say; `-` is the standard input. */
export async function readGiven(
  paths: readonly string[],
  context: CliContext,
): Promise<Observations> {
  const losses: InputLoss[] = [];
  const input = paths.includes('-') ? context.stdin() : undefined;
  const documents = openEvidence(paths, (loss) => losses.push(loss), undefined, input);
  return readPile(documents, losses, createScanning);
}
