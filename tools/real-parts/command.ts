/** Runs the programs that build, and says how far they are. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Lines kept of what a program said, for when it ends badly. */
const LINES_MAX = 40;

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where it runs; in the folder of this program unless given. */
  readonly cwd?: string;
  /** Called with each line that the program writes to either stream. */
  readonly onLine?: (line: string) => void;
}

/** @throws Error with the last lines of the program unless it ends with code 0 */
export async function runCommand({ program, args, env, cwd, onLine }: Command): Promise<void> {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  const take = (line: string): void => {
    said.push(line);
    if (said.length > LINES_MAX) said.shift();
    onLine?.(line);
  };
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', take);
  const how = await ending(child);
  if (how !== null) throw new Error([`${program} ${args.join(' ')}: ${how}`, ...said].join('\n'));
}

type Child = ReturnType<typeof spawn>;

/** A build that outlives the one who asked for it would go on for minutes. */
async function ending(child: Child): Promise<string | null> {
  const stop = (): void => {
    child.kill('SIGINT');
  };
  process.once('exit', stop);
  try {
    return await new Promise((resolve) => {
      child.once('error', (error) => resolve(startError(error)));
      child.once('close', (code, signal) =>
        resolve(code === 0 ? null : `ended with ${signal ?? `exit code ${code}`}`),
      );
    });
  } finally {
    process.removeListener('exit', stop);
  }
}

function startError(error: Error): string {
  const isAbsent = 'code' in error && error.code === 'ENOENT';
  return isAbsent ? 'not installed; install it, then run: npm run real-parts' : error.message;
}

/** Progress is for the person who waits; what is asked for goes to stdout. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
