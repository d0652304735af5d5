/** Runs a program until it ends, says what was waited for, or has had its time. */
import { spawn } from 'node:child_process';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  /** Ends it once its output has this. */
  readonly until?: RegExp;
  readonly limitMs?: number;
}

/** What a program wrote to both streams, in the order in which it arrived. */
export interface Said {
  readonly text: string;
  /** Null when it was ended from outside. */
  readonly code: number | null;
}

const LIMIT_MS = 20_000;

/** @throws Error when the program cannot be started at all */
export function runProgram(command: Command): Promise<Said> {
  const { program, args, env, cwd, input, until, limitMs = LIMIT_MS } = command;
  const child = spawn(program, args, {
    cwd,
    detached: true,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', LANG: 'C.UTF-8', ...env },
  });
  let text = '';
  const take = (chunk: Buffer): void => {
    text += chunk.toString();
    if (until?.test(text) === true) stop();
  };
  // What it started itself holds the pipe and must go with it.
  const stop = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  child.stdin.on('error', () => undefined).end(input ?? '');
  const timer = setTimeout(stop, limitMs);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ text, code });
    });
  });
}
