/** A line of a program's log. */
export interface LoggedLine {
  readonly atMs: number;
  readonly text: string;
}

/** Lines as klog prints them, the latest ones kept. */
export interface Klog {
  print(level: 'I' | 'W' | 'E', place: string, message: string): void;
  lines(): readonly LoggedLine[];
}

const LINES_MAX = 20_000;
/** Programs in containers have process 1. */
const PID = '1'.padStart(7);

/** `I1122 08:30:00.123000       1 node_controller.go:431] …` */
export function klogLine(level: string, atMs: number, place: string, message: string): string {
  const stamp = new Date(atMs).toISOString();
  const date = stamp.slice(5, 10).replace('-', '');
  return `${level}${date} ${stamp.slice(11, 23)}000 ${PID} ${place}] ${message}`;
}

export function createKlog(nowMs: () => number): Klog {
  let lines: LoggedLine[] = [];
  return {
    print: (level, place, message) => {
      const atMs = nowMs();
      if (lines.length >= 2 * LINES_MAX) lines = lines.slice(-LINES_MAX);
      lines.push({ atMs, text: klogLine(level, atMs, place, message) });
    },
    lines: () => lines.slice(-LINES_MAX),
  };
}
