import { COMPLETION_SCRIPTS } from '../completion/scripts.ts';
import { type CliContext, UsageError } from '../context.ts';
import { COMPLETION, SHELLS } from '../declared/completion.ts';
import { EXIT } from '../exit-code.ts';
import { parseCommandLine } from '../options/parse.ts';
import { orList, unknownWord } from '../options/values.ts';

/** Prints the script with which a shell completes the words of a command line. */
export async function completionCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const [name] = parseCommandLine(COMPLETION, args).words;
  if (name === undefined)
    throw new UsageError(
      `completion needs a shell: ${orList(SHELLS)}; see: rollcall help completion`,
    );
  const shell = SHELLS.find((one) => one === name);
  if (shell === undefined) throw unknownWord('shell', name, SHELLS);
  context.out(COMPLETION_SCRIPTS[shell]);
  return EXIT.usable;
}
