import type { HostCommand, HostCommandEnd, HostWrites } from '../../../src/ports/host-writes.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import type { Refused } from './host.ts';

/** What a command does: what it prints and how it ends, or how it is refused. */
export type FakeCommand = { readonly prints?: string; readonly exitCode?: number } | Refused;

export interface FakeWritesOptions {
  /** By the command line. */
  readonly commands?: Readonly<Record<string, FakeCommand>>;
  /** By path or unit. */
  readonly refuses?: Readonly<Record<string, Refused>>;
}

export interface FakeWrites extends HostWrites {
  readonly files: Map<string, string>;
  readonly restarted: string[];
}

/** The `HostWrites` port played in memory; `names` are held by all that share them. */
export function createFakeWrites(
  { commands = {}, refuses = {} }: FakeWritesOptions,
  names = new Set<string>(),
): FakeWrites {
  const files = new Map<string, string>();
  const restarted: string[] = [];
  const allow = (object: string): void => {
    const refused = refuses[object];
    if (refused !== undefined) refuse(object, refused);
  };
  return {
    files,
    restarted,
    async replaceFile(path, text) {
      allow(path);
      files.set(path, text);
    },
    async removeFile(path) {
      allow(path);
      files.delete(path);
    },
    async appendLine(path, line) {
      allow(path);
      files.set(path, `${files.get(path) ?? ''}${line}\n`);
    },
    async hold(name) {
      if (names.has(name)) return null;
      names.add(name);
      return {
        release: async () => {
          names.delete(name);
        },
      };
    },
    runCommand: async (command) => runFake(command, commands),
    isRunning: async () => false,
    async restartUnit(unit) {
      allow(unit);
      restarted.push(unit);
    },
  };
}

function refuse(object: string, { failure, message }: Refused): never {
  throw new PortError({ failure, message: message ?? `${object} is refused: ${failure}.` });
}

function runFake(
  { argv, bytesMax, onOutput }: HostCommand,
  commands: Readonly<Record<string, FakeCommand>>,
): HostCommandEnd {
  const line = argv.join(' ');
  const command = commands[line] ?? { failure: 'not-found' };
  if ('failure' in command) refuse(line, command);
  const bytes = new TextEncoder().encode(command.prints ?? '');
  onOutput(bytes);
  const output = bytes.slice(Math.max(0, bytes.length - bytesMax));
  return {
    exitCode: command.exitCode ?? 0,
    output,
    isCut: output.length < bytes.length,
    isTimeOut: false,
  };
}
