import type { RollCallDocument } from '../../../diagnosis/roll-call/document.ts';
import { counted } from '../../../domain/words.ts';
import { isoTime } from '../../../evidence/time.ts';
import { countLine } from './roll-call-table.ts';
import { cellText, cutTo } from './width.ts';

/** The newest change that a watch has shown. */
export interface LastChange {
  readonly line: string;
  /** ms since the epoch; null when nobody knows. */
  readonly atMs: number | null;
}

function clockOf(atMs: number | null): string {
  const text = atMs === null ? null : isoTime({ ms: atMs, yearless: false, clock: 'utc' });
  return text === null ? '' : ` ${text.slice(11, 19)} UTC`;
}

/** What stands above the rows of a watch: machines by verdict, the last change, what is not seen. */
export function watchHeader(
  document: RollCallDocument,
  change: LastChange | null,
  columns: number,
): readonly string[] {
  const unseen = document.notObservable.length;
  const last = change === null ? [] : [`Last change${clockOf(change.atMs)}: ${change.line}`];
  const hidden = unseen === 0 ? [] : [`Not seen: ${counted(unseen, 'source')}, listed below`];
  const lines = [countLine(document.rows), ...last, ...hidden];
  return [...lines.map((line) => cutTo(cellText(line), columns)), ''];
}
