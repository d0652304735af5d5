/** A process, as `/proc/PID/stat` has it. */
export interface ProcStat {
  readonly name: string;
  readonly parent: number;
  /** After the boot of the machine. */
  readonly startedMs: number;
}

/** Linux counts in hundredths of a second here, whatever the kernel's own tick is. */
const TICK_MS = 10;
const PARENT = 1;
const STARTED = 19;

/** null for a text that is no such file. The name may have blanks and parentheses itself. */
export function readProcStat(text: string): ProcStat | null {
  const end = text.lastIndexOf(') ');
  const start = text.indexOf(' (');
  if (start === -1 || end < start) return null;
  const fields = text.slice(end + 2).split(' ');
  const parent = Number(fields[PARENT]);
  const ticks = Number(fields[STARTED]);
  if (!Number.isSafeInteger(parent) || !Number.isSafeInteger(ticks) || ticks < 0) return null;
  return { name: text.slice(start + 2, end), parent, startedMs: ticks * TICK_MS };
}
