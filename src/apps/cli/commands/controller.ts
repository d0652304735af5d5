import { ConfigurationError } from '../../../runtime/configuration/configuration.ts';
import { PortError } from '../../../ports/port-error.ts';
import type { OpenConfiguration } from '../../controller/configuration.ts';
import { CONTROLLER } from '../declared/controller.ts';
import { type CliContext, UsageError } from '../context.ts';
import { EXIT } from '../exit-code.ts';
import { type LiveFlags, liveFlagsOf } from '../live/flags.ts';
import { flagsOf } from '../options/of-settings.ts';
import { parseCommandLine } from '../options/parse.ts';

/** `rollcall controller`: keeps the roll call until a signal ends it. */
export async function controllerCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const { values, given } = parseCommandLine(CONTROLLER, args);
  const flags = liveFlagsOf(values);
  const { openConfiguration } = await import('../../controller/configuration.ts');
  const configuration = await told(async () =>
    openConfiguration({
      path: values.config,
      flags: flagsOf(CONTROLLER.options, values, given),
      environment: process.env,
      write: context.out,
    }),
  );
  const { runUntilSignal } = await import('../../controller/run.ts');
  await runUntilSignal({ flags: withConfigured(flags, configuration), configuration });
  return EXIT.usable;
}

function withConfigured(flags: LiveFlags, { current }: OpenConfiguration): LiveFlags {
  const { cluster, region } = current();
  return {
    ...flags,
    ...(cluster === null ? {} : { cluster }),
    ...(region === null ? {} : { region }),
  };
}

/** A configuration that cannot be begun with is a mistake of the command line. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigurationError) throw new UsageError(error.troubles.join('\n'));
    throw error instanceof PortError ? new UsageError(error.message) : error;
  }
}
