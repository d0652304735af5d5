import { klogStamp } from './stamps.ts';

export type Severity = 'I' | 'W' | 'E' | 'F';

/** Where a program prints a line: file and line of its source. */
export interface KlogLine {
  readonly severity: Severity;
  readonly atMs: number;
  readonly pid: number;
  readonly place: string;
  readonly message: string;
}

/** A line as klog prints it; the thread id is padded to seven columns. */
export function klogText({ severity, atMs, pid, place, message }: KlogLine): string {
  return `${severity}${klogStamp(atMs)} ${String(pid).padStart(7)} ${place}] ${message}`;
}

export type KlogValue = string | number | boolean;

/** `"message" key="value"`, as klog prints structured lines. */
export function structured(message: string, values: Readonly<Record<string, KlogValue>>): string {
  const pairs = Object.entries(values).map(([key, value]) => ` ${key}=${quoted(value)}`);
  return `${JSON.stringify(message)}${pairs.join('')}`;
}

function quoted(value: KlogValue): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** klog prints a list of names in brackets, each of them quoted since 1.26. */
export function quotedList(names: readonly string[]): string {
  return `[${names.map((name) => JSON.stringify(name)).join(',')}]`;
}
