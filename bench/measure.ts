import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const RSS_PERIOD_MS = 10;

/** One run of a program. */
export interface TimedRun {
  readonly wallMs: number;
  readonly exitCode: number | null;
  /** The most memory it had in RAM at once; null where the system does not tell. */
  readonly peakRssBytes: number | null;
  readonly stdout: string;
}

/** Medians of runs taken in turns, so that both sides see the same noise. */
export interface Comparison {
  readonly ours: number;
  readonly reference: number;
  /** The median of the rounds' ratios, ours divided by reference. */
  readonly ratio: number;
}

type Measurement = () => Promise<number>;

/** The middle value; of an even number of values the upper one of the two. */
export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

/** The high-water mark that Linux keeps of a process; it disappears with the process. */
function peakRssOf(pid: number | undefined): number | null {
  return memoryOf(pid, /^VmHWM:\s+(\d+) kB$/m);
}

/** What a process has in RAM now, bytes; null where the system does not tell. */
export function rssOf(pid: number | undefined): number | null {
  return memoryOf(pid, /^VmRSS:\s+(\d+) kB$/m);
}

function memoryOf(pid: number | undefined, line: RegExp): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kilobytes = line.exec(status)?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}

/** Runs a program to its end, its standard error thrown away. */
export async function runTimed(command: string, args: readonly string[]): Promise<TimedRun> {
  const startMs = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let peakRssBytes: number | null = null;
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('latin1')));
  const watch = setInterval(() => {
    peakRssBytes = peakRssOf(child.pid) ?? peakRssBytes;
  }, RSS_PERIOD_MS);
  const [exitCode] = await once(child, 'close');
  clearInterval(watch);
  return { wallMs: performance.now() - startMs, exitCode, peakRssBytes, stdout };
}

/** Measures both sides once unmeasured, then `rounds` times in turns. */
export async function compare(
  rounds: number,
  ours: Measurement,
  reference: Measurement,
): Promise<Comparison> {
  await ours();
  await reference();
  const pairs: { readonly ours: number; readonly reference: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    pairs.push({ ours: await ours(), reference: await reference() });
  }
  return {
    ours: median(pairs.map((pair) => pair.ours)),
    reference: median(pairs.map((pair) => pair.reference)),
    ratio: median(pairs.map((pair) => pair.ours / pair.reference)),
  };
}
