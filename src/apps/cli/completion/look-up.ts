import { PortError } from '../../../ports/port-error.ts';
import { SHELLS } from '../declared/completion.ts';
import { LIVE_OPTIONS } from '../declared/shared.ts';
import { UsageError } from '../context.ts';
import { flagsOfSeveral, type LiveFlags } from '../live/flags.ts';
import type { CommandDeclaration, Completion } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import type { Candidate, CompletionAsk } from './ask.ts';

function named(values: Iterable<string>, help = ''): readonly Candidate[] {
  return Array.from(values, (value) => ({ value, help }));
}

/** The cluster that the words before the cursor name; the usual one where they are half written. */
function flagsBefore({ command, before }: CompletionAsk): LiveFlags {
  const reader: CommandDeclaration<typeof LIVE_OPTIONS> = {
    ...command,
    words: { most: Infinity, completes: [] },
    options: { ...command.options, ...LIVE_OPTIONS },
  };
  try {
    return flagsOfSeveral(parseCommandLine(reader, before).values);
  } catch (error) {
    if (error instanceof UsageError) return {};
    throw error;
  }
}

async function causes(): Promise<readonly Candidate[]> {
  const { CAUSES } = await import('../../../causes/index.generated.ts');
  return CAUSES.map(({ id, title }) => ({ value: id, help: title }));
}

async function stories(): Promise<readonly Candidate[]> {
  const { shippedStories } = await import('../../lab/load.ts');
  return shippedStories().map(({ name, title }) => ({ value: name, help: title }));
}

async function contexts({ kubeconfig }: LiveFlags): Promise<readonly Candidate[]> {
  const { readKubeconfigs } = await import('../../../adapters/kubernetes/kubeconfig-files.ts');
  const { systemKubeEnvironment } = await import(
    '../../../adapters/kubernetes/system-environment.ts'
  );
  const { systemClock } = await import('../../../adapters/system/clock.ts');
  try {
    const found = await readKubeconfigs(systemKubeEnvironment(systemClock), kubeconfig);
    return named(found?.contexts.keys() ?? []);
  } catch (error) {
    if (error instanceof PortError) return [];
    throw error;
  }
}

async function profiles(): Promise<readonly Candidate[]> {
  const { profileNames } = await import('../../../adapters/aws/profile.ts');
  return named(profileNames(process.env));
}

async function commands(): Promise<readonly Candidate[]> {
  const { COMMAND_DECLARATIONS } = await import('../declared/commands.ts');
  return COMMAND_DECLARATIONS.map(({ name, summary }) => ({ value: name, help: summary }));
}

async function machines(flags: LiveFlags): Promise<readonly Candidate[]> {
  return (await import('./machines.ts')).machinesOf(flags);
}

type Lookup = (flags: LiveFlags) => Promise<readonly Candidate[]>;

const LOOKUPS: Readonly<Record<Exclude<Completion, 'file' | 'folder'>, Lookup>> = {
  cause: causes,
  command: commands,
  context: contexts,
  machine: machines,
  profile: profiles,
  shell: async () => named(SHELLS),
  story: stories,
};

/** Values of all kinds that may stand at the cursor; the shell looks for files itself. */
export async function lookUp(asked: CompletionAsk): Promise<readonly Candidate[]> {
  const flags = flagsBefore(asked);
  const found = await Promise.all(
    asked.lookups.map(async (kind) =>
      kind === 'file' || kind === 'folder' ? [] : LOOKUPS[kind](flags),
    ),
  );
  return found.flat();
}
