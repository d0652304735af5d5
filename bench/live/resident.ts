/** A program that stays: `rollcall controller` beside doubles of both APIs, with heartbeats. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RESIDENT_NODE_FLAGS } from '../../src/manifests/node-flags.ts';
import { ROOT } from '../place.ts';
import { type Row, skipped } from '../table.ts';
import { type ClusterSize, leaseOf, type Machine, machinesOf, nodeOf } from './cluster.ts';
import { type Doubles, LATENCY_MS, startDoubles } from './doubles.ts';
import { usageOf } from './usage.ts';

/** As it is published, since that is what stays. */
const PACKED = join(ROOT, 'dist/rollcall.mjs');
const CHANGES = 25;
const REST_MS = 30_000;
/** The second round of questions to AWS is the first that asks by the cluster's name. */
const SETTLES_MS = 70_000;
const BEAT_MS = 10_000;
const CHANGE_MS_MAX = 30_000;

const READY = { reason: 'KubeletReady', message: 'kubelet is posting ready status' };
const TROUBLE = {
  reason: 'KubeletNotReady',
  message:
    'container runtime network not ready: NetworkReady=false ' +
    'reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized',
};

interface Running {
  readonly child: ReturnType<typeof spawn>;
  readonly text: () => string;
}

function start({ env }: Doubles): Running {
  const args = [...RESIDENT_NODE_FLAGS, PACKED, 'controller', '--listen', '127.0.0.1:0'];
  const child = spawn(process.execPath, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
  return { child, text: () => text };
}

async function until(what: () => boolean, limitMs: number): Promise<number> {
  const startMs = performance.now();
  while (!what()) {
    if (performance.now() - startMs > limitMs) throw new Error('waited in vain');
    await sleep(1);
  }
  return performance.now() - startMs;
}

function turned(machine: Machine, index: number, isReady: boolean): object {
  const node = nodeOf(machine, index) as {
    readonly status: { readonly conditions: readonly { readonly type: string }[] };
  };
  const ready = { status: isReady ? 'True' : 'False', ...(isReady ? READY : TROUBLE) };
  const conditions = node.status.conditions.map((one) =>
    one.type === 'Ready' ? { ...one, ...ready } : one,
  );
  return { ...node, status: { ...node.status, conditions } };
}

/** Each Lease is renewed every ten seconds, one after the other. */
function beat(doubles: Doubles, machines: readonly Machine[]): () => void {
  let next = 0;
  const everyMs = 100;
  const share = Math.max(1, Math.round((machines.length * everyMs) / BEAT_MS));
  const timer = setInterval(() => {
    for (let index = 0; index < share; index++) {
      const place = next++ % machines.length;
      const machine = machines[place];
      if (machine !== undefined) doubles.change('leases', leaseOf(machine, place));
    }
  }, everyMs);
  return () => clearInterval(timer);
}

async function delays(
  doubles: Doubles,
  machines: readonly Machine[],
  { text }: Running,
): Promise<readonly number[]> {
  const took: number[] = [];
  for (let index = 0; index < CHANGES; index++) {
    const place = (index * 7) % machines.length;
    const machine = machines[place];
    if (machine === undefined) continue;
    for (const isReady of [false, true]) {
      const before = text().length;
      const verdict = isReady ? ' -> usable' : ' -> not-usable';
      const isShown = (line: string): boolean =>
        line.includes(`${machine.name} `) && line.includes(verdict);
      doubles.change('nodes', turned(machine, place, isReady));
      took.push(await until(() => text().slice(before).split('\n').some(isShown), CHANGE_MS_MAX));
      await sleep(200);
    }
  }
  return took.toSorted((one, other) => one - other);
}

function at(sorted: readonly number[], share: number): number {
  const index = Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1);
  return Math.round(sorted[index] ?? Number.NaN);
}

/** What a look that begins with nothing takes against the same doubles, ms. */
async function freshLook({ env }: Doubles): Promise<number> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [PACKED, 'status', '-o', 'json'], { env, stdio: 'ignore' });
  await once(child, 'close');
  return performance.now() - startMs;
}

async function end({ child }: Running): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
}

/** What the controller did, and how that compares with a fresh look. */
type Measured = Pick<Row, 'ours' | 'ratio'>;

async function measure(size: ClusterSize): Promise<Measured> {
  const doubles = await startDoubles(size);
  const machines = machinesOf(size).filter(({ hasNode }) => hasNode);
  const running = start(doubles);
  const stopBeats = beat(doubles, machines);
  try {
    const first = machines[0]?.name ?? '';
    const firstMs = await until(() => running.text().includes(first), 300_000);
    await sleep(SETTLES_MS);
    const before = usageOf(running.child.pid);
    doubles.forget();
    await sleep(REST_MS);
    const after = usageOf(running.child.pid);
    const requests = doubles.counts();
    const restShare = (100 * ((after?.processorMs ?? 0) - (before?.processorMs ?? 0))) / REST_MS;
    const sorted = await delays(doubles, machines, running);
    const usage = usageOf(running.child.pid);
    const memory = `now ${Math.round((usage?.rssBytes ?? 0) / 1e6)} MB, peak ${Math.round((usage?.peakRssBytes ?? 0) / 1e6)} MB`;
    await end(running);
    const freshMs = await freshLook(doubles);
    const ours =
      `first roll call ${(firstMs / 1000).toFixed(1)} s; change of a Node to its line ${at(sorted, 0.5)} ms, p99 ${at(sorted, 0.99)} ms; ` +
      `at rest ${restShare.toFixed(1)} % of a core, ${requests.kube} requests to Kubernetes and ${requests.aws} to AWS in 30 s; RSS ${memory}`;
    const times = (freshMs / at(sorted, 0.5)).toFixed(0);
    return {
      ours,
      ratio: `a fresh look takes ${(freshMs / 1000).toFixed(1)} s, ${times} times a change`,
    };
  } finally {
    stopBeats();
    await end(running);
    doubles.stop();
  }
}

function row({ machines, pods }: ClusterSize, measured: Measured, target: string): Row {
  const reference = `${LATENCY_MS} ms per call, doubles of both APIs`;
  return {
    what: `resident: ${machines} machines, ${pods} pods`,
    ...measured,
    reference,
    target,
  };
}

/** The controller beside a cluster of 1,000 machines; `large` adds 5,000 with 100,000 pods. */
export async function benchResident(large: boolean): Promise<readonly Row[]> {
  if (!existsSync(PACKED)) {
    const why = 'dist/ is not built; build it with: npm run build';
    return [skipped('resident', '', why)];
  }
  const thousand = { machines: 1000, pods: 20_000 };
  const goal = 'p99 <= 100 ms, < 2 %, <= 250 MB, <= 10 s';
  const rows = [row(thousand, await measure(thousand), goal)];
  const largest = { machines: 5000, pods: 100_000 };
  if (large)
    rows.push(row(largest, await measure(largest), 'p99 <= 250 ms, < 5 %, <= 600 MB, <= 30 s'));
  return rows;
}
