import { loadResident } from '../../../adapters/system/memory.ts';
import { ConfigurationError } from '../../../runtime/configuration/configuration.ts';
import { PortError } from '../../../ports/port-error.ts';
import type { OpenConfiguration } from '../../controller/configuration.ts';
import { CONTROLLER } from '../declared/controller.ts';
import { type CliContext, UsageError } from '../context.ts';
import { EXIT } from '../exit-code.ts';
import { type LiveFlags, liveFlagsOf } from '../live/flags.ts';
import { addressIn } from '../options/address.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { flagsOf } from '../options/of-settings.ts';
import { parseCommandLine } from '../options/parse.ts';

type Values = ParsedOptions<typeof CONTROLLER.options>;

/** What belongs to the roll call, which does not run. @throws UsageError */
function refuseOthers({ current }: OpenConfiguration): void {
  const { reports, events, record } = current();
  const given = Object.entries({ reports, events, record }).flatMap(([name, value]) =>
    value === false || value === null ? [] : [name],
  );
  if (given.length === 0) return;
  const names = given.join(' and no --');
  throw new UsageError(`--only gate has no --${names}; run a second controller`);
}

async function gateAlone(
  values: Values,
  configuration: OpenConfiguration,
  { out, err }: CliContext,
): Promise<void> {
  refuseOthers(configuration);
  const { runGateUntilSignal } = await loadResident(() => import('../../gate/run.ts'));
  const { namespace, listen, dryRun: isDryRun } = configuration.current();
  const rulesNamespace = values['node-readiness-rules'] ? values['rules-namespace'] : null;
  await runGateUntilSignal({
    flags: withConfigured(liveFlagsOf(values), configuration),
    listens: [addressIn('listen', listen)],
    namespace,
    isDryRun,
    nidhoggConfig: values['nidhogg-config'],
    rulesNamespace,
    isReplacement: false,
    out,
    err,
  });
}

/** What belongs to the gate, which does not run. @throws UsageError */
function refuseOfGate(values: Values): void {
  const given = (['nidhogg-config', 'node-readiness-rules'] as const).filter(
    (name) => values[name] !== false && values[name] !== null,
  );
  if (given.length > 0) throw new UsageError(`--${given.join(' and --')} needs --only gate`);
}

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
  if (values.only !== null) {
    await gateAlone(values, configuration, context);
    return EXIT.usable;
  }
  refuseOfGate(values);
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
