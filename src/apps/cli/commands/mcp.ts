import type { CliContext } from '../context.ts';
import { MCP } from '../declared/mcp.ts';
import { EXIT } from '../exit-code.ts';
import { liveFlagsOf } from '../live/flags.ts';
import { parseCommandLine } from '../options/parse.ts';

/** A client gives up after 60 s; what is known by then is the answer. */
const LOOK_MS = 45_000;

/** `rollcall mcp`: answers the tools of a language model on standard input and output. */
export async function mcpCommand(args: readonly string[], context: CliContext): Promise<number> {
  const { values } = parseCommandLine(MCP, args);
  const flags = { timeoutMs: LOOK_MS, ...liveFlagsOf(values) };
  const { allowFolders } = await import('../../mcp/allowed-folders.ts');
  const allowed = await allowFolders(values.allow, process.cwd());
  if (!context.isInputPiped)
    context.err('A client starts rollcall mcp and talks to it; Ctrl-D ends it. See docs/mcp.md\n');
  const { serve } = await import('../../mcp/server.ts');
  await serve({ flags, isDeep: values.deep, allowed });
  return EXIT.usable;
}
