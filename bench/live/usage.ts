import { readFileSync } from 'node:fs';

/** What Linux counts of a process. */
export interface Usage {
  readonly rssBytes: number;
  readonly peakRssBytes: number;
  readonly processorMs: number;
}

const CLOCK_TICK_MS = 10;

/** What Linux counts of a process while it is there; null where it does not. */
export function usageOf(pid: number | undefined): Usage | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    // The second field, the name in parentheses, may hold blanks.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const ticks = Number(fields[11]) + Number(fields[12]);
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    const now = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    // Of a process that has just ended nothing is left but its number.
    if (kilobytes === undefined) return null;
    return {
      peakRssBytes: Number(kilobytes) * 1024,
      rssBytes: Number(now ?? 0) * 1024,
      processorMs: ticks * CLOCK_TICK_MS,
    };
  } catch {
    return null;
  }
}
