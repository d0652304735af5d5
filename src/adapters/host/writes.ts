import { appendFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { HostHold, HostWrites } from '../../ports/host-writes.ts';
import { PortError } from '../../ports/port-error.ts';
import { runCommand } from './command.ts';
import { codeOf, portErrorOf } from './failure.ts';
import { isRunning } from './marked.ts';
import { runProgram } from './run.ts';

/** The changes that a program which stays makes to the machine it runs on. */
export function openHostWrites(clock: Clock): HostWrites {
  return {
    replaceFile: replaceSynced,
    removeFile: async (path) => named(path, rm(path, { force: true })),
    appendLine: async (path, line) => named(path, appendFile(path, `${line}\n`)),
    hold,
    runCommand: async (command) => runCommand(command, clock),
    isRunning,
    restartUnit: async (unit, timeoutMs) => restartUnit(unit, timeoutMs, clock),
  };
}

async function named<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw portErrorOf(path, error);
  }
}

/** The name is on the disk only once its folder is. */
async function replaceSynced(path: string, text: string): Promise<void> {
  const part = `${path}.part`;
  await named(path, mkdir(dirname(path), { recursive: true, mode: 0o755 }));
  await named(path, writeSynced(part, text));
  await named(path, rename(part, path));
  await named(path, syncFolder(dirname(path)));
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * An abstract socket: the kernel gives it to one process, and takes it back however that ends. It
 * belongs to the network namespace, which on a machine is the machine.
 */
async function hold(name: string): Promise<HostHold | null> {
  const server = createServer((socket) => socket.destroy());
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  server.once('error', (error) =>
    codeOf(error) === 'EADDRINUSE' ? resolve(false) : reject(portErrorOf(name, error)),
  );
  server.listen({ path: `\0rollcall/${name}` }, () => resolve(true));
  if (!(await promise)) return null;
  server.unref();
  return {
    release: async () => {
      const { promise: closed, resolve: done } = Promise.withResolvers<void>();
      server.close(() => done());
      await closed;
    },
  };
}

async function restartUnit(unit: string, timeoutMs: number, clock: Clock): Promise<void> {
  const limits = { timeoutMs, bytesMax: 4096 };
  const { exitCode, stderr } = await runProgram(['systemctl', 'restart', unit], limits, clock);
  if (exitCode === 0) return;
  const said = stderr.trim().split('\n').at(-1) ?? '';
  const message = `systemctl restart ${unit} ended with ${exitCode}${said === '' ? '' : `: ${said.replace(/\.$/, '')}`}.`;
  throw new PortError({ failure: 'unavailable', message });
}
