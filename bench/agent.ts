/** The agent as built, on a real API server: memory and processor time after a minute of looks. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlane, startControlPlane } from '../test/real/control-plane.ts';
import { CONTROL_PLANE, missing } from '../test/real/parts.ts';
import { ROOT } from './place.ts';
import type { Row } from './table.ts';
import { skipped } from './table.ts';

const PACKED = join(ROOT, 'dist/rollcall.mjs');
const RUN_MS = 60_000;
const RSS_MB_MAX = 75;
const NODE = 'bench-node';
const PROBES = 'api-server,dns,pod-network,metadata,clock,disk,interruption';
/** As the launcher and the container start it. */
const BARE = ['-e', 'setInterval(() => {}, 1000)'];

interface Used {
  readonly rssMb: number;
  readonly peakMb: number;
  readonly cpuShare: number;
}

function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? Number.NaN);
}

function used(pid: number | undefined): Used {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '';
  // Fields 14 and 15 of stat, in hundredths of a second.
  const ticks = stat.split(' ').slice(11, 13).map(Number);
  const cpuMs = 10 * ticks.reduce((sum, one) => sum + one, 0);
  return {
    rssMb: numberIn(status, /^VmRSS:\s+(\d+) kB$/m) / 1024,
    peakMb: numberIn(status, /^VmHWM:\s+(\d+) kB$/m) / 1024,
    cpuShare: cpuMs / RUN_MS,
  };
}

async function ran(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Used> {
  const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
  try {
    await sleep(RUN_MS);
    return used(child.pid);
  } finally {
    child.kill('SIGKILL');
  }
}

async function ranAgent(plane: ControlPlane, more: readonly string[]): Promise<Used> {
  const { hostname, port } = new URL(plane.url);
  const env = {
    PATH: process.env['PATH'],
    KUBECONFIG: plane.kubeconfigPath,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
  };
  return ran([PACKED, 'agent', ...more], env);
}

function rowOf(what: string, { rssMb, peakMb, cpuShare }: Used, bare: Used): Row {
  return {
    what,
    ours: `${rssMb.toFixed(0)} MB (peak ${peakMb.toFixed(0)} MB), ${(100 * cpuShare).toFixed(1)} % of a core`,
    reference: `${bare.rssMb.toFixed(0)} MB, bare Node.js ${process.version}`,
    ratio: `${(rssMb / bare.rssMb).toFixed(2)} x`,
    target: `${RSS_MB_MAX} MB`,
  };
}

/** Memory of both halves of the agent. */
export async function benchAgent(): Promise<readonly Row[]> {
  const what = '`rollcall agent`';
  const lacking = missing(...CONTROL_PLANE);
  if (lacking !== false) return [skipped(what, '', lacking)];
  if (!existsSync(PACKED))
    return [skipped(what, '', 'dist/ is not built; build it with: npm run build')];
  const plane = await startControlPlane();
  try {
    await plane.client.create('/api/v1/nodes', { metadata: { name: NODE } });
    const flags = `--conditions --machine-state ${join(plane.dir, 'machine.json')} --node ${NODE} --probes ${PROBES} --disk ${plane.dir} --interval 1s --listen 127.0.0.1:0`;
    const machine = ['--write-machine-state', join(plane.dir, 'machine.json')];
    const [agent, half, bare] = await Promise.all([
      ranAgent(plane, flags.split(' ')),
      ranAgent(plane, [...machine, '--logs', '/var/log']),
      ran(BARE, {}),
    ]);
    return [
      rowOf(`${what}, looks each second`, agent, bare),
      rowOf(`${what} --write-machine-state`, half, bare),
    ];
  } finally {
    await plane.stop();
  }
}
