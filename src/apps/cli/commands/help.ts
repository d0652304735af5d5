import type { CliContext } from '../context.ts';
import { COMMAND_DECLARATIONS } from '../declared/commands.ts';
import { HELP } from '../declared/completion.ts';
import { helpPage, overviewPage } from '../options/help-page.ts';
import { parseCommandLine } from '../options/parse.ts';
import { unknownCommand } from '../options/unknown-command.ts';

/** Prints the overview, or one command's page. */
export async function helpCommand(args: readonly string[], context: CliContext): Promise<number> {
  const [name] = parseCommandLine(HELP, args).words;
  if (name === undefined) {
    context.out(overviewPage(COMMAND_DECLARATIONS, context.columns));
    return 0;
  }
  const command = COMMAND_DECLARATIONS.find((one) => one.name === name);
  if (command === undefined) throw unknownCommand(name);
  context.out(helpPage(command, context.columns));
  return 0;
}
