import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { SimulatedMachine } from '../../src/sim/machines/contract.ts';

/** What a person at a terminal has: real clients against the world, and a shell on one machine. */
export interface Desk {
  /** Variables by which `kubectl` and `aws` find the simulated servers. */
  readonly environment: Readonly<Record<string, string>>;
  readonly machine: SimulatedMachine;
}

const COMMAND_MS = 60_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** The variables of the file that people source. */
export function environmentIn(path: string): Readonly<Record<string, string>> {
  const lines = readFileSync(path, 'utf8').matchAll(/^export (\w+)='(.*)'$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

/** What a command line of bash prints, errors included, as a terminal shows them. */
function bash(
  script: string,
  env: Readonly<Record<string, string>>,
  input: string,
): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      ['-c', script],
      { env: { PATH, HOME, ...env }, timeout: COMMAND_MS, maxBuffer: OUTPUT_BYTES_MAX },
      (_error, stdout, stderr) => resolve(`${stdout}${stderr}`),
    );
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** What a command of kubectl or aws prints, errors included. */
export function runCommand(
  command: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  return bash(command, environment, '');
}

const JOURNAL = /^(?:sudo )?journalctl\b/;
const FILE = /^(?:sudo )?(?:cat|tail|head|grep)\b.*?\s(\/[\w./-]+)$/;

/** What the first command of a pipe prints on the machine; null for one that it does not know. */
function onMachine(machine: SimulatedMachine, command: string): string | null {
  if (JOURNAL.test(command)) {
    const units = [...command.matchAll(/(?:-u|--unit)[ =](\S+)/g)].map(([, unit = '']) => unit);
    return machine.journalText(units.length === 0 ? {} : { units });
  }
  const path = FILE.exec(command)?.[1];
  return path === undefined ? null : (machine.files().get(path) ?? null);
}

/** The filter that a command is when its file is given as its input. */
function withoutFile(command: string): string {
  const filter = command.replace(/^sudo /, '').replace(/\s\/[\w./-]+$/, '');
  return JOURNAL.test(command) || filter.startsWith('cat') ? 'cat' : filter;
}

/**
 * Runs one command as it was printed.
 *
 * @returns what it prints; null where a placeholder is left in it, or where the simulated machine
 *   has nothing like it
 */
export async function runPrinted(command: string, desk: Desk): Promise<string | null> {
  if (/<[a-z][\w-]*>/.test(command)) return null;
  if (/^(?:kubectl|aws) /.test(command) && !command.startsWith('aws sts get-caller'))
    return runCommand(command, desk.environment);
  const [first = '', ...filters] = command.split(/\s\|\s/);
  const text = onMachine(desk.machine, first);
  if (text === null) return null;
  return bash([withoutFile(first), ...filters].join(' | '), {}, text);
}
