import { ahead } from '../readers/ahead.ts';
import { alignClocks } from '../diagnosis/clocks.ts';
import type { InputLoss, Observations } from '../evidence/observations.ts';
import type { LineSource } from '../evidence/source.ts';
import { scanningHere, type StartScanning } from '../readers/log/scanning.ts';
import { createReading } from '../readers/reading.ts';
import { SIGN_TABLE } from './signs.ts';

/** A document of a pile of evidence, in chunks. */
export interface PileDocument {
  readonly locator: string;
  readonly container: string | null;
  /** What lines are that do not say so themselves; null or absent when nobody knows. */
  readonly source?: LineSource | null;
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/**
 * Reads every document and returns what all of them said together.
 *
 * @param losses what was given and could not be opened
 * @param startScanning how logs are read
 */
export async function readPile(
  documents: AsyncIterable<PileDocument> | Iterable<PileDocument>,
  losses: readonly InputLoss[] = [],
  startScanning: StartScanning = scanningHere,
): Promise<Observations> {
  const scanning = startScanning(SIGN_TABLE);
  const reading = createReading(SIGN_TABLE, scanning.open);
  try {
    for await (const document of documents) {
      const { locator, container, source } = document;
      const reader = reading.open(locator, container, source ?? undefined);
      for await (const chunk of ahead(document.chunks)) {
        reader.push(chunk);
        await scanning.room();
      }
      reader.end();
      await scanning.settled();
    }
  } finally {
    await scanning.close();
  }
  for (const loss of losses) reading.loss(loss);
  return alignClocks(reading.finish());
}

/** Reads texts held in memory, as tests and examples have them. */
export async function readTexts(
  texts: readonly { readonly name: string; readonly text: string }[],
): Promise<Observations> {
  const encoder = new TextEncoder();
  const documents = texts.map(({ name, text }) => ({
    locator: name,
    container: null,
    chunks: [encoder.encode(text)],
  }));
  return readPile(documents);
}
