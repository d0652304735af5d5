import { setEngineFlags } from '../../adapters/system/engine-flags.ts';
import { redact } from '../../evidence/redact.ts';
import { PortError } from '../../ports/port-error.ts';
import { type CliContext, type Command, SourceError, UsageError } from './context.ts';
import { EXIT } from './exit-code.ts';
import { isTerminal, writeAll } from './output.ts';

setEngineFlags();

const COLUMNS_MAX = 100;

/** Commands by name; each is loaded only when it is called. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  status: statusCommand,
  diagnose: async () => (await import('./commands/diagnose.ts')).diagnoseCommand,
  explain: async () => (await import('./commands/explain.ts')).explainCommand,
  causes: async () => (await import('./commands/causes.ts')).causesCommand,
  preflight: async () => (await import('./commands/preflight.ts')).preflightCommand,
  capacity: async () => (await import('./commands/capacity.ts')).capacityCommand,
  spot: async () => (await import('./commands/spot.ts')).spotCommand,
  name: async () => (await import('./commands/name.ts')).nameCommand,
  permissions: async () => (await import('./commands/permissions.ts')).permissionsCommand,
  controller: async () => (await import('./commands/controller.ts')).controllerCommand,
  agent: async () => (await import('./commands/agent.ts')).agentCommand,
  join: async () => (await import('./commands/join.ts')).joinCommand,
  gate: async () => (await import('./commands/gate.ts')).gateCommand,
  fix: async () => (await import('./commands/fix.ts')).fixCommand,
  install: async () => (await import('./commands/install.ts')).installCommand,
  uninstall: async () => (await import('./commands/uninstall.ts')).uninstallCommand,
  record: async () => (await import('./commands/record.ts')).recordCommand,
  timeline: async () => (await import('./commands/timeline.ts')).timelineCommand,
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand,
  sim: async () => (await import('./commands/sim.ts')).simCommand,
  lab: async () => (await import('./commands/lab.ts')).labCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
  // For the shell's scripts: it is in no list of commands.
  __complete: async () => (await import('./commands/complete.ts')).completeCommand,
  // For deployments of other programs, which start /manager of the image.
  __manager: async () => (await import('./commands/replacement.ts')).replacementCommand,
  help: async () => (await import('./commands/help.ts')).helpCommand,
};

async function statusCommand(): Promise<Command> {
  const { createStatusCommand } = await import('./commands/status.ts');
  const { LIVE_STATUS } = await import('./live/status-source.ts');
  return createStatusCommand(LIVE_STATUS);
}

/** Without a command, also before flags, it is the roll call. */
function withCommand(argv: readonly string[]): readonly string[] {
  const [first] = argv;
  const isFlag = first?.startsWith('-') === true && first !== '--help' && first !== '-h';
  return first === undefined || isFlag ? ['status', ...argv] : argv;
}

function contextOf(): CliContext {
  const isPage = isTerminal(1);
  return {
    out: (text) => writeAll(1, text),
    err: (text) => writeAll(2, text),
    stdin: () => process.stdin as AsyncIterable<Uint8Array>,
    get isInputPiped() {
      return !isTerminal(0);
    },
    progress: (words) => {
      if (isTerminal(2)) writeAll(2, `\r\u001B[K${words === '' ? '' : `${words} …`}`);
    },
    colour: isPage && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb',
    columns: isPage ? Math.min(COLUMNS_MAX, process.stdout.columns || COLUMNS_MAX) : COLUMNS_MAX,
    width: isPage ? process.stdout.columns || COLUMNS_MAX : Infinity,
  };
}

async function commandOf(name: string): Promise<Command> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load !== undefined) return load();
  throw (await import('./options/unknown-command.ts')).unknownCommand(name);
}

/** Runs one command line and returns the exit code; no error leaves it but as a sentence. */
export async function run(
  argv: readonly string[],
  given: CliContext = contextOf(),
): Promise<number> {
  const context = withoutSecrets(given);
  const [name = 'status', ...rest] = withCommand(argv);
  const isHelp = name === '--help' || name === '-h';
  try {
    // What is behind two dashes belongs to another program.
    const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
    const isAsked = name !== '__complete' && (own.includes('--help') || own.includes('-h'));
    if (isHelp || isAsked) return await (await commandOf('help'))(isHelp ? rest : [name], context);
    return await (await commandOf(name))(rest, context);
  } catch (error) {
    return reportError(error, context);
  }
}

/** What is said beside the report names files, servers and words of others: none of them is trusted. */
function withoutSecrets(context: CliContext): CliContext {
  const { err, progress } = context;
  return Object.create(context, {
    err: { value: (text: string) => err(redact(text)) },
    progress: { value: (words: string) => progress(redact(words)) },
  }) as CliContext;
}

/** A source that cannot be read, or is not set up. */
function isOfSource(error: unknown): error is Error {
  const isPort = error instanceof PortError || error instanceof SourceError;
  return isPort || (error instanceof Error && error.name === 'EvidenceError');
}

function reportError(error: unknown, context: CliContext): number {
  if (error instanceof UsageError) {
    context.err(`${error.message}\n`);
    return EXIT.usage;
  }
  if (isOfSource(error)) {
    context.err(`${error.message}\n`);
    return EXIT.noSource;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  context.err(`rollcall has a bug: ${detail}\n`);
  return EXIT.bug;
}
