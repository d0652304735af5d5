import type { Json } from '../evidence/json.ts';
import type { InputLoss, Observations } from '../evidence/observations.ts';
import type { LineSource } from '../evidence/source.ts';
import { readAnswer } from './answers.ts';
import { type Common, createCollector } from './collector.ts';
import { createDocumentReader, type DocumentReader } from './document.ts';
import { openPassage } from './passage.ts';
import type { OpenLog } from './log/log.ts';
import type { SignTable } from './sign-table.ts';
import { readMachineLog, readStructuredText } from './text/structured.ts';

/** One pile of evidence being read: documents one after another, then everything they said. */
export interface Reading {
  /** `likely` is what lines are that do not say so themselves, where the collector knows. */
  open(locator: string, container: string | null, likely?: LineSource): DocumentReader;
  /** Reads an answer of an API that is parsed already, or a text that a program gave. */
  take(locator: string, content: Json | string): void;
  loss(loss: InputLoss): void;
  finish(): Observations;
}

/**
 * Starts reading with the table of expressions that lines are tried against.
 *
 * @param openLog reads large logs, possibly elsewhere; what they held is complete once it told so
 * @param common what earlier readings kept, of which equal parts are not kept again
 */
export function createReading(table: SignTable, openLog?: OpenLog, common?: Common): Reading {
  const collector = createCollector(common);
  return {
    open: (locator, container, likely) =>
      createDocumentReader({
        collector,
        table,
        document: collector.openDocument(
          locator,
          container,
          container === null || container === locator,
        ),
        ...(likely === undefined ? {} : { likely }),
        ...(openLog === undefined ? {} : { openLog }),
      }),
    take(locator, content) {
      const reading = { collector, table, document: collector.openDocument(locator, null) };
      if (typeof content === 'string') return readStructuredText(reading, content);
      if (readMachineLog(reading, content)) return;
      const open = openPassage(reading);
      readAnswer(open.passage, content, 0);
      open.flush();
    },
    loss: (loss) => collector.loss(loss),
    finish: () => collector.finish(),
  };
}
