/** The single executable as a machine has it: how fast it starts, and what a join that waits takes. */
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { version } from '../tools/package-manifest.ts';
import { ExecutableSite, PLATFORM, saidBy } from '../test/real/executable-site.ts';
import { rssOf } from './measure.ts';
import { benchProgram, smallLog } from './start.ts';
import { type Row, skipped } from './table.ts';

const START_MS_MAX = 150;
const DIAGNOSE_MS_MAX = 250;
const RSS_MB_MAX = 80;
const MEGABYTE = 1024 * 1024;
/** Long enough for everything that it loads first. */
const SETTLED_MS = 5000;
const BARE = ['-e', 'setInterval(() => {}, 1000)'];

type Child = ReturnType<typeof spawn>;

async function rssMbOf(child: Child): Promise<number> {
  await sleep(SETTLED_MS);
  const bytes = rssOf(child.pid) ?? Number.NaN;
  child.kill('SIGKILL');
  return bytes / MEGABYTE;
}

function rowOf(what: string, mb: number, bareMb: number): Row {
  return {
    what,
    ours: `${mb.toFixed(0)} MB`,
    reference: `${bareMb.toFixed(0)} MB, bare Node.js ${process.version}`,
    ratio: `${(mb / bareMb).toFixed(2)} x`,
    target: `<= ${RSS_MB_MAX} MB`,
  };
}

interface Known {
  readonly node: string;
  readonly instanceId: string;
}

/** A machine of the lab that is a Node. */
function machineIn(text: string): Known {
  const { rows } = JSON.parse(text) as { readonly rows: readonly Partial<Known>[] };
  for (const { node, instanceId } of rows)
    if (typeof node === 'string' && typeof instanceId === 'string') return { node, instanceId };
  throw new Error('the lab has no Node of an instance');
}

/** Joins that wait: for COMMAND, and, with credentials, for a Node that is never this machine's. */
async function joinRows(site: ExecutableSite): Promise<readonly Row[]> {
  const bareMb = await rssMbOf(spawn(process.execPath, BARE, { stdio: 'ignore' }));
  const folder = join(site.dir, 'lab');
  const lab = site.start(['lab', 'joined-and-was-gone', '--speed', '1', '--folder', folder]);
  try {
    await saidBy(lab.child, /joined: Ready/);
    const env = site.lab(folder);
    const { node, instanceId } = machineIn(site.run(['status', '-o', 'json'], env).out);
    const joinWith = (flags: string, command: string): Child =>
      site.start(`join ${flags} --state-folder ${site.dir}/state -- ${command}`.split(' '), env)
        .child;
    const none = '--no-cloud --kubeconfig /none';
    const ours = `--instance ${instanceId} --node ${node} --kubeconfig ${env['KUBECONFIG'] ?? ''}`;
    const running = await rssMbOf(joinWith(none, '/bin/sleep 60'));
    const watching = await rssMbOf(joinWith(ours, '/bin/true'));
    return [
      rowOf('executable, `join` while COMMAND runs', running, bareMb),
      rowOf('executable, `join` while it watches its Node', watching, bareMb),
    ];
  } finally {
    lab.child.kill('SIGKILL');
  }
}

async function startRows(site: ExecutableSite): Promise<readonly Row[]> {
  const program = { name: 'executable,', command: site.program, args: [] };
  const start = `<= ${START_MS_MAX} ms`;
  return [
    await benchProgram(program, ['--version'], '`--version`', start),
    await benchProgram(program, ['join', '--help'], '`join --help`', start),
    await benchProgram(
      program,
      ['diagnose', await smallLog()],
      '`diagnose` of a 20 kB log',
      `<= ${DIAGNOSE_MS_MAX} ms`,
    ),
  ];
}

/** Builds the executable, unpacks its archive and measures it. */
export async function benchExecutable(): Promise<readonly Row[]> {
  if (PLATFORM === null) return [skipped('executable', '', 'is measured on Linux')];
  const site = new ExecutableSite();
  try {
    const archive = `rollcall-${version()}-${PLATFORM.name}.tar.gz`;
    await site.build(archive);
    const sizes = [site.program, join(site.built, archive)].map(
      (path) => `${Math.round(statSync(path).size / 1e6)} MB`,
    );
    const size: Row = {
      what: 'executable, size; its archive',
      ours: sizes.join('; '),
      reference: `${Math.round(statSync(process.execPath).size / 1e6)} MB, Node.js ${process.version}`,
      ratio: '',
      target: '',
    };
    return [...(await startRows(site)), ...(await joinRows(site)), size];
  } finally {
    site.remove();
  }
}
