import type { SignTable } from '../sign-table.ts';
import type { OpenLog } from './log.ts';
import { LogReader } from './log-reader.ts';

/** Reads logs where it is called, so that everything is told by the time that `end` returns. */
export function readHere(table: SignTable): OpenLog {
  return (likely, told) => {
    const reader = new LogReader(table, likely);
    return {
      push: (chunk) => reader.push(chunk),
      end: () => told(reader.end()),
    };
  };
}
