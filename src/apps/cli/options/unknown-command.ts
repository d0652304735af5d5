import { nearest } from '../../../evidence/nearest.ts';
import { UsageError } from '../context.ts';
import { COMMAND_DECLARATIONS } from '../declared/commands.ts';
import { quoted } from './quoted.ts';

/** What to say to a command that there is not. */
export function unknownCommand(name: string): UsageError {
  const close = nearest(
    name,
    COMMAND_DECLARATIONS.map((command) => command.name),
  );
  const what = `unknown command ${quoted(name)}`;
  return new UsageError(
    close === null
      ? `${what}; list them: rollcall help`
      : `${what}; did you mean ${close}? List them: rollcall help`,
  );
}
