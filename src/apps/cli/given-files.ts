import { type EvidenceDocument, openEvidence } from '../../adapters/bundle/open.ts';
import { createScanning } from '../../adapters/scanning/scanning.ts';
import type { InputLoss, Observations } from '../../evidence/observations.ts';
import type { CliContext } from './context.ts';
import { readPile } from '../../engine/pile.ts';

/** What the files, folders and archives that were given say; `-` is the standard input. */
export async function readGiven(
  paths: readonly string[],
  context: CliContext,
): Promise<Observations> {
  const { limits, ending } = context;
  const losses: InputLoss[] = [];
  const input = paths.includes('-') ? context.stdin() : undefined;
  const documents = openEvidence(paths, (loss) => losses.push(loss), limits, input);
  const read = ending === undefined ? documents : until(ending, documents);
  return readPile(read, losses, createScanning);
}

/** The same documents, but none and no part of one once the signal has come. */
async function* until(
  ending: AbortSignal,
  documents: AsyncIterable<EvidenceDocument>,
): AsyncGenerator<EvidenceDocument> {
  for await (const document of documents) {
    ending.throwIfAborted();
    yield { ...document, chunks: chunksUntil(ending, document.chunks) };
  }
}

async function* chunksUntil(
  ending: AbortSignal,
  chunks: EvidenceDocument['chunks'],
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    ending.throwIfAborted();
    yield chunk;
  }
}
