/**
 * A PostgreSQL server on loopback that belongs to one test file, or the one that
 * `ROLLCALL_TEST_POSTGRES` names, such as `standing-postgres.ts` keeps, for many runs of its tests.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.ts';

/** One that is there already, or starts within the tests. */
export interface Postgres {
  readonly urlOf: (database: string) => string;
  /** A new one, in place of any of that name. */
  readonly createDatabase: (database: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface PostgresServer extends Postgres {
  /** Kills it with everything that it had not written. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
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
const STANDING = process.env['ROLLCALL_TEST_POSTGRES'] ?? null;
const MISSING = 'PostgreSQL is not installed; install it: apt-get install postgresql';

/** `skip` of a test that needs it. */
export const WITH_POSTGRES = {
  skip: FOLDER === null && STANDING === null ? MISSING : false,
} as const;

/** `skip` of a test that starts and kills its own. */
export const WITH_OWN_POSTGRES = { skip: FOLDER === null ? MISSING : false } as const;

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

function databaseOf(url: string, database: string): string {
  const place = new URL(url);
  place.pathname = `/${database}`;
  return place.href;
}

async function create(url: string, database: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${database}`);
  } finally {
    await client.end();
  }
}

/** The server that the environment names, else one of this file's own. */
export async function usePostgres(): Promise<Postgres> {
  if (STANDING === null) return startPostgres();
  return {
    urlOf: (database) => databaseOf(STANDING, database),
    createDatabase: async (database) => create(STANDING, database),
    stop: async () => undefined,
  };
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
  const urlOf = (database: string) => `postgres://rollcall@127.0.0.1:${port}/${database}`;
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
    urlOf,
    createDatabase: async (database) => create(urlOf('postgres'), database),
    kill: () => end('SIGKILL'),
    start,
    stop: async () => {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
