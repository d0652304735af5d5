import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { type Clock, startTimer } from '../../ports/clock.ts';
import type { KubeCommand, KubeCommandResult, KubeEnvironment } from './environment.ts';

/** The machine and the environment in which this program runs; the clock ends programs that hang. */
export function systemKubeEnvironment(clock: Clock): KubeEnvironment {
  return {
    env: process.env,
    home: homedir(),
    isInteractive: process.stdin.isTTY,
    readFile,
    run: async (command) => runCommand(command, clock),
  };
}

async function runCommand(command: KubeCommand, clock: Clock): Promise<KubeCommandResult> {
  const [program = '', ...args] = command.argv;
  const child = spawn(program, args, {
    env: { ...process.env, ...command.env },
    stdio: [command.isInteractive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
    // A wrapper script and what it started end together.
    detached: !command.isInteractive,
  });
  return await outcomeOf(child, command, clock);
}

type Child = ReturnType<typeof spawn>;

function outcomeOf(child: Child, command: KubeCommand, clock: Clock): Promise<KubeCommandResult> {
  const stdout = new Kept(command.bytesMax);
  const stderr = new Kept(command.bytesMax);
  child.stdout?.on('data', (chunk: Buffer) => stdout.add(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk));
  return new Promise((resolve, reject) => {
    let isTimedOut = false;
    const kill = (): void => endChild(child, !command.isInteractive);
    // In a group of its own it does not hear the interrupt that ends this program.
    process.once('exit', kill);
    const end = (exitCode: number | null): void => {
      timer.cancel();
      process.removeListener('exit', kill);
      const isCut = stdout.isCut || stderr.isCut;
      resolve({ exitCode, stdout: stdout.text(), stderr: stderr.text(), isTimedOut, isCut });
    };
    const timer = startTimer(clock, command.timeoutMs, () => {
      isTimedOut = true;
      kill();
      child.stdout?.destroy();
      child.stderr?.destroy();
      end(null);
    });
    child.once('error', (error) => {
      timer.cancel();
      process.removeListener('exit', kill);
      reject(error);
    });
    child.once('close', end);
  });
}

function endChild(child: Child, isGroup: boolean): void {
  if (child.pid === undefined) return;
  try {
    process.kill(isGroup ? -child.pid : child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

/** The first bytes of a stream. */
class Kept {
  readonly #bytesMax: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get isCut(): boolean {
    return this.#bytes > this.#bytesMax;
  }

  add(chunk: Buffer): void {
    const room = this.#bytesMax - this.#bytes;
    if (room > 0) this.#chunks.push(chunk.subarray(0, room));
    this.#bytes += chunk.length;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
