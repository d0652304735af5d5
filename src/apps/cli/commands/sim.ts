import type { CliContext } from '../context.ts';

/** Lets simulated worlds happen, puts faults into them, and compares what is said with the truth. */
export async function simCommand(args: readonly string[], context: CliContext): Promise<number> {
  const { readSimArguments } = await import('../../sim/arguments.ts');
  const given = readSimArguments(args);
  const { simulate } = await import('../../sim/sim.ts');
  return simulate(given, context);
}
