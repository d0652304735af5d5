import type { InputLoss, Observations } from '../evidence/observations.ts';
import { createCollector } from './collector.ts';
import { createDocumentReader, type DocumentReader } from './document.ts';
import type { SignTable } from './sign-table.ts';

/** One pile of evidence being read: documents one after another, then everything they said. */
export interface Reading {
  open(locator: string, container: string | null): DocumentReader;
  loss(loss: InputLoss): void;
  finish(): Observations;
}

/** Starts reading with the table of expressions that lines are tried against. */
export function createReading(table: SignTable): Reading {
  const collector = createCollector();
  return {
    open: (locator, container) =>
      createDocumentReader({
        collector,
        table,
        document: collector.openDocument(locator, container),
      }),
    loss: (loss) => collector.loss(loss),
    finish: () => collector.finish(),
  };
}
