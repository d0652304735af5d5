import { loadResident } from '../../../adapters/system/memory.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-code.ts';

/** `/manager` in the image, by which nidhogg and the Node Readiness Controller are started. */
export async function replacementCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const { runReplacement } = await loadResident(() => import('../../gate/replacement.ts'));
  await runReplacement(args, context);
  return EXIT.usable;
}
