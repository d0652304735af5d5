/** A PostgreSQL server on loopback that belongs to one test file. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PostgresServer {
  readonly urlOf: (database: string) => string;
  readonly createDatabase: (database: string) => void;
  /** Kills it with everything that it had not written. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const DEBIAN = '/usr/lib/postgresql';

/** The folder of its programs; null where it is not installed. */
function programs(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted() : [];
  const folders = versions.map((version) => join(DEBIAN, version, 'bin'));
  const onPath = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '');
  return (
    [...folders.toReversed(), ...onPath].find((one) => existsSync(join(one, 'postgres'))) ?? null
  );
}

const FOLDER = programs();

/** `skip` of a test that needs it. */
export const WITH_POSTGRES = {
  skip:
    FOLDER === null ? 'PostgreSQL is not installed; install it: apt-get install postgresql' : false,
} as const;

interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

/** It refuses to run as root; its package brings a user. */
function identity(): Identity {
  if (process.getuid?.() !== 0) return {};
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const users = lines.filter((one) => /^(?:postgres|nobody):/.test(one)).toSorted();
  const line = users.at(-1);
  const [, , uid, gid] = (line ?? '').split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

const SMALL = ['listen_addresses=127.0.0.1', 'max_connections=30', 'fsync=off'].flatMap((one) => [
  '-c',
  one,
]);
const TRIES_MAX = 100;

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 50);
  });
}

/** Processes that the server started: one for each connection, and a few of its own. */
function childrenOf(pid: number | undefined): readonly number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(path)) return [];
  return [...readFileSync(path, 'utf8').matchAll(/\d+/g)].map(([text]) => Number(text));
}

/** False where there is no such process any more. */
function signalIfThere(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Those that serve a connection would end by themselves a moment later. */
async function killAll(pids: readonly number[]): Promise<void> {
  for (const pid of pids) signalIfThere(pid, 'SIGKILL');
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    if (!pids.some((pid) => signalIfThere(pid, 0))) return;
    await pause();
  }
}

export async function startPostgres(): Promise<PostgresServer> {
  const bin = FOLDER ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-postgres-'));
  const who = identity();
  if (who.uid !== undefined && who.gid !== undefined) chownSync(folder, who.uid, who.gid);
  const state = join(folder, 'state');
  const port = await freePort();
  const options = {
    ...who,
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
  } as const;
  const run = (program: string, args: readonly string[]): void => {
    const { status, stderr } = spawnSync(join(bin, program), args, options);
    if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  };
  run('initdb', ['-D', state, '-U', 'rollcall', '-A', 'trust', '--no-sync', '-E', 'UTF8']);
  let child: ReturnType<typeof spawn> | null = null;
  const client = ['-h', '127.0.0.1', '-p', String(port), '-U', 'rollcall'];
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === null) return;
    const closed = once(child, 'exit');
    const below = signal === 'SIGKILL' ? childrenOf(child.pid) : [];
    child.kill(signal);
    await closed;
    child = null;
    await killAll(below);
  };
  const startsOnce = async (): Promise<boolean> => {
    const place = ['-D', state, '-p', String(port), '-k', folder];
    const started = spawn(join(bin, 'postgres'), [...place, ...SMALL], {
      ...who,
      cwd: folder,
      stdio: 'ignore',
      env: options.env,
    });
    child = started;
    while (started.exitCode === null) {
      if (spawnSync(join(bin, 'pg_isready'), client, options).status === 0) return true;
      await pause();
    }
    child = null;
    return false;
  };
  const start = async (): Promise<void> => {
    // While a child of the one that was killed still lives, the next one refuses to start.
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (await startsOnce()) return;
      await pause();
    }
    throw new Error('postgres does not start');
  };
  await start();
  return {
    urlOf: (database) => `postgres://rollcall@127.0.0.1:${port}/${database}`,
    createDatabase: (database) => run('createdb', [...client, database]),
    kill: () => end('SIGKILL'),
    start,
    stop: async () => {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
