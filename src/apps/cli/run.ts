import { setFlagsFromString } from 'node:v8';
import { type CliContext, type Command, SourceError, UsageError } from './context.ts';
import { EXIT } from './exit-code.ts';
import { isTerminal, writeAll } from './output.ts';

// An expression that backtracks too much goes on in V8's linear engine, whatever the input.
setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
// The heap stays small while buffers of logs pass by; marking it in steps costs more than at once.
setFlagsFromString('--no-incremental-marking');

const COLUMNS_MAX = 100;

/** Commands by name; each is loaded only when it is called. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  status: statusCommand,
  diagnose: async () => (await import('./commands/diagnose.ts')).diagnoseCommand,
  explain: async () => (await import('./commands/explain.ts')).explainCommand,
  causes: async () => (await import('./commands/causes.ts')).causesCommand,
  capacity: async () => (await import('./commands/capacity.ts')).capacityCommand,
  name: async () => (await import('./commands/name.ts')).nameCommand,
  permissions: async () => (await import('./commands/permissions.ts')).permissionsCommand,
  sim: async () => (await import('./commands/sim.ts')).simCommand,
  lab: async () => (await import('./commands/lab.ts')).labCommand,
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
  const { nearest } = await import('../../evidence/nearest.ts');
  const close = nearest(name, Object.keys(COMMANDS));
  throw new UsageError(
    `There is no command "${name}"${close === null ? '' : `; did you mean ${close}?`} See: rollcall help`,
  );
}

/** Runs one command line and returns the exit code; no error leaves it but as a sentence. */
export async function run(
  argv: readonly string[],
  context: CliContext = contextOf(),
): Promise<number> {
  const [name = 'status', ...rest] = withCommand(argv);
  const isHelp = name === '--help' || name === '-h';
  try {
    if (isHelp || rest.includes('--help') || rest.includes('-h'))
      return await (await commandOf('help'))(isHelp ? rest : [name], context);
    return await (await commandOf(name))(rest, context);
  } catch (error) {
    return reportError(await withSuggestion(error, name), context);
  }
}

/** What is wrong with the options of a command; for one that it has not, the nearest that it has. */
async function withSuggestion(error: unknown, command: string): Promise<unknown> {
  if (!(error instanceof Error && 'code' in error)) return error;
  const code = String(error.code);
  if (!code.startsWith('ERR_PARSE_ARGS_')) return error;
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    return new UsageError(`${error.message.replaceAll('\n', ' ')} See: rollcall help ${command}`);
  const { optionsOf } = await import('./commands/help.ts');
  const { nearest } = await import('../../evidence/nearest.ts');
  const option = /'(-[^' ]+)/.exec(error.message)?.[1] ?? '';
  const close = nearest(option, optionsOf(command));
  const what = error.message.split('. ')[0] ?? '';
  const hint = close === null ? '' : ` Did you mean ${close}?`;
  return new UsageError(`${what}.${hint} See: rollcall help ${command}`);
}

function reportError(error: unknown, context: CliContext): number {
  if (error instanceof UsageError) {
    context.err(`${error.message}\n`);
    return EXIT.usage;
  }
  if (error instanceof SourceError || (error instanceof Error && error.name === 'EvidenceError')) {
    context.err(`${error.message}\n`);
    return EXIT.noSource;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  context.err(`rollcall has a bug: ${detail}\n`);
  return EXIT.bug;
}
