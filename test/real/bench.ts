/** Programs of one test: started in a folder of their own, and gone with it however it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProgramOptions {
  /** Names the log, and the program in messages. */
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Program {
  readonly name: string;
  readonly pid: number;
  /** What it wrote to both streams so far. */
  readonly log: () => string;
  /** @throws Error with the end of its log when it ends, or is not ready in time */
  readonly untilReady: (isReady: () => Promise<boolean>) => Promise<void>;
  /** Ends it at once and waits until it is gone; again is no error. */
  readonly stop: () => Promise<void>;
}

export interface Bench {
  /** Removed when the bench closes. */
  readonly dir: string;
  readonly start: (options: ProgramOptions) => Program;
  /** Stops every program, the youngest first, and removes the folder; again is no error. */
  readonly close: () => Promise<void>;
}

/** A machine that also runs other tests starts an API server in well under 40 s. */
const LOOKS_MAX = 800;
const LOOK_EVERY_MS = 50;
const STOP_LIMIT_MS = 10_000;
const LOG_TAIL_CHARS = 2_000;

export function openBench(): Bench {
  const dir = mkdtempSync(join(tmpdir(), 'rollcall-real-'));
  const programs: Program[] = [];
  return {
    dir,
    start: (options) => {
      const program = startProgram(dir, options);
      programs.push(program);
      return program;
    },
    close: async () => {
      for (const program of programs.toReversed()) await program.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/**
 * Opens a bench, and closes it again when what is to be set up on it throws.
 *
 * @param setUp its value is what this answers
 */
export async function withBench<T>(setUp: (bench: Bench) => Promise<T>): Promise<T> {
  const bench = openBench();
  try {
    return await setUp(bench);
  } catch (error) {
    await bench.close();
    throw error;
  }
}

type Child = ReturnType<typeof spawn>;

function startProgram(dir: string, { name, path, args, env }: ProgramOptions): Program {
  const logPath = join(dir, `${name}.log`);
  const out = openSync(logPath, 'w');
  const child = spawn(path, args, {
    cwd: dir,
    detached: true,
    stdio: ['ignore', out, out],
    env: { PATH: process.env['PATH'], HOME: dir, ...env },
  });
  closeSync(out);
  child.unref();
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name}: ${path} does not start`);
  const guard = guardOf(pid, dir);
  const log = (): string => readFileSync(logPath, 'utf8');
  return {
    name,
    pid,
    log,
    untilReady: (isReady) => untilReady(name, child, log, isReady),
    stop: async () => {
      await end(name, child);
      guard.kill('SIGKILL');
    },
  };
}

/** Its input is a pipe that only this process holds, so it ends when this process does. */
const GUARD = 'read -r _; kill -9 "-$1"; rm -rf "$2"';

/** Clears the program and the folder away when this process ends without having done so. */
function guardOf(pid: number, dir: string): Child {
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', String(pid), dir], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  // A pipe is a socket here, and would keep a test file that forgot to stop from ending.
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  return guard;
}

function hasEnded(child: Child): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** What it holds is thrown away with its folder, so nothing is gained by asking it to finish. */
async function end(name: string, child: Child): Promise<void> {
  if (hasEnded(child)) return;
  // Unreferenced since its start; while its end is waited for, nothing else may keep this process.
  child.ref();
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(STOP_LIMIT_MS) });
  killGroup(child);
  await ended.catch((error: unknown) => {
    throw new Error(`${name} (process ${child.pid}) does not end`, { cause: error });
  });
}

/** What it started itself is of its group, and would go on without it. */
function killGroup({ pid }: Child): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

async function untilReady(
  name: string,
  child: Child,
  log: () => string,
  isReady: () => Promise<boolean>,
): Promise<void> {
  for (let look = 0; look < LOOKS_MAX && !hasEnded(child); look++) {
    if (await isReady().catch(() => false)) return;
    await sleep(LOOK_EVERY_MS);
  }
  const how = hasEnded(child) ? 'ended' : 'was not ready in time';
  throw new Error(`${name} ${how}; its log ends:\n${log().slice(-LOG_TAIL_CHARS)}`);
}

/**
 * Waits for something that other programs bring about, for a number of looks: a slow machine gets
 * more time.
 *
 * @param look answers the value waited for, or null while it is not there
 * @throws Error that names what was waited for
 */
export async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const value = await look();
    if (value !== null) return value;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`waited in vain for ${what}`);
}
