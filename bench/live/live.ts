import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../place.ts';
import type { Row } from '../table.ts';
import { type ClusterSize, machineAt } from './cluster.ts';
import { type Doubles, LATENCY_MS, startDoubles } from './doubles.ts';
import { type Usage, usageOf } from './usage.ts';

/** The command of the checkout, and what people install once it is built. */
const PROGRAM: readonly string[] = [join(ROOT, 'bin/rollcall')];
const PACKED = join(ROOT, 'dist/rollcall.mjs');
const PACKAGE: readonly string[] = [process.execPath, PACKED];
const ONE_MACHINE_RUNS = 20;
const PERIOD_MS = 10;
/** Longer than any run, so that what is measured is all of it. */
const LIMIT = ['--timeout', '30m'];
/** Exit codes of a diagnosis that was made: usable, not usable, cannot tell. */
const DIAGNOSED: readonly (number | null)[] = [0, 1, 2];

interface LiveRun {
  readonly wallMs: number;
  /** Until something is on the screen, or until what is waited for is. */
  readonly firstMs: number;
  readonly peakRssBytes: number;
  /** Of the program's own threads. */
  readonly processorMs: number;
}

/** A terminal of its own, as progress and first rows are shown on terminals only. */
const ON_TERMINAL = ['-qfec'] as const;
const SCREEN = 'stty rows 50 columns 160';

interface LookOptions {
  readonly isOnTerminal?: boolean;
  readonly program?: readonly string[];
  readonly command?: 'diagnose' | 'status';
  /** What the first output that counts holds; anything when not given. */
  readonly first?: string;
}

/** Runs the program once; the first output is that of a terminal when it is on one. */
async function look(
  { env }: Doubles,
  names: readonly string[],
  { isOnTerminal = false, program = PROGRAM, command: verb = 'diagnose', first }: LookOptions = {},
): Promise<LiveRun> {
  const words = [...program, verb, ...names, ...LIMIT];
  const [command = '', ...args] = isOnTerminal
    ? ['script', ...ON_TERMINAL, `${SCREEN}; ${words.join(' ')}`, '/dev/null']
    : [...words, '-o', 'json'];
  const startMs = performance.now();
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let firstMs = Number.NaN;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (Number.isNaN(firstMs) && text.includes(first ?? '')) firstMs = performance.now() - startMs;
  });
  let usage: Usage = { peakRssBytes: 0, rssBytes: 0, processorMs: 0 };
  const watch = setInterval(() => {
    usage = usageOf(child.pid) ?? usage;
  }, PERIOD_MS);
  const [exitCode] = await once(child, 'close');
  clearInterval(watch);
  if (!DIAGNOSED.includes(exitCode as number | null))
    throw new Error(`${words.join(' ')} ended with exit code ${String(exitCode)}.`);
  return { wallMs: performance.now() - startMs, firstMs, ...usage };
}

async function withCluster<T>(
  size: ClusterSize,
  measure: (doubles: Doubles) => Promise<T>,
): Promise<T> {
  const doubles = await startDoubles(size);
  try {
    return await measure(doubles);
  } finally {
    doubles.stop();
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

function row(what: string, ours: string, target: string): Row {
  const reference = `${LATENCY_MS} ms per call, doubles of both APIs`;
  return { what, ours, reference, ratio: '', target };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** A machine without a Node, so that it is also asked for its console and user data. */
const LONELY = machineAt(49).id;

async function benchOne(): Promise<readonly Row[]> {
  return withCluster({ machines: 100, pods: 2000 }, async (doubles) => {
    const runs: LiveRun[] = [await look(doubles, [LONELY])];
    while (runs.length <= ONE_MACHINE_RUNS) runs.push(await look(doubles, [LONELY]));
    const walls = runs.slice(1).map(({ wallMs }) => wallMs);
    const processor = percentile(
      runs.slice(1).map(({ processorMs }) => processorMs),
      0.5,
    );
    const first = (await look(doubles, [], { isOnTerminal: true })).firstMs;
    const ofRows = { isOnTerminal: true, command: 'status', first: machineAt(0).id } as const;
    const rows = (await look(doubles, [], ofRows)).firstMs;
    const half = seconds(percentile(walls, 0.5));
    const most = seconds(percentile(walls, 0.95));
    return [
      row(
        'live: one machine among 100',
        `${half} in the middle, p95 ${most}, processor ${seconds(processor)}`,
        'p95 < 3 s',
      ),
      row('live: first words on a terminal', seconds(first), ''),
      row('live: first row of `status` among 100, on a terminal', seconds(rows), '< 1 s'),
    ];
  });
}

function remark({ program, command }: LookOptions): string {
  return `${command === 'status' ? ', `status`' : ''}${program === PACKAGE ? ', by the package' : ''}`;
}

async function benchAll(
  size: ClusterSize,
  target: string,
  options: LookOptions = {},
): Promise<Row> {
  return withCluster(size, async (doubles) => {
    // Fills the doubles' pages, which cost time of their own.
    await look(doubles, [], options);
    doubles.forget();
    const run = await look(doubles, [], options);
    const { kube, aws } = doubles.counts();
    const memory = `peak RSS ${Math.round(run.peakRssBytes / 1e6)} MB`;
    return row(
      `live: ${size.machines} machines, ${size.pods} pods${remark(options)}`,
      `${seconds(run.wallMs)}, processor ${seconds(run.processorMs)}, ${memory}, ` +
        `${kube} requests to Kubernetes, ${aws} to AWS`,
      target,
    );
  });
}

/** The live diagnosis over doubles of both APIs; `large` adds 5,000 machines with 100,000 pods. */
export async function benchLive(large: boolean): Promise<readonly Row[]> {
  const rows = [
    ...(await benchOne()),
    await benchAll({ machines: 10, pods: 200 }, ''),
    await benchAll({ machines: 100, pods: 2000 }, ''),
    await benchAll({ machines: 1000, pods: 20_000 }, '< 30 s, < 300 MB'),
  ];
  const thousand = { machines: 1000, pods: 20_000 };
  if (existsSync(PACKED))
    rows.push(await benchAll(thousand, '< 30 s, < 300 MB', { program: PACKAGE }));
  const largest = { machines: 5000, pods: 100_000 };
  if (large) rows.push(await benchAll(largest, '< 60 s', { command: 'status' }));
  return rows;
}
