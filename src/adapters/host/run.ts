import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { constants as system } from 'node:os';
import { join } from 'node:path';
import { type Clock, startTimer } from '../../ports/clock.ts';
import type { HostRun } from '../../ports/host.ts';
import { PortError } from '../../ports/port-error.ts';
import { codeOf, portErrorOf, timeoutOf } from './failure.ts';
import { createTail } from './tail.ts';

const STDERR_BYTES_MAX = 16 * 1024;
const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

interface RunLimits {
  readonly timeoutMs: number;
  readonly bytesMax: number;
}

/** Where programs are looked for; a relative folder of PATH could be anybody's. */
export function searchPath(path: string): string {
  const given = path.split(':').filter((folder) => folder.startsWith('/'));
  return [...new Set([...given, ...FOLDERS])].join(':');
}

/** Only what makes the output the same everywhere: nothing else of the environment is passed on. */
function environment(): NodeJS.ProcessEnv & { readonly PATH: string } {
  return {
    PATH: searchPath(process.env['PATH'] ?? ''),
    LC_ALL: 'C',
    SYSTEMD_COLORS: '0',
    SYSTEMD_PAGER: '',
  };
}

/** The file of a program; a folder that may not be entered says nothing about the others. */
export async function programFile(program: string, path: string): Promise<string> {
  if (program.includes('/')) return program;
  for (const folder of path.split(':')) {
    const file = join(folder, program);
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      continue;
    }
  }
  throw new PortError({ failure: 'not-found', message: `${program} is not installed.` });
}

/** Runs a program without a shell, input or terminal; killed when it takes longer than the limit. */
export async function runProgram(
  argv: readonly string[],
  limits: RunLimits,
  clock: Clock,
): Promise<HostRun> {
  const [program = '', ...args] = argv;
  if (program === '' || argv.some((arg) => arg.includes('\0'))) {
    const message = 'A program cannot be run without a name, or with an argument that holds NUL.';
    throw new PortError({ failure: 'invalid', message });
  }
  const env = environment();
  const child = spawn(await programFile(program, env.PATH), args, {
    cwd: '/',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: false,
    // A group of its own, so that at the limit its children end with it.
    detached: true,
  });
  return ended(child, program, limits, clock);
}

function ended(
  child: ChildProcess,
  program: string,
  limits: RunLimits,
  clock: Clock,
): Promise<HostRun> {
  const output = createTail(limits.bytesMax);
  const complaint = createTail(STDERR_BYTES_MAX);
  child.stdout?.on('data', (chunk: Uint8Array) => output.push(chunk));
  child.stderr?.on('data', (chunk: Uint8Array) => complaint.push(chunk));
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      timer.cancel();
      resolve({
        isCut: output.isCut(),
        stdout: output.bytes(),
        stderr: new TextDecoder().decode(complaint.bytes()),
        exitCode: exitCodeOf(child),
      });
    };
    const timer = startTimer(clock, limits.timeoutMs, () => {
      abandon(child);
      // A program that ended, but left its output open to a child of its own, has said its part.
      if (hasEnded(child)) finish();
      else reject(timeoutOf(program, limits.timeoutMs));
    });
    child.once('close', finish);
    child.once('error', (error) => {
      timer.cancel();
      reject(portErrorOf(program, error));
    });
  });
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Kills it with all it started and waits for nothing more: what cannot die holds nobody up. */
export function abandon(child: ChildProcess): void {
  killGroup(child);
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/** As shells count it: 128 and the number of the signal for a program that was killed. */
export function exitCodeOf({ exitCode, signalCode }: ChildProcess): number {
  if (exitCode !== null) return exitCode;
  return 128 + (signalCode === null ? 0 : system.signals[signalCode]);
}
