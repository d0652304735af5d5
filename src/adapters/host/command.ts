import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { type Clock, startTimer } from '../../ports/clock.ts';
import type { HostCommand, HostCommandEnd } from '../../ports/host-writes.ts';
import { PortError } from '../../ports/port-error.ts';
import { portErrorOf } from './failure.ts';
import { MARK_VARIABLE } from './marked.ts';
import { abandon, exitCodeOf, programFile, searchPath } from './run.ts';
import { createTail } from './tail.ts';

/** After a command has ended, what it started may hold its output open; it is read for so long. */
const DRAIN_MS = 500;

/**
 * Runs a command with the environment of this program.
 *
 * @throws PortError `not-found`, `denied` (not executable) or `invalid`
 */
export async function runCommand(command: HostCommand, clock: Clock): Promise<HostCommandEnd> {
  const { argv, mark } = command;
  const [program = '', ...args] = argv;
  if (program === '' || argv.some((arg) => arg.includes('\0'))) {
    const message = 'A command cannot be run without a name, or with an argument that holds NUL.';
    throw new PortError({ failure: 'invalid', message });
  }
  const path = searchPath(process.env['PATH'] ?? '');
  const child = spawn(await executable(program, path), args, {
    env: { ...process.env, PATH: path, [MARK_VARIABLE]: mark },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: false,
    // A group of its own, so that at the limit its children end with it.
    detached: true,
  });
  return ended(child, command, clock);
}

async function executable(program: string, path: string): Promise<string> {
  const file = await programFile(program, path);
  try {
    await access(file, constants.X_OK);
    return file;
  } catch (error) {
    throw portErrorOf(program, error);
  }
}

async function ended(
  child: ChildProcess,
  { argv, timeoutMs, bytesMax, onOutput }: HostCommand,
  clock: Clock,
): Promise<HostCommandEnd> {
  const tail = createTail(bytesMax);
  const hear = (chunk: Uint8Array): void => {
    tail.push(chunk);
    onOutput(chunk);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const limit = startTimer(clock, timeoutMs, () => resolve(true));
  child.once('error', (error) => reject(portErrorOf(argv[0] ?? '', error)));
  child.once('close', () => resolve(false));
  // A daemon that it left behind keeps its output open: the command itself is over.
  child.once('exit', () => startTimer(clock, DRAIN_MS, () => resolve(false)));
  try {
    const isTimeOut = await promise;
    if (isTimeOut) abandon(child);
    else letGo(child);
    const exitCode = isTimeOut ? TIMED_OUT : exitCodeOf(child);
    return { exitCode, output: tail.bytes(), isCut: tail.isCut(), isTimeOut };
  } finally {
    limit.cancel();
  }
}

/** As timeout(1) ends. */
const TIMED_OUT = 124;

function letGo(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
}
