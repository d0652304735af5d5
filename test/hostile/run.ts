import fc from 'fast-check';
import { run } from '../../src/apps/cli/run.ts';
import { TURN, WIDTH } from '../share.ts';

export const OUTPUTS = ['text', 'json', 'yaml', 'markdown'] as const;
export type Output = (typeof OUTPUTS)[number];

/** The seed of every property here. */
const SEED = Number(process.env['ROLLCALL_SEED'] ?? 20_240_501);
/** In a share, each turn tries so much less, from a seed of its own; CI tries more. */
const RUNS_OF = 6;

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 65_536)
    yield bytes.subarray(start, start + 65_536);
}

/** Everything the program prints, on both streams, for evidence that is piped in or has a path. */
export async function printedFor(
  evidence: Uint8Array | string,
  output: Output,
  paths: readonly string[] = ['-'],
): Promise<string> {
  const printed: string[] = [];
  const bytes = typeof evidence === 'string' ? new TextEncoder().encode(evidence) : evidence;
  await run(['diagnose', ...paths, '-o', output], {
    out: (text) => printed.push(text),
    err: (text) => printed.push(text),
    stdin: () => pieces(bytes),
    progress: () => {},
    isInputPiped: true,
    colour: false,
    columns: 100_000,
    width: 100_000,
  });
  return printed.join('');
}

/** Checks a property with the fixed seed; a failure says the command that repeats it. */
export async function check<T>(
  property: fc.IAsyncPropertyWithHooks<T>,
  numRuns: number,
  file: string,
): Promise<void> {
  const runs = TURN === null ? numRuns : Math.ceil((numRuns * Math.min(WIDTH, RUNS_OF)) / RUNS_OF);
  const seed = SEED + ((TURN ?? 0) % RUNS_OF);
  const result = await fc.check(property, { numRuns: runs, seed, endOnFailure: true });
  if (!result.failed) return;
  const report = await fc.asyncDefaultReportMessage(result);
  throw new Error(`${report ?? ''}\nRepeat it: ROLLCALL_SEED=${seed} node --test ${file}`, {
    cause: result.errorInstance,
  });
}
